// Ladder: the rungs of outstanding requests of `gavel bench`, one after the other (B14).
//
// Each rung has a SKU of its own, is watched through the server's metrics, and is followed by verify; its row
// is printed when it is done. Blocks; one thread, and the watch's.
#pragma once

#include <cstdint>
#include <vector>

#include "app/cli/subcommand.h"
#include "app/interrupt.h"
#include "app/load/ramp_figure.h"
#include "app/load/scenario_traffic.h"
#include "app/load/step_stock.h"
#include "base/clock_fine.h"
#include "base/result.h"

namespace gavel::app {

struct LadderPlan {
  Scenario scenario = Scenario::sale;
  std::vector<std::size_t> outstanding;  // A rung each; at least one.
  FineTime during{0};                    // Of each.
  std::uint64_t seed = 0;
};

// After a warm-up on the first rung. The error is that of the load or of the operators' listener, in one
// line; `unknown` if `interrupt` was raised.
Result<std::vector<LadderFigure>> climb(const LadderPlan& plan, const BenchTarget& target, Speech speech,
                                        const Interrupt& interrupt);

}  // namespace gavel::app
