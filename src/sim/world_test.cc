// Worlds in small: the seeds of a CI run are run by gavel-sim; here, under sanitizers too, a few.
#include "sim/world.h"

#include <array>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "sim/seeds.h"
#include "sim/sweep.h"

namespace gavel::sim {
namespace {

RunOptions options(std::uint64_t seed, std::uint64_t operations, Tale::Listener listener = nullptr) {
  RunOptions chosen;
  chosen.seed = seed;
  chosen.operations = operations;
  chosen.listener = std::move(listener);
  return chosen;
}

TEST(World, ASeedRepeatsItsRun) {
  std::string first;
  std::string second;
  const auto into = [](std::string& story) {
    return [&story](std::string_view line) { story.append(line).append("\n"); };
  };
  const Report one = run_world(options(7, 100, into(first)));
  const Report two = run_world(options(7, 100, into(second)));
  EXPECT_EQ(one.hash, two.hash);
  EXPECT_EQ(first, second);
  EXPECT_NE(run_world(options(8, 100)).hash, one.hash);
}

TEST(World, AStoryChangesNothing) {
  const Report told = run_world(options(9, 100, [](std::string_view) {}));
  EXPECT_EQ(run_world(options(9, 100)).hash, told.hash);
}

TEST(World, AFewSeedsHoldWhatMustHold) {
  std::uint64_t faults = 0;
  for (std::uint64_t seed = 1'000'001; seed <= 1'000'020; ++seed) {
    const Report report = run_world(options(seed, 150));
    for (const std::string& what : report.violations) ADD_FAILURE() << "seed " << seed << ": " << what;
    for (const std::uint64_t count : report.faults) faults += count;
  }
  EXPECT_GT(faults, 500U);  // Else nothing went wrong, and nothing is shown.
}

// Seeds that once went wrong, with the operations that it took (docs/proof.md).
TEST(World, WhatOnceWentWrongHolds) {
  struct Row {
    std::uint64_t seed;
    std::uint64_t operations;
    const char* what;
  };
  constexpr std::array regressions{
      Row{466, 300, "callers who gave up before a busy service could answer kept it busy for ever"},
      Row{288, 300, "a storm of retries outlived its cause"},
      Row{226, 300, "a caller who found no instance never asked again"},
      Row{730'956'746'761, 300, "a SKU that was made and stocked in one batch was taken for never empty"},
  };
  for (const Row& row : regressions) {
    for (const std::string& what : run_world(options(row.seed, row.operations)).violations) {
      ADD_FAILURE() << "seed " << row.seed << ", " << row.what << ": " << what;
    }
  }
}

TEST(Sweep, OneFaultAtEveryCallChangesNothingThatMustHold) {
  const SweepTotals totals = sweep(3, 2, [](const std::string& what, const std::string& repeat) {
    ADD_FAILURE() << what << "\n" << repeat;
  });
  EXPECT_GT(totals.struck, 100U);
}

TEST(Sweep, APlannedFaultStrikesOnceAtItsCallAndNowhereElse) {
  RunOptions planned = options(3, 20);
  planned.planned = true;
  const Report clean = run_world(planned);
  EXPECT_EQ(clean.faults, FaultCounts{});
  const auto kind = static_cast<std::size_t>(Fault::sql_conflict);
  ASSERT_GE(clean.opportunities[kind], 10U);
  planned.only = PlannedFault{Fault::sql_conflict, 10};
  FaultCounts one{};
  one[kind] = 1;
  EXPECT_EQ(run_world(planned).faults, one);
}

// A run that ends its process, goes wrong or goes another way is told of, and the others are run all the
// same.
TEST(Seeds, EveryEndOfARunIsHeardOf) {
  const auto run = [](const RunOptions& options) {
    Report report;
    report.seed = options.seed;
    report.hash = options.seed;
    report.rares[0] = 1;
    if (options.seed == 3) std::abort();
    if (options.seed == 4) report.violations = {"I5: nothing was done"};
    return report;
  };
  std::string heard;
  const SeedRange range{.first = 1, .count = 6, .operations = 10, .twice = 6, .jobs = 2};
  const Totals totals = run_seeds(range, run, [](const Violation&) {});
  for (const Violation& violation : totals.violations) {
    heard += std::to_string(violation.seed) + " " + violation.what + "\n";
  }
  EXPECT_EQ(heard, "3 crash: the process died by signal 6, and said why above\n4 I5: nothing was done\n");
  EXPECT_EQ(totals.seeds, 6U);
  EXPECT_EQ(totals.rares_reached(), 1U);
}

TEST(Seeds, ARunThatGoesAnotherWayTheSecondTimeIsAViolation) {
  std::uint64_t runs = 0;
  const auto run = [&runs](const RunOptions&) {
    Report report;
    report.hash = ++runs;
    return report;
  };
  const Totals totals = run_seeds({.first = 1, .count = 1, .twice = 1}, run, [](const Violation&) {});
  ASSERT_EQ(totals.violations.size(), 1U);
  EXPECT_EQ(totals.violations[0].what, "repeat: a second run of the seed went another way");
}

TEST(Seeds, AFailureIsShownWithFewerOperations) {
  const auto run = [](const RunOptions& options) {
    Report report;
    if (options.operations >= 30) report.violations = {"I1: gone"};
    return report;
  };
  EXPECT_EQ(shrink(5, 300, run), 40U);
}

}  // namespace
}  // namespace gavel::sim
