// Sweep: fail the n-th call. Small scenarios, each run once for every call that can suffer a fault, and every
// kind of fault that the call can suffer, with that one fault alone (proof.md).
//
// A scenario is a seed of few operations without the faults of its own. Blocks; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/world.h"

namespace gavel::sim {

struct SweepTotals {
  std::uint64_t runs = 0;
  std::uint64_t struck = 0;  // Runs in which the fault happened.
  std::uint64_t violations = 0;
  FaultCounts faults{};
};

// `say` is told each violation, with the call of gavel-sim that repeats it.
SweepTotals sweep(std::uint64_t seed, std::uint64_t operations,
                  const std::function<void(const std::string& violation, const std::string& repeat)>& say);

}  // namespace gavel::sim
