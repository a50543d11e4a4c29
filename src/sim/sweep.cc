#include "sim/sweep.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gavel::sim {
namespace {

constexpr std::string_view did_not_strike = "sweep: the fault did not strike";

std::string text_of(const PlannedFault& fault) {
  return std::string(word(fault.fault)) + ":" + std::to_string(fault.nth);
}

std::string name_of(const RunOptions& options) {
  if (options.scenario == nullptr) return "seed " + std::to_string(options.seed);
  return "scenario " + std::string(options.scenario->name) + " " + std::string(word(options.form));
}

// "scenario one_id_2_times on disk, store, sql_conflict at call 17: "
std::string title_of(const RunOptions& options) {
  std::string title = name_of(options);
  for (const PlannedFault& fault : options.only) {
    title += ", " + std::string(seam(fault.fault)) + ", " + std::string(word(fault.fault)) + " at call " +
             std::to_string(fault.nth);
  }
  return title + ": ";
}

// Evenly spread from the first to the last of `count`.
std::vector<std::uint64_t> calls_of(std::uint64_t count, std::uint64_t calls_max) {
  std::vector<std::uint64_t> calls;
  const std::uint64_t chosen = calls_max == 0 ? count : std::min(count, calls_max);
  for (std::uint64_t i = 0; i < chosen; ++i) {
    calls.push_back(1 + (chosen == 1 ? 0 : i * (count - 1) / (chosen - 1)));
  }
  return calls;
}

std::vector<PlannedFault> always_in(const RunOptions& options) {
  return options.scenario == nullptr ? std::vector<PlannedFault>()
                                     : options.scenario->always_on(options.form);
}

// Whether each of them happened, beside what the world always has.
bool have_struck(const FaultCounts& fired, const std::vector<PlannedFault>& planned,
                 const std::vector<PlannedFault>& always) {
  return std::ranges::all_of(planned, [&](const PlannedFault& fault) {
    const auto expected = std::ranges::count(planned, fault.fault, &PlannedFault::fault) +
                          std::ranges::count(always, fault.fault, &PlannedFault::fault);
    return fired[static_cast<std::size_t>(fault.fault)] == static_cast<std::uint64_t>(expected);
  });
}

// What the clean run could suffer, one fault each.
std::vector<RunOptions> runs_of(const RunOptions& clean, const FaultCounts& opportunities,
                                std::uint64_t calls_max) {
  std::vector<RunOptions> runs;
  const std::vector<PlannedFault> always = always_in(clean);
  for (std::size_t kind = 0; kind < faults_count; ++kind) {
    for (const std::uint64_t nth : calls_of(opportunities[kind], calls_max)) {
      const PlannedFault fault{static_cast<Fault>(kind), nth};
      if (std::ranges::find(always, fault) != always.end()) continue;
      runs.push_back(clean);
      runs.back().only = {fault};
    }
  }
  return runs;
}

}  // namespace

std::string repeat_of(const RunOptions& options) {
  std::string line = "gavel-sim ";
  if (options.scenario != nullptr) {
    line += "--scenario " + std::string(options.scenario->name) + " ";
    if (options.form == Form::disk) line += "--on-disk ";
  } else {
    line += "--seed " + std::to_string(options.seed) + " --operations " + std::to_string(options.operations) +
            " ";
  }
  if (options.only.empty()) return line + "--fault none --trace";
  for (const PlannedFault& fault : options.only) line += "--fault " + text_of(fault) + " ";
  return line + "--trace";
}

// Each run is one of run_seeds(), by its number: so a run that ends its process is heard of as any other.
SweepTotals sweep(const RunOptions& world, std::uint64_t calls_max, unsigned jobs, const RunSeed& run,
                  const std::function<void(const std::string&, const std::string&)>& say) {
  SweepTotals totals;
  RunOptions clean = world;
  clean.planned = true;
  clean.only.clear();
  const Report first = run(clean);
  const auto complain = [&](const RunOptions& options, const std::string& what) {
    ++totals.violations;
    say(title_of(options) + what, repeat_of(options));
  };
  for (const std::string& what : first.violations) complain(clean, what);
  if (!have_struck(first.faults, always_in(clean), {})) {
    complain(clean, "sweep: a fault that the scenario always has did not strike");
  }
  const std::vector<RunOptions> runs = runs_of(clean, first.opportunities, calls_max);
  if (runs.empty()) {
    complain(clean, "sweep: no call can suffer anything");
    return totals;
  }
  const auto run_planned = [&](const RunOptions& number) {
    const RunOptions& options = runs[number.seed - 1];
    Report report = run(options);
    if (!have_struck(report.faults, options.only, always_in(options)))
      report.violations.emplace_back(did_not_strike);
    return report;
  };
  std::uint64_t missed = 0;
  const Totals ran = run_seeds({.first = 1, .count = runs.size(), .jobs = jobs}, run_planned,
                               [&](const Violation& violation) {
                                 missed += violation.what == did_not_strike ? 1U : 0U;
                                 complain(runs[violation.seed - 1], violation.what);
                               });
  totals.planned = runs.size();
  totals.struck = ran.seeds - missed;
  totals.faults = ran.faults;
  return totals;
}

}  // namespace gavel::sim
