// Fail the n-th call: one scenario, run once for every call to the store and every error that the call may
// answer with.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/testing/comparison.h"
#include "judge/testing/faulty_store.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

constexpr const char* swept_key = "01a3185c-5000-7000-8000-0000000000aa";

// What stands before the batch under test: free stock, a sale with a limit, and holds whose time is past.
void make_shop(MemoryWorld& world) {
  const auto store = world.open_store();
  JudgeDriver court(*store);
  court.say_all({put_sku("put-tee", "tee", 2), put_sku("put-cap", "cap"), receive("in-tee", "tee", 6),
                 receive("in-cap", "cap", 2), create_activity("create", "sale", {{"tee", 2}}, {.limit = 1}),
                 open_activity("open", "sale"), create_activity("create-next", "next", {{"cap", 1}}),
                 put_sku("put-mug", "mug"), receive("in-mug", "mug", 1),
                 create_activity("create-past", "past", {{"mug", 1}}), open_activity("open-past", "past")});
  court.say_all({reserve("due-free", "old", {{"tee", 3}}, {.hold = 1s}), reserve("held", "ann", {{"cap", 1}}),
                 reserve("due-sale", "bob", {{"tee", 1}}, {.activity = "sale", .hold = 1s}),
                 reserve("held-sale", "eve", {{"tee", 1}}, {.activity = "sale"}),
                 reserve("held-past", "eve", {{"mug", 1}}, {.activity = "past"}),
                 close_activity("end", "past")});
  world.clock().advance(2s);
}

// It needs every call of a store: numbers, keys of both kinds, claims, due holds of an item and of a user,
// and the free stock behind a sale that is over.
std::vector<rules::Command> batch_under_test() {
  return {put_sku("put-hat", "hat"),
          reserve("takes-due", "ann", {{"tee", 3}}),
          reserve(swept_key, "bob", {{"cap", 1}}, {.payment = rules::Payment::none}),
          reserve("claims-again", "bob", {{"tee", 1}}, {.activity = "sale"}),
          reserve("too-many", "eve", {{"tee", 1}}, {.activity = "sale"}),
          confirm("pay", order_of("held")),
          cancel("give-back", order_of("held-sale")),
          cancel("give-back-past", order_of("held-past")),
          close_activity("close", "sale"),
          expire(order_of("due-free")),
          receive("in-again", "cap", 4),
          open_activity("open-next", "next")};
}

struct Ending {
  std::vector<std::string> verdicts;
  std::string rows;
  std::vector<Call> calls;
};

bool is_answered(const rules::Verdict& verdict) {
  return verdict.outcome != rules::Outcome::overloaded &&
         verdict.outcome != rules::Outcome::outcome_unknown && verdict.outcome != rules::Outcome::frozen;
}

// By the number of the call that suffers it.
using Faults = std::map<int, Fault>;

// Judges the batch under these faults; then, as callers do, asks again under the same keys for what was not
// answered, with a store that was opened anew.
Ending judge_with(const Faults& faults) {
  MemoryWorld world;
  make_shop(world);
  const std::vector<rules::Command> commands = batch_under_test();
  std::vector<std::optional<rules::Verdict>> answers(commands.size());
  Ending ending;
  {
    const auto inner = world.open_store();
    FaultyStore store(*inner, [&](Call, int count, const rules::State*) {
      const auto fault = faults.find(count);
      return fault == faults.end() ? std::nullopt : std::optional(fault->second);
    });
    JudgeDriver court(store);
    const auto verdicts = court.apply(commands);
    for (std::size_t i = 0; verdicts && i < commands.size(); ++i) {
      if (is_answered(verdicts->at(i))) answers[i] = verdicts->at(i);
    }
    ending.calls = store.calls();
    for (const std::string& violation : store.violations()) ADD_FAILURE() << violation;
  }
  const auto store = world.open_store();
  JudgeDriver court(*store);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (!answers[i]) answers[i] = court.apply({commands[i]}).value().at(0);
    EXPECT_TRUE(is_answered(*answers[i])) << to_text(*answers[i]);
    ending.verdicts.push_back(to_text(*answers[i]));
  }
  const auto reader = world.open_reader();
  EXPECT_EQ(findings_of(*reader), "");
  ending.rows = without_batches(canonical_dump(*reader).value());
  return ending;
}

std::string text_of(const Faults& faults, const std::vector<Call>& calls) {
  std::string text;
  for (const auto& [call, fault] : faults) {
    text += std::string(word(fault)) + " at call " + std::to_string(call) + " (" +
            std::string(word(calls[static_cast<std::size_t>(call) - 1])) + ") ";
  }
  return text;
}

// A constraint halves the batch; if the first half then fails by another fault, it is asked for again after
// the second one was judged, and what is answered may differ with the order. The audit holds all the same.
bool keeps_order(const Faults& faults) {
  return faults.size() == 1 || faults.begin()->second != Fault::constraint;
}

// Runs the scenario with one more fault, at each call that follows those of `before`, and passes each ending
// on.
template <class Use>
void sweep(const Faults& before, const Ending& clean, const std::vector<Call>& calls, Use use) {
  const int first = before.empty() ? 1 : before.rbegin()->first + 1;
  for (int call = first; call <= static_cast<int>(calls.size()); ++call) {
    for (const Fault fault : faults_of(calls[static_cast<std::size_t>(call) - 1])) {
      Faults faults = before;
      faults.emplace(call, fault);
      SCOPED_TRACE(text_of(faults, calls));
      const Ending ending = judge_with(faults);
      if (keeps_order(faults)) {
        ASSERT_EQ(ending.verdicts, clean.verdicts);
        ASSERT_EQ(first_difference(clean.rows, ending.rows), "");
      }
      use(faults, ending);
    }
  }
}

TEST(FaultSweep, NoFaultAndNoTwoFaultsChangeWhatHappens) {
  const Ending clean = judge_with({});
  std::set<std::pair<Call, Fault>> suffered;
  int runs = 0;
  sweep({}, clean, clean.calls, [&](const Faults& one, const Ending& ending) {
    sweep(one, clean, ending.calls, [&](const Faults& two, const Ending&) {
      const auto [call, fault] = *two.rbegin();
      suffered.emplace(ending.calls[static_cast<std::size_t>(call) - 1], fault);
      ++runs;
    });
  });
  EXPECT_GE(runs, 1000);
  // Every call but the dealing of the lane comes again after a first fault, and suffers each of its faults
  // then.
  std::size_t kinds = 0;
  for (int call = static_cast<int>(Call::begin); call <= static_cast<int>(Call::resolve); ++call) {
    kinds += faults_of(static_cast<Call>(call)).size();
  }
  EXPECT_GE(suffered.size(), kinds);
}

TEST(FaultSweep, TheScenarioMakesEveryCall) {
  const Ending clean = judge_with({});
  const std::set<Call> made(clean.calls.begin(), clean.calls.end());
  // Settling is for a commit in doubt alone; the ladder's tests reach it. An instance is opened by the
  // process, not by the judge.
  EXPECT_EQ(made.size(), static_cast<std::size_t>(Call::resolve) - 1);
  for (const Call call : made) EXPECT_TRUE(call != Call::resolve && call != Call::open_instance);
}

TEST(FaultSweep, TheScenarioSaysWhatItIsMeantTo) {
  std::string text;
  for (const std::string& verdict : judge_with({}).verdicts)
    text += verdict.substr(0, verdict.find(' ')) + " ";
  EXPECT_EQ(text,
            "created reserved sold reserved limit_reached confirmed cancelled cancelled closed expired "
            "received opened ");
}

}  // namespace
}  // namespace gavel::judge
