#include "sim/sweep.h"

namespace gavel::sim {
namespace {

std::string repeat_of(const RunOptions& options) {
  std::string line = "gavel-sim --seed " + std::to_string(options.seed) + " --operations " +
                     std::to_string(options.operations) + " --fault ";
  if (!options.only) return line + "none --trace";
  return line + std::string(word(options.only->fault)) + ":" + std::to_string(options.only->nth) + " --trace";
}

}  // namespace

SweepTotals sweep(std::uint64_t seed, std::uint64_t operations,
                  const std::function<void(const std::string&, const std::string&)>& say) {
  SweepTotals totals;
  RunOptions options;
  options.seed = seed;
  options.operations = operations;
  options.planned = true;
  const auto run = [&] {
    const Report report = run_world(options);
    ++totals.runs;
    for (const std::string& what : report.violations) say(what, repeat_of(options));
    totals.violations += report.violations.size();
    bool struck = false;
    for (std::size_t i = 0; i < faults_count; ++i) {
      totals.faults[i] += report.faults[i];
      struck = struck || report.faults[i] > 0;
    }
    totals.struck += struck ? 1U : 0U;
    return report;
  };
  const FaultCounts opportunities = run().opportunities;
  for (std::size_t kind = 0; kind < faults_count; ++kind) {
    for (std::uint64_t nth = 1; nth <= opportunities[kind]; ++nth) {
      options.only = PlannedFault{static_cast<Fault>(kind), nth};
      run();
    }
  }
  return totals;
}

}  // namespace gavel::sim
