// What the judge makes of each error of its store: nothing happens twice, nothing is lost, and the batches
// are gapless.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/testing/comparison.h"
#include "judge/testing/faulty_store.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "ops/metrics.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

constexpr const char* uuid7_key = "01a3185c-5000-7000-8000-0000000000aa";

// A shop with two units each of tee and cap, over a store whose faults the test chooses.
class ErrorLadder : public testing::Test {
 protected:
  ErrorLadder() : inner_(world_.open_store()), reader_(world_.open_reader()) {
    JudgeDriver court(*inner_);
    court.say_all({put_sku("put-tee", "tee"), put_sku("put-cap", "cap"), receive("in-tee", "tee", 2),
                   receive("in-cap", "cap", 2)});
  }

  void TearDown() override {
    for (const std::string& violation : store_.violations()) ADD_FAILURE() << violation;
    EXPECT_EQ(findings_of(*reader_), "");
  }

  // The faults of the first calls of this kind; later ones go well.
  void fail(Call call, std::vector<Fault> faults) {
    choose_ = [call, faults, met = std::size_t{0}](Call at, int,
                                                   const rules::State*) mutable -> std::optional<Fault> {
      return at == call && met < faults.size() ? std::optional(faults[met++]) : std::nullopt;
    };
  }

  void fail_always(Call call, Fault fault) {
    choose_ = [call, fault](Call at, int, const rules::State*) {
      return at == call ? std::optional(fault) : std::nullopt;
    };
  }

  // A row that the store will not take, whatever stands around it.
  void poison(const std::string& user, Fault fault) {
    choose_ = [user, fault](Call, int, const rules::State* state) -> std::optional<Fault> {
      if (state == nullptr) return std::nullopt;
      for (const auto& [id, order] : state->orders) {
        if (order.user == rules::UserId(user)) return fault;
      }
      return std::nullopt;
    };
  }

  // The rows of the judge's lane; the first lane made the shop.
  std::string batches() {
    const std::string dump = canonical_dump(*reader_).value();
    std::string found;
    std::size_t at = 0;
    while ((at = dump.find("\nbatch 2.", at)) != std::string::npos) {
      const std::size_t end = dump.find(" at=", at);
      found += dump.substr(at + 1, end - at - 1) + "\n";
      at = end;
    }
    return found;
  }

  std::string stock(const std::string& sku) {
    const rules::Bucket bucket = reader_->stock(rules::SkuCode(sku)).value()->at(0).item.buckets[0];
    return std::to_string(bucket.available.units) + "/" + std::to_string(bucket.reserved.units) + "/" +
           std::to_string(bucket.sold.units);
  }

  MemoryWorld world_;
  std::unique_ptr<Store> inner_;
  std::unique_ptr<Reader> reader_;
  FaultyStore::Choose choose_ = [](Call, int, const rules::State*) { return std::nullopt; };
  FaultyStore store_{*inner_, [this](Call call, int count, const rules::State* state) {
                       return choose_(call, count, state);
                     }};
  JudgeDriver court_{store_};
};

std::vector<rules::Command> one_tee_for(const std::vector<std::string>& users) {
  std::vector<rules::Command> commands;
  for (const std::string& user : users) commands.push_back(reserve("key-" + user, user, {{"tee", 1}}));
  return commands;
}

TEST_F(ErrorLadder, AConflictIsTriedAgain) {
  for (const Call call : {Call::begin, Call::load_items, Call::write, Call::commit}) {
    fail(call, {Fault::conflict, Fault::conflict, Fault::conflict, Fault::conflict});
    const int pauses = court_.pauses();
    const std::string key(word(call));
    EXPECT_EQ(court_.say(receive(key, "tee", 1)), "received") << key;
    EXPECT_EQ(court_.pauses() - pauses, 4) << key;
  }
  EXPECT_EQ(stock("tee"), "6/0/0");
  EXPECT_EQ(batches(),
            "batch 2.1 aborted=0 flows=1\nbatch 2.2 aborted=0 flows=1\nbatch 2.3 aborted=0 flows=1\n"
            "batch 2.4 aborted=0 flows=1\n");
}

TEST_F(ErrorLadder, AConflictWithoutEndIsOverloaded) {
  fail_always(Call::write, Fault::conflict);
  EXPECT_EQ(court_.say(receive("k", "tee", 1)), "overloaded");
  EXPECT_EQ(court_.pauses(), 4);
  EXPECT_EQ(batches(), "");
  fail(Call::write, {});
  EXPECT_EQ(court_.say(receive("k", "tee", 1)), "received");
}

TEST_F(ErrorLadder, APoisonousCommandFailsAlone) {
  court_.say(receive("more", "tee", 8));
  poison("c", Fault::conflict);
  EXPECT_EQ(court_.say_all(one_tee_for({"a", "b", "c", "d", "e", "f", "g"})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-a\n"
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-b\n"
            "overloaded\n"
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-d\n"
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-e\n"
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-f\n"
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-g\n");
  EXPECT_EQ(stock("tee"), "4/6/0");
}

TEST_F(ErrorLadder, ACommandThatBreaksAConstraintIsFrozenAlone) {
  poison("b", Fault::constraint);
  EXPECT_EQ(court_.say_all(one_tee_for({"a", "b"})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-a\nfrozen\n");
  // A constraint is never tried again as it was.
  EXPECT_EQ(court_.pauses(), 0);
  EXPECT_EQ(stock("tee"), "1/1/0");
}

TEST_F(ErrorLadder, ADuplicateMeansLoadAndDecideAgain) {
  // Another instance judges the same key between this one's load and its write.
  const auto other_store = world_.open_store();
  JudgeDriver other(*other_store);
  const rules::Command command = reserve("twice", "ann", {{"tee", 2}});
  choose_ = [&, writes = 0](Call call, int, const rules::State*) mutable -> std::optional<Fault> {
    if (call == Call::write && writes++ == 0) return Fault::duplicate;
    if (call == Call::begin && writes == 1) {
      EXPECT_EQ(other.say(command), "reserved expires_at=2027-01-15T08:15:00.000Z order=#twice");
    }
    return std::nullopt;
  };
  const auto verdicts = court_.apply({command, reserve("late", "bob", {{"tee", 1}})});
  ASSERT_TRUE(verdicts);
  EXPECT_EQ(verdicts->at(0).outcome, rules::Outcome::reserved);
  EXPECT_EQ(verdicts->at(0).record, rules::Record::replayed);
  EXPECT_EQ(verdicts->at(1).outcome, rules::Outcome::sold_out);
  EXPECT_EQ(stock("tee"), "0/2/0");
}

TEST_F(ErrorLadder, AnUnknownCommitThatHappenedIsAnsweredAsItHappened) {
  fail(Call::commit, {Fault::unknown_stored});
  EXPECT_EQ(court_.say_all(one_tee_for({"ann"})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-ann\n");
  EXPECT_EQ(court_.say(receive("next", "tee", 1)), "received");
  EXPECT_EQ(stock("tee"), "2/1/0");
  EXPECT_EQ(batches(), "batch 2.1 aborted=0 flows=1\nbatch 2.2 aborted=0 flows=1\n");
}

TEST_F(ErrorLadder, AnUnknownCommitThatNeverHappenedIsAbortedAndTriedAgain) {
  fail(Call::commit, {Fault::unknown_lost, Fault::unknown_lost});
  EXPECT_EQ(court_.say_all(one_tee_for({"ann"})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-ann\n");
  EXPECT_EQ(stock("tee"), "1/1/0");
  EXPECT_EQ(batches(),
            "batch 2.1 aborted=1 flows=0\nbatch 2.2 aborted=1 flows=0\nbatch 2.3 aborted=0 flows=1\n");
}

// The commit's answer is lost and for some time nobody can be asked.
class UnresolvedCommit : public ErrorLadder, public testing::WithParamInterface<Fault> {
 protected:
  void lose_commit(int unresolved) {
    choose_ = [lost = GetParam(), unresolved, resolves = 0, commits = 0](
                  Call call, int, const rules::State*) mutable -> std::optional<Fault> {
      if (call == Call::commit && commits++ == 0) return lost;
      if (call == Call::resolve && resolves++ < unresolved) return Fault::unavailable;
      return std::nullopt;
    };
  }

  bool stored() const { return GetParam() == Fault::unknown_stored; }
};

TEST_P(UnresolvedCommit, IsResolvedWithinTheCall) {
  lose_commit(19);
  EXPECT_EQ(court_.say(reserve("k", "ann", {{"tee", 1}})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#k");
  EXPECT_EQ(court_.pauses(), stored() ? 19 : 20);
  EXPECT_EQ(stock("tee"), "1/1/0");
  EXPECT_EQ(batches(), stored() ? "batch 2.1 aborted=0 flows=1\n"
                                : "batch 2.1 aborted=1 flows=0\nbatch 2.2 aborted=0 flows=1\n");
}

TEST_P(UnresolvedCommit, IsUnknownUntilItIsResolvedAndNothingBeginsBefore) {
  lose_commit(50);
  const rules::Command command = reserve(uuid7_key, "ann", {{"tee", 1}});
  EXPECT_EQ(court_.say(command), "error unknown");
  EXPECT_EQ(court_.say(receive("between", "tee", 1)), "error unavailable");
  EXPECT_TRUE(court_.judge().idle());
  const std::size_t calls = store_.calls().size();
  EXPECT_EQ(store_.calls()[calls - 20], Call::resolve);
  EXPECT_EQ(store_.calls().back(), Call::resolve) << "nor what may be done where nothing waits";

  // The third call meets ten more failures, then the answer.
  EXPECT_EQ(court_.say(receive("after", "tee", 1)), "received");
  EXPECT_TRUE(court_.judge().idle());
  EXPECT_EQ(store_.calls().back(), Call::idle);
  const auto again = court_.apply({command});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->at(0).outcome, rules::Outcome::reserved);
  EXPECT_EQ(again->at(0).record, stored() ? rules::Record::replayed : rules::Record::fresh);
  EXPECT_EQ(stock("tee"), "2/1/0");
  EXPECT_EQ(batches(),
            stored()
                ? "batch 2.1 aborted=0 flows=1\nbatch 2.2 aborted=0 flows=1\n"
                : "batch 2.1 aborted=1 flows=0\nbatch 2.2 aborted=0 flows=1\nbatch 2.3 aborted=0 flows=1\n");
}

// The gate hears of each batch that is stored, once and in its order (gate-protocol, After the commit).
TEST_P(UnresolvedCommit, IsToldOfWhenItIsFoundOutAndBeforeLaterOnes) {
  lose_commit(50);
  const auto log = Log::silent();
  std::string told;
  Judge judge(
      store_, *log, Random(1), [](Duration) {}, {}, {}, {},
      [&told](const rules::State& state) {
        for (const rules::Flow& flow : state.flows) told += std::string(word(flow.action)) + " ";
      });
  const std::vector sale{reserve("k", "ann", {{"tee", 1}})};
  EXPECT_FALSE(judge.apply(sale));
  EXPECT_EQ(told, "");
  const std::vector receipts{receive("between", "tee", 1), receive("after", "tee", 1)};
  EXPECT_FALSE(judge.apply(std::span(receipts).first(1)));
  EXPECT_TRUE(judge.apply(std::span(receipts).last(1)));
  EXPECT_EQ(told, stored() ? "reserve receive " : "receive ");
}

INSTANTIATE_TEST_SUITE_P(Both, UnresolvedCommit, testing::Values(Fault::unknown_stored, Fault::unknown_lost),
                         [](const auto& one) { return std::string(word(one.param)); });

TEST_F(ErrorLadder, UnavailableIsToldAndNothingIsDone) {
  for (const Call call :
       {Call::open_lane, Call::begin, Call::load_requests, Call::now, Call::write, Call::commit}) {
    fail(call, {Fault::unavailable});
    EXPECT_EQ(court_.say_all(one_tee_for({"ann", "bob"})), "error unavailable\n") << word(call);
    EXPECT_EQ(stock("tee"), "2/0/0") << word(call);
  }
  EXPECT_EQ(batches(), "");
}

TEST_F(ErrorLadder, AHalfThatIsUnavailableIsOverloadedAndTheOtherIsNot) {
  choose_ = [writes = 0, begins = 0](Call call, int, const rules::State*) mutable -> std::optional<Fault> {
    if (call == Call::write && writes++ == 0) return Fault::constraint;
    if (call == Call::begin && ++begins == 3) return Fault::unavailable;
    return std::nullopt;
  };
  EXPECT_EQ(court_.say_all(one_tee_for({"ann", "bob"})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-ann\noverloaded\n");
  EXPECT_EQ(stock("tee"), "1/1/0");
}

TEST_F(ErrorLadder, AHalfThatIsInDoubtIsUnknownAndTheOtherIsNot) {
  choose_ = [writes = 0, commits = 0](Call call, int, const rules::State*) mutable -> std::optional<Fault> {
    if (call == Call::write && writes++ == 0) return Fault::constraint;
    if (call == Call::commit && ++commits == 2) return Fault::unknown_stored;
    return call == Call::resolve ? std::optional(Fault::unavailable) : std::nullopt;
  };
  EXPECT_EQ(court_.say_all(one_tee_for({"ann", "bob"})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#key-ann\noutcome_unknown\n");
}

TEST_F(ErrorLadder, BrokenStopsEverything) {
  fail(Call::write, {Fault::broken});
  EXPECT_EQ(court_.say_all(one_tee_for({"ann", "bob"})), "error broken\n");
  EXPECT_EQ(court_.say(receive("k", "tee", 1)), "error broken");
  EXPECT_EQ(stock("tee"), "2/0/0");
}

TEST_F(ErrorLadder, AStoreThatBreaksWhileACommitIsInDoubtStopsEverything) {
  choose_ = [resolves = 0](Call call, int, const rules::State*) mutable -> std::optional<Fault> {
    if (call == Call::commit) return Fault::unknown_stored;
    if (call != Call::resolve) return std::nullopt;
    return ++resolves <= 20 ? Fault::unavailable : Fault::broken;
  };
  EXPECT_EQ(court_.say(receive("k", "tee", 1)), "error unknown");
  EXPECT_EQ(court_.say(receive("next", "tee", 1)), "error broken");
}

// Who watches hears of what is stored, once, and of what was refused without a row; the units are counted
// from the rows (C16).
TEST_F(ErrorLadder, WhatIsStoredIsToldAndCountedOnce) {
  MetricsRegistry metrics;
  std::string told;
  const auto log = Log::silent();
  Judge judge(
      store_, *log, Random(1), [](Duration) {}, {}, {}, Metrics(metrics, world_.clock()),
      [&](const rules::State& state) { told += std::to_string(state.flows.size()) + " "; });
  fail(Call::commit, {Fault::conflict, Fault::unknown_lost});
  ASSERT_TRUE(judge.apply(std::vector{receive("in", "tee", 3)}));
  ASSERT_TRUE(judge.apply(std::vector{confirm("none", order_of("nobody"))}));
  ASSERT_TRUE(judge.apply(std::vector{reserve("k", "ann", {{"tee", 2}, {"cap", 2}})}));
  EXPECT_EQ(told, "1 0 2 ");
  const std::string text = metrics.text();
  for (const char* line :
       {"gavel_judge_units_total{action=\"receive\"} 3\n", "gavel_judge_units_total{action=\"reserve\"} 4\n",
        "gavel_judge_units_total{action=\"cancel\"} 0\n", "gavel_judge_batches_retried_total 2\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST_F(ErrorLadder, ABatchThatChangesNothingWritesNothing) {
  EXPECT_EQ(court_.say_all({reserve("k", "ann", {{"hat", 1}}), confirm("c", order_of("nobody"))}),
            "unknown_sku sku=hat\nunknown_order\n");
  EXPECT_EQ(batches(), "");
  court_.say(receive("in", "tee", 1));
  EXPECT_EQ(court_.say(receive("in", "tee", 1)), "received");
  EXPECT_EQ(batches(), "batch 2.1 aborted=0 flows=1\n");
}

}  // namespace
}  // namespace gavel::judge
