// World: one run of the service in a simulated world, from its seed.
//
//   set up ──► safety: anything goes ──► heal: nothing goes wrong any more ──► converge ──► verdict
//
// In the safety phase faults strike while callers ask. After that every caller insists on an answer, and all
// answers must come within bounds. Holds run out and are released. Then new users buy whatever is left (U2),
// and a second look finds nothing changed. At the end the oracles check the whole history and the database.
// The same options give the same run. One thread; several worlds side by side share nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/faults.h"
#include "sim/rare.h"
#include "sim/scenario.h"
#include "sim/trace_log.h"

namespace gavel::sim {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t operations = 300;
  TraceLog::Listener listener = nullptr;  // Receives the trace, line by line.
  bool planned = false;                   // Whether `only` replaces the faults that are drawn.
  std::vector<PlannedFault> only = {};
  // Replaces the world and the operations that are drawn; it brings the faults that are always in it.
  const Scenario* scenario = nullptr;
  Form form = Form::server;
};

struct Report {
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;  // Of everything that happened: equal for equal runs.
  std::uint64_t events = 0;
  FaultCounts faults{};
  FaultCounts opportunities{};  // How often each could have struck.
  RareCounts rares{};
  std::vector<std::string>
      violations;  // What was wrong, one line each, with the name of the oracle in front.
};

Report run_world(const RunOptions& options);

}  // namespace gavel::sim
