// Sweep: fails the n-th call. A small world runs once for every call that can suffer a fault and every kind
// of fault that the call can suffer, with that one fault beside those that the world always has (proof.md).
//
//   run clean, count the calls of each part ─► for each kind and n: run with that call failing ─► oracles
//
// The worlds are the scenarios of C17 by their names, and seeds of few operations without faults of their
// own. Blocks; starts processes, so no thread may run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/seeds.h"
#include "sim/world.h"

namespace gavel::sim {

struct SweepTotals {
  std::uint64_t planned = 0;  // Runs with one fault of the sweep's own.
  std::uint64_t struck = 0;   // Those in which it happened.
  std::uint64_t violations = 0;
  FaultCounts faults{};
};

// `world` is one without that fault. Of each kind `calls_max` calls are tried, evenly spread, the first
// and the last among them; 0 means all. `say` is called with each violation, which begins with world, part,
// kind and call, and the call of gavel-sim that repeats it. A fault that did not strike where it was planned
// is a violation.
SweepTotals sweep(const RunOptions& world, std::uint64_t calls_max, unsigned jobs, const RunSeed& run,
                  const std::function<void(const std::string& violation, const std::string& repeat)>& say);

// "gavel-sim --scenario one_id_2_times --on-disk --fault sql_conflict:17 --trace"
std::string repeat_of(const RunOptions& options);

}  // namespace gavel::sim
