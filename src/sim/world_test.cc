// Worlds in small: the seeds of a CI run are run by gavel-sim; here, under sanitizers too, a few.
#include "sim/world.h"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sim/scenario.h"
#include "sim/seeds.h"
#include "sim/sweep.h"

namespace gavel::sim {
namespace {

RunOptions options(std::uint64_t seed, std::uint64_t operations, TraceLog::Listener listener = nullptr) {
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
      Row{127'868'332'026, 300, "a check under a key that was too old was answered by the gate"},
      Row{404'402'750'703, 300, "a failover brought back tokens of one who had gone over to mode direct"},
      Row{404'402'751'586, 300, "records that a round of the retention missed were not waited for"},
      Row{786'399'872'541, 80, "a commit took days, and its hold was taken for one long free"},
  };
  for (const Row& row : regressions) {
    for (const std::string& what : run_world(options(row.seed, row.operations)).violations) {
      ADD_FAILURE() << "seed " << row.seed << ", " << row.what << ": " << what;
    }
  }
}

// What a sweep complains of: everything, or nothing.
std::string complaints(const RunOptions& clean, std::uint64_t calls_max, const RunSeed& run,
                       SweepTotals& totals) {
  std::string text;
  totals = sweep(clean, calls_max, 2, run, [&](const std::string& what, const std::string& repeat) {
    text += what + "\n" + repeat + "\n";
  });
  return text;
}

RunOptions options(std::string_view scenario, Form form) {
  RunOptions chosen;
  chosen.scenario = find_scenario(scenario);
  chosen.form = form;
  chosen.planned = true;
  return chosen;
}

TEST(Sweep, OneFaultAtEveryCallChangesNothingThatMustHold) {
  SweepTotals totals;
  EXPECT_EQ(complaints(options(3, 3), 0, run_world, totals), "");
  EXPECT_GT(totals.struck, 100U);
  EXPECT_EQ(totals.struck, totals.planned);
}

// gavel-sim sweeps all of them (tools/test, sim); here, under sanitizers too, the first call of each kind in
// the small ones.
TEST(Sweep, EveryScenarioOfTheMatrixHoldsUnderOneFault_C17) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.callers() > 20) continue;
    for (const Form form : {Form::server, Form::disk}) {
      SweepTotals totals;
      EXPECT_EQ(complaints(options(scenario.name, form), 1, run_world, totals), "") << scenario.name;
      EXPECT_GT(totals.struck, 10U) << scenario.name;
      EXPECT_EQ(totals.struck, totals.planned) << scenario.name;
    }
  }
}

TEST(Sweep, TheScenariosAreTheRowsOfTheMatrix_C17) {
  std::string text;
  for (const Scenario& scenario : scenarios()) {
    text += std::string(scenario.row) + ": " + std::to_string(scenario.callers()) + " callers, stock " +
            std::to_string(scenario.stock) + "\n";
  }
  EXPECT_EQ(text,
            "stock 1 against 10 concurrent: 10 callers, stock 1\n"
            "stock 1 against 100 concurrent: 100 callers, stock 1\n"
            "stock 1 against 1000 concurrent: 1000 callers, stock 1\n"
            "stock 100 with quantity 1: 120 callers, stock 100\n"
            "stock 100 with quantity 10: 15 callers, stock 100\n"
            "stock 100 with quantity 101: 10 callers, stock 100\n"
            "stock 100 with quantities 1, 10, 101: 43 callers, stock 100\n"
            "one id 2 times: 2 callers, stock 5\n"
            "one id 5 times: 5 callers, stock 5\n"
            "one id 20 times: 20 callers, stock 5\n"
            "commit done but answer lost: 4 callers, stock 2\n"
            "cancel racing payment: 5 callers, stock 1\n"
            "restart right after the gate took: 4 callers, stock 2\n"
            "ledger written but later step failed: 4 callers, stock 2\n");
}

TEST(Sweep, AFaultThatDoesNotStrikeAWrongEndAndADeadProcessAreToldWithTheCallThatRepeatsThem) {
  const auto run = [](const RunOptions& asked) {
    Report report;
    report.opportunities[static_cast<std::size_t>(Fault::sql_conflict)] = 10;
    if (asked.only.empty()) return report;
    const std::uint64_t nth = asked.only[0].nth;
    if (nth == 4) std::abort();
    if (nth != 1) report.faults[static_cast<std::size_t>(Fault::sql_conflict)] = 1;
    if (nth == 7) report.violations = {"I1: gone"};
    return report;
  };
  SweepTotals totals;
  const std::string title = "scenario one_id_2_times on disk, store, sql_conflict at call ";
  const std::string repeat = "gavel-sim --scenario one_id_2_times --on-disk --fault sql_conflict:";
  const std::string text = complaints(options("one_id_2_times", Form::disk), 4, run, totals);
  for (const auto& [nth, what] :
       {std::pair(1, "sweep: the fault did not strike"),
        std::pair(4, "crash: the process died by signal 6, and said why above"), std::pair(7, "I1: gone")}) {
    const std::string number = std::to_string(nth);
    EXPECT_NE(text.find(title + number + ": " + what + "\n" + repeat + number + " --trace\n"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(totals.violations, 3U);
  EXPECT_EQ(totals.planned, 4U);
  EXPECT_EQ(totals.struck, 3U);
}

TEST(Sweep, ASweepThatFindsNoCallToFailSaysSo) {
  SweepTotals totals;
  EXPECT_EQ(
      complaints(
          options("one_id_2_times", Form::server), 0, [](const RunOptions&) { return Report(); }, totals),
      "scenario one_id_2_times on a server: sweep: no call can suffer anything\n"
      "gavel-sim --scenario one_id_2_times --fault none --trace\n");
}

TEST(Sweep, APlannedFaultStrikesOnceAtItsCallAndNowhereElse) {
  RunOptions planned = options(3, 20);
  planned.planned = true;
  const Report clean = run_world(planned);
  EXPECT_EQ(clean.faults, FaultCounts{});
  const auto kind = static_cast<std::size_t>(Fault::sql_conflict);
  ASSERT_GE(clean.opportunities[kind], 10U);
  planned.only = {PlannedFault{Fault::sql_conflict, 10}};
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
