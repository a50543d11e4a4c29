// gavel-sim: runs the service in a bottle, from seeds.
//
//   gavel-sim --seed 17                 one run, and its violations
//   gavel-sim --seed 17 --trace         the same with its story
//   gavel-sim --seeds 3000 --jobs 2     the seeds 1 to 3000
//   gavel-sim --seeds 100 --fresh       a hundred seeds that nobody ran before
//   gavel-sim --sweep --seeds 20 --operations 6      one fault at every call of twenty small scenarios
//
// The first line names the seeds, the last one counts: `n seeds, f faults fired, p of P rare states reached,
// v violations`. The exit code is 0 without violations, 4 with some, 2 for a wrong call.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>
#include <string>

#include <CLI/CLI.hpp>

#include "sim/seeds.h"
#include "sim/sweep.h"
#include "sim/world.h"

namespace {

using namespace gavel::sim;

constexpr int exit_violated = 4;
constexpr int exit_wrong_call = 2;
constexpr std::size_t shrunk_max = 5;  // Failing seeds that are tried with fewer operations.

struct Call {
  SeedRange range;
  std::uint64_t seed = 0;  // 0: a range.
  bool fresh = false;
  bool trace = false;
  bool all_reached = false;
  bool sweeps = false;
  std::string fault;  // "sql_conflict:17", "none"; empty: as drawn.
};

void print(std::string_view line) { std::printf("%.*s\n", static_cast<int>(line.size()), line.data()); }

std::string repeat(std::uint64_t seed, std::uint64_t operations) {
  return "gavel-sim --seed " + std::to_string(seed) + " --operations " + std::to_string(operations) +
         " --trace";
}

void print_sums(const Totals& totals) {
  print(std::to_string(totals.seeds) + " seeds, " + std::to_string(totals.faults_fired()) +
        " faults fired, " + std::to_string(totals.rares_reached()) + " of " + std::to_string(rares_count) +
        " rare states reached, " + std::to_string(totals.violations.size()) + " violations");
}

// "sql_conflict:17" or "none".
void plan(const std::string& fault, RunOptions& options) {
  options.planned = true;
  if (fault == "none") return;
  const std::size_t colon = fault.find(':');
  const auto kind = parse_fault(fault.substr(0, colon));
  if (!kind || colon == std::string::npos)
    throw CLI::ValidationError("--fault", "is like sql_conflict:17, or none");
  options.only = PlannedFault{*kind, std::stoull(fault.substr(colon + 1))};
}

int run_sweep(const Call& call) {
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  std::set<std::size_t> kinds;
  for (std::uint64_t seed = call.range.first; seed < call.range.first + call.range.count; ++seed) {
    const SweepTotals totals =
        sweep(seed, call.range.operations, [](const std::string& what, const std::string& repeat) {
          print(what);
          print("repeat: " + repeat);
        });
    runs += totals.struck;
    violations += totals.violations;
    for (std::size_t i = 0; i < faults_count; ++i) {
      if (totals.faults[i] > 0) kinds.insert(i);
    }
  }
  print(std::to_string(call.range.count) + " scenarios, " + std::to_string(runs) +
        " runs with one fault of " + std::to_string(kinds.size()) + " kinds, " + std::to_string(violations) +
        " violations");
  return violations == 0 ? 0 : exit_violated;
}

int run_one(const Call& call) {
  print("seed " + std::to_string(call.seed) + ", " + std::to_string(call.range.operations) + " operations");
  RunOptions options;
  options.seed = call.seed;
  options.operations = call.range.operations;
  if (!call.fault.empty()) plan(call.fault, options);
  if (call.trace) options.listener = print;
  const Report report = run_world(options);
  Totals totals;
  totals.seeds = 1;
  totals.faults = report.faults;
  totals.rares = report.rares;
  for (const std::string& what : report.violations) {
    totals.violations.push_back({call.seed, what});
    print("violation: " + what);
  }
  std::printf("%llu events, hash %016llx\n", static_cast<unsigned long long>(report.events),
              static_cast<unsigned long long>(report.hash));
  if (!report.violations.empty()) print("repeat: " + repeat(call.seed, call.range.operations));
  print("seed " + std::to_string(call.seed));
  print_sums(totals);
  return report.violations.empty() ? 0 : exit_violated;
}

int run_many(const Call& call) {
  const SeedRange& range = call.range;
  const std::string seeds =
      "seeds " + std::to_string(range.first) + " to " + std::to_string(range.first + range.count - 1);
  print(seeds + ", " + std::to_string(range.operations) + " operations each, " + std::to_string(range.twice) +
        " of them twice, in " + std::to_string(range.jobs) + " processes");
  Totals totals = run_seeds(range, run_world, [](const Violation& violation) {
    print("seed " + std::to_string(violation.seed) + ": " + violation.what);
    std::fflush(stdout);
  });
  std::set<std::uint64_t> failed;
  for (const Violation& violation : totals.violations) failed.insert(violation.seed);
  std::size_t shrunk = 0;
  for (const std::uint64_t seed : failed) {
    const bool shrinks = shrunk++ < shrunk_max;
    print("repeat: " + repeat(seed, shrinks ? shrink(seed, range.operations, run_world) : range.operations));
  }
  const auto unreached = totals.unreached();
  for (const std::string& name : unreached) print("never seen: " + name);
  if (call.all_reached) {
    for (const std::string& name : unreached) totals.violations.push_back({0, "never seen: " + name});
  }
  std::printf("%llu events, hash %016llx\n", static_cast<unsigned long long>(totals.events),
              static_cast<unsigned long long>(totals.hash));
  print(seeds);
  print_sums(totals);
  return totals.violations.empty() ? 0 : exit_violated;
}

int run(int count, char** arguments) {
  Call call;
  CLI::App app("Runs Gavel in simulated worlds, from seeds, and says whether what must hold held.");
  app.add_option("--seed", call.seed, "One seed")->check(CLI::PositiveNumber);
  app.add_option("--seeds", call.range.count, "So many seeds, from --first on")->check(CLI::PositiveNumber);
  app.add_option("--first", call.range.first, "The first of them")->check(CLI::PositiveNumber);
  app.add_flag("--fresh", call.fresh, "Begin where nobody did before");
  app.add_option("--operations", call.range.operations, "Operations of a run");
  app.add_option("--twice", call.range.twice, "So many seeds run twice and must go the same way");
  app.add_option("--jobs", call.range.jobs, "Processes side by side")->check(CLI::PositiveNumber);
  app.add_flag("--trace", call.trace, "Tell the story of the one seed");
  app.add_flag("--all-reached", call.all_reached, "A rare state or a fault that never was is a violation");
  app.add_flag("--sweep", call.sweeps, "Run each seed once for every call that one fault can strike");
  app.add_option("--fault", call.fault, "Of the one seed: this fault alone, like sql_conflict:17; or none");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& wrong) {
    const int code = app.exit(wrong);
    return code == 0 ? 0 : exit_wrong_call;
  }
  if (call.sweeps) return run_sweep(call);
  if (call.seed != 0) return run_one(call);
  if (call.fresh) call.range.first = gavel::Random::from_system().below(1'000'000'000'000) + 1;
  return run_many(call);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gavel-sim: %s\n", failure.what());
    return 1;
  }
}
