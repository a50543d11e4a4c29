// The same commands on two stores, and in other batches, must give the same verdicts and the same rows.
#include "judge/testing/random_script.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/testing/comparison.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"
#include "ops/settings.h"

namespace gavel::judge {
namespace {

constexpr std::size_t commands_per_script = 300;

// What a run of a script leaves behind.
struct Record {
  std::vector<std::string> verdicts;
  std::string dump;
  std::string findings;
};

std::string whole_text(const rules::Verdict& verdict) {
  static constexpr const char* records[] = {"", " fresh", " replayed"};
  return to_text(verdict) + records[static_cast<std::size_t>(verdict.record)] +
         " at=" + gavel::to_text(verdict.at);
}

Record run_script(StoreWorld& world, const std::vector<Step>& script, const std::vector<std::size_t>& cuts,
                  rules::Policy policy = {}, JudgeLimits limits = {}) {
  const auto store = world.open_store();
  JudgeDriver court(*store, limits, policy);
  Record outcome;
  std::size_t at = 0;
  for (const std::size_t length : cuts) {
    world.clock().advance(script[at].wait);
    std::vector<rules::Command> batch;
    for (std::size_t i = 0; i < length; ++i) batch.push_back(script[at + i].command);
    at += length;
    const auto verdicts = court.apply(batch);
    EXPECT_TRUE(verdicts) << verdicts.error().message;
    if (!verdicts) break;
    for (const rules::Verdict& verdict : *verdicts) outcome.verdicts.push_back(whole_text(verdict));
  }
  const auto reader = world.open_reader();
  outcome.dump = canonical_dump(*reader).value();
  outcome.findings = findings_of(*reader);
  return outcome;
}

std::string script_text(const std::vector<Step>& script, const Record& outcome, std::size_t until) {
  std::string text;
  for (std::size_t i = 0; i <= until && i < script.size(); ++i) {
    text += std::to_string(i) + " +" + std::to_string(script[i].wait.count()) + " ms " +
            judge::text_of(script[i].command) + " -> " +
            (i < outcome.verdicts.size() ? outcome.verdicts[i] : "") + "\n";
  }
  return text;
}

// True if both runs answered alike; else says where they part.
bool expect_equal_verdicts(const std::vector<Step>& script, const Record& one, const Record& other) {
  for (std::size_t i = 0; i < script.size(); ++i) {
    const std::string a = i < one.verdicts.size() ? one.verdicts[i] : "nothing";
    const std::string b = i < other.verdicts.size() ? other.verdicts[i] : "nothing";
    if (a == b) continue;
    ADD_FAILURE() << "command " << i << " was answered\n"
                  << a << "\nand\n"
                  << b << "\nafter\n"
                  << script_text(script, one, i);
    return false;
  }
  return true;
}

// Seeds from 1, as many as GAVEL_TEST_SEEDS says if it is set; or the one that GAVEL_TEST_SEED names, to
// repeat a failure.
std::vector<std::uint64_t> seeds(std::uint64_t count) {
  if (const auto one = variable_of_process("GAVEL_TEST_SEED")) return {std::stoull(*one)};
  if (const auto many = variable_of_process("GAVEL_TEST_SEEDS")) count = std::stoull(*many);
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed) all.push_back(seed);
  return all;
}

TEST(RandomScript, BatchingChangesNoAnswer) {
  for (const std::uint64_t seed : seeds(400)) {
    SCOPED_TRACE("GAVEL_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    MemoryWorld batched_world;
    MemoryWorld single_world;
    const auto script = random_script(seed, commands_per_script, batched_world.clock().now());
    // Half of the scripts are cut by what a transaction may write as well (A20).
    JudgeLimits limits;
    if (random.chance(1, 2)) limits.batch_rows_max = 100 + random.below(200);
    const Record batched =
        run_script(batched_world, script, random_cuts(script, 2 + random.below(30), random), {}, limits);
    const Record single = run_script(single_world, script, random_cuts(script, 1, random));
    ASSERT_TRUE(expect_equal_verdicts(script, single, batched));
    ASSERT_EQ(first_difference(without_batches(single.dump), without_batches(batched.dump)), "");
    ASSERT_EQ(batched.findings, "");
    ASSERT_EQ(single.findings, "");
  }
}

TEST(RandomScript, MemoryAndSqliteAgree) {
  for (const std::uint64_t seed : seeds(200)) {
    SCOPED_TRACE("GAVEL_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    MemoryWorld memory_world;
    SqliteWorld sqlite_world;
    const auto script = random_script(seed, commands_per_script, memory_world.clock().now());
    const auto cuts = random_cuts(script, 2 + random.below(62), random);
    rules::Policy policy;
    policy.refusals_recorded_max = 1 + static_cast<std::int64_t>(random.below(4));
    const Record memory = run_script(memory_world, script, cuts, policy);
    const Record sqlite = run_script(sqlite_world, script, cuts, policy);
    ASSERT_TRUE(expect_equal_verdicts(script, memory, sqlite));
    ASSERT_EQ(first_difference(memory.dump, sqlite.dump), "");
    ASSERT_EQ(sqlite.findings, "");
  }
}

// A comparison of scripts in which nothing happens would prove nothing.
TEST(RandomScript, EveryOutcomeOfTheJudgeOccurs) {
  std::map<std::string, int> counts;
  for (const std::uint64_t seed : seeds(60)) {
    MemoryWorld world;
    Random random(seed);
    const auto script = random_script(seed, commands_per_script, world.clock().now());
    for (const std::string& verdict : run_script(world, script, random_cuts(script, 8, random)).verdicts) {
      ++counts[verdict.substr(0, verdict.find(' '))];
    }
  }
  for (const char* outcome : {"reserved",
                              "sold",
                              "confirmed",
                              "cancelled",
                              "expired",
                              "received",
                              "created",
                              "changed",
                              "opened",
                              "closed",
                              "refunded",
                              "adjusted",
                              "counted",
                              "extended",
                              "version_conflict",
                              "malformed",
                              "key_in_use",
                              "key_reused",
                              "key_too_old",
                              "unknown_activity",
                              "unknown_sku",
                              "unknown_order",
                              "not_open",
                              "over",
                              "already_confirmed",
                              "already_cancelled",
                              "hold_expired",
                              "illegal_transition",
                              "limit_reached",
                              "hold_capped",
                              "sold_out",
                              "insufficient"}) {
    EXPECT_GE(counts[outcome], 10) << outcome;
  }
}

}  // namespace
}  // namespace gavel::judge
