// Seeds: many runs in processes of their own, and their sum.
//
// A run that ends its process (a CHECK, a sanitizer, an endless loop) is a violation like any other and does
// not affect the other runs. Each worker runs every n-th seed and reports over a pipe. Blocks; starts
// processes, so no thread may run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/world.h"

namespace gavel::sim {

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t count = 1;
  std::uint64_t operations = 300;
  std::uint64_t twice = 0;  // This many of them run a second time, and must have the same hash.
  unsigned jobs = 1;
};

struct Violation {
  std::uint64_t seed = 0;
  std::string what;
};

struct Totals {
  std::uint64_t seeds = 0;  // Seeds whose run ended.
  std::uint64_t events = 0;
  FaultCounts faults{};
  RareCounts rares{};
  std::vector<Violation> violations;  // By seed.
  std::uint64_t hash = 0;             // Of all runs together.

  std::uint64_t faults_fired() const;
  std::uint64_t rares_reached() const;
  std::vector<std::string> unreached() const;  // Names of rare states, and of faults.
};

using RunSeed = std::function<Report(const RunOptions&)>;

// `say` is called with each violation as it arrives.
Totals run_seeds(const SeedRange& range, const RunSeed& run,
                 const std::function<void(const Violation&)>& say);

// The smallest number of operations, of a few that are tried, with which the seed still fails.
std::uint64_t shrink(std::uint64_t seed, std::uint64_t operations, const RunSeed& run);

}  // namespace gavel::sim
