// gavel-sim: runs the service in a bottle, from seeds.
//
//   gavel-sim --seed 17                 one run, and its violations
//   gavel-sim --seed 17 --trace         the same with its story
//   gavel-sim --seeds 3000 --jobs 2     the seeds 1 to 3000
//   gavel-sim --seeds 100 --fresh       a hundred seeds that nobody ran before
//   gavel-sim --sweep --seeds 20 --operations 6      one fault at every call of twenty small worlds
//   gavel-sim --sweep --scenario all                 and of the scenarios of C17
//   gavel-sim --scenario one_id_5_times --fault sql_conflict:17 --trace      one of these runs, with its
//   story
//
// The first line names the seeds, the last one counts: `n seeds, f faults fired, p of P rare states reached,
// v violations`. The exit code is 0 without violations, 4 with some, 2 for a wrong call.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "sim/scenario.h"
#include "sim/seeds.h"
#include "sim/sweep.h"
#include "sim/world.h"

namespace {

using namespace gavel::sim;

constexpr int exit_violated = 4;
constexpr int exit_wrong_call = 2;
constexpr const char* every_scenario = "all";
constexpr std::size_t shrunk_max = 5;  // Failing seeds that are tried with fewer operations.

struct Call {
  SeedRange range;
  std::uint64_t seed = 0;  // 0: a range.
  bool fresh = false;
  bool trace = false;
  bool all_reached = false;
  bool sweeps = false;
  std::string scenario;             // Its name, or every_scenario; empty: what the seed draws.
  bool on_disk = false;             // The scenario.
  std::vector<std::string> faults;  // "sql_conflict:17", "none"; empty: as drawn.
};

std::vector<std::string> scenario_names() {
  std::vector<std::string> names{every_scenario};
  for (const Scenario& scenario : scenarios()) names.emplace_back(scenario.name);
  return names;
}

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
void plan(const std::vector<std::string>& faults, RunOptions& options) {
  options.planned = true;
  for (const std::string& fault : faults) {
    if (fault == "none") continue;
    const std::size_t colon = fault.find(':');
    const auto kind = parse_fault(fault.substr(0, colon));
    if (!kind || colon == std::string::npos)
      throw CLI::ValidationError("--fault", "is like sql_conflict:17, or none");
    options.only.push_back(PlannedFault{*kind, std::stoull(fault.substr(colon + 1))});
  }
}

// The clean worlds of a sweep, and how many calls of a kind are tried in each.
std::vector<std::pair<RunOptions, std::uint64_t>> worlds_of(const Call& call) {
  std::vector<std::pair<RunOptions, std::uint64_t>> worlds;
  RunOptions options;
  options.operations = call.range.operations;
  if (call.scenario.empty()) {
    for (std::uint64_t i = 0; i < call.range.count; ++i) {
      options.seed = call.range.first + i;
      worlds.emplace_back(options, 0);
    }
    return worlds;
  }
  for (const Scenario& scenario : scenarios()) {
    if (call.scenario != every_scenario && call.scenario != scenario.name) continue;
    options.scenario = &scenario;
    for (const Form form : {Form::server, Form::disk}) {
      options.form = form;
      worlds.emplace_back(options, scenario.calls_max);
    }
  }
  return worlds;
}

int run_sweep(const Call& call) {
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  std::set<std::size_t> kinds;
  const auto worlds = worlds_of(call);
  for (const auto& [options, calls_max] : worlds) {
    const SweepTotals totals = sweep(options, calls_max, call.range.jobs, run_world,
                                     [](const std::string& what, const std::string& repeat) {
                                       print(what);
                                       print("repeat: " + repeat);
                                     });
    if (options.scenario != nullptr) {
      print(std::string(options.scenario->name) + " " + std::string(word(options.form)) + " (" +
            std::string(options.scenario->row) + "): " + std::to_string(totals.struck) + " of " +
            std::to_string(totals.planned) + " faults struck" +
            (calls_max == 0 ? ", at every call"
                            : ", at most " + std::to_string(calls_max) + " calls of a kind"));
    }
    runs += totals.struck;
    violations += totals.violations;
    for (std::size_t i = 0; i < faults_count; ++i) {
      if (totals.faults[i] > 0) kinds.insert(i);
    }
  }
  print(std::to_string(worlds.size()) + " scenarios, " + std::to_string(runs) + " runs with one fault of " +
        std::to_string(kinds.size()) + " kinds, " + std::to_string(violations) + " violations");
  return violations == 0 ? 0 : exit_violated;
}

int run_one(const Call& call) {
  RunOptions options;
  options.seed = std::max<std::uint64_t>(call.seed, 1);
  options.operations = call.range.operations;
  if (!call.scenario.empty()) options.scenario = find_scenario(call.scenario);
  options.form = call.on_disk ? Form::disk : Form::server;
  if (!call.faults.empty()) plan(call.faults, options);
  options.planned = options.planned || options.scenario != nullptr;
  const std::string name =
      options.scenario == nullptr
          ? "seed " + std::to_string(options.seed) + ", " + std::to_string(options.operations) + " operations"
          : "scenario " + call.scenario + " " + std::string(word(options.form));
  print(name);
  if (call.trace) options.listener = print;
  const Report report = run_world(options);
  Totals totals;
  totals.seeds = 1;
  totals.faults = report.faults;
  totals.rares = report.rares;
  for (const std::string& what : report.violations) {
    totals.violations.push_back({options.seed, what});
    print("violation: " + what);
  }
  std::printf("%llu events, hash %016llx\n", static_cast<unsigned long long>(report.events),
              static_cast<unsigned long long>(report.hash));
  if (!report.violations.empty())
    print("repeat: " + (options.planned ? repeat_of(options) : repeat(options.seed, options.operations)));
  print(name);
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

int wrong(const char* why) {
  std::fprintf(stderr, "gavel-sim: %s\n", why);
  return exit_wrong_call;
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
  app.add_option("--scenario", call.scenario,
                 "Instead of what a seed draws: this one of C17; all, with --sweep")
      ->check(CLI::IsMember(scenario_names()));
  app.add_flag("--on-disk", call.on_disk, "The scenario with SQLite in the process of its one instance");
  app.add_option("--fault", call.faults,
                 "Of one run: this fault alone, like sql_conflict:17, several if repeated; or none");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& wrong) {
    const int code = app.exit(wrong);
    return code == 0 ? 0 : exit_wrong_call;
  }
  if (call.sweeps) return run_sweep(call);
  if (call.scenario == every_scenario) return wrong("--scenario all is for --sweep");
  if (call.seed != 0 || !call.scenario.empty()) return run_one(call);
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
