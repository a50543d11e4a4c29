// The search: every interleaving of a scenario, breadth first, so that a violation is a shortest one.
//
// Of a state that was seen only a fingerprint of 64 bits is kept, with the step that led to it; whole states
// are kept of the present depth and the next. Among 40 million states the chance that two share a fingerprint
// is below 1 in 10,000. The trace of a violation is found by taking its steps again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state.h"

namespace model {

struct Found {
  std::string wrong;               // Empty: no violation.
  std::vector<std::string> trace;  // One line per step, then the state after it.
  std::uint64_t states = 0;
  std::uint64_t steps = 0;
  int depth = 0;
  bool complete = true;  // False: cut at the scenario's limit.
};

Found search(const Scenario& scenario, std::uint64_t states_max);

}  // namespace model
