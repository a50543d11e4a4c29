// gavel-sim-bugs: whether the simulator finds the bugs that were put there for it.
//
//   gavel-sim-bugs                     every bug of the catalogue, and none
//   gavel-sim-bugs --bug claims_kept   one of them, with what was found
//
// Each bug runs through the seeds 1, 2, 3, … until an oracle finds something. A line for each says which one,
// and after how many seeds; the last line is `k of n seeded bugs caught`. Without a bug nothing may be found.
// Exit code: 0 all caught, 2 a wrong call, 4 some not.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "sim/bugs/bug_list.h"
#include "sim/bugs/seeded_bug.h"
#include "sim/seeds.h"
#include "sim/world.h"

namespace {

using namespace gavel::sim;

constexpr int exit_not_caught = 4;
constexpr int exit_wrong_call = 2;
constexpr std::uint64_t seeds_at_once_min = 4;  // More each time, so that an easy bug costs little.
constexpr Bug no_bug{0, "none", "", "nothing"};

struct Call {
  std::string name;  // Empty: all.
  std::uint64_t seeds_max = 1500;
  std::uint64_t sound_seeds = 200;  // Without a bug.
  std::uint64_t operations = 300;
  unsigned jobs = 2;
};

// The violation with the smallest seed among the first `most`, if there is one.
std::optional<Violation> run_with(const Bug& bug, const Call& call, std::uint64_t most) {
  choose_bug(bug.number);  // The processes that run the seeds are forked from this one.
  std::uint64_t first = 1;
  for (std::uint64_t count = seeds_at_once_min; first <= most; first += count, count *= 2) {
    SeedRange range;
    range.first = first;
    range.count = std::min(count, most + 1 - first);
    range.operations = call.operations;
    range.jobs = call.jobs;
    const Totals totals = run_seeds(range, run_world, [](const Violation&) {});
    if (!totals.violations.empty()) return totals.violations.front();
  }
  return std::nullopt;
}

std::string oracle_of(const Violation& violation) {
  return violation.what.substr(0, violation.what.find(':'));
}

bool try_bug(const Bug& bug, const Call& call) {
  const auto caught = run_with(bug, call, call.seeds_max);
  if (caught) {
    std::printf("%3d %-34s caught by %-22s after %4llu seeds\n", bug.number, std::string(bug.name).c_str(),
                oracle_of(*caught).c_str(), static_cast<unsigned long long>(caught->seed));
  } else {
    std::printf("%3d %-34s NOT caught within %llu seeds; meant for %s\n", bug.number,
                std::string(bug.name).c_str(), static_cast<unsigned long long>(call.seeds_max),
                std::string(bug.oracle).c_str());
  }
  if (caught && !call.name.empty())
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(caught->seed), caught->what.c_str());
  std::fflush(stdout);
  return caught.has_value();
}

int run(const Call& call) {
  int tried = 0;
  int caught = 0;
  for (const Bug& bug : all_bugs()) {
    if (!call.name.empty() && bug.name != call.name) continue;
    ++tried;
    if (try_bug(bug, call)) ++caught;
  }
  bool sound = true;
  if (call.name.empty()) {
    const auto found = run_with(no_bug, call, call.sound_seeds);
    sound = !found;
    if (found)
      std::printf("without a bug, seed %llu: %s\n", static_cast<unsigned long long>(found->seed),
                  found->what.c_str());
  }
  std::printf("%d of %d seeded bugs caught\n", caught, tried);
  return caught == tried && tried > 0 && sound ? 0 : exit_not_caught;
}

}  // namespace

int main(int count, char** arguments) {
  Call call;
  CLI::App app("Puts one bug after the other into the service, and says which oracle finds it.");
  app.add_option("--bug", call.name, "One of the catalogue, by its name");
  app.add_option("--seeds", call.seeds_max, "Seeds that a bug is looked for in")->check(CLI::PositiveNumber);
  app.add_option("--operations", call.operations, "Operations of a run");
  app.add_option("--jobs", call.jobs, "Processes side by side")->check(CLI::PositiveNumber);
  try {
    app.parse(count, arguments);
    return run(call);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : exit_wrong_call;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gavel-sim-bugs: %s\n", failure.what());
    return 1;
  }
}
