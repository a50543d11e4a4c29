// LoadRamp: a load in steps, one after the other (B14).
//
// Each step has a SKU of its own and is followed by verify; a step of outstanding requests is watched through
// the server's metrics. Blocks; one thread, and that of the metrics.
#pragma once

#include <cstdint>
#include <vector>

#include "app/load/load_step.h"
#include "app/server_addresses.h"
#include "base/result.h"

namespace gavel::app {

struct LoadRamp {
  LoadScenario scenario = LoadScenario::sale;
  std::vector<LoadStep> steps;  // At least one.
  std::uint64_t seed = 0;       // The same one gives the same users and choices.
};

// Called on the thread that runs the ramp.
class RampObserver {
 public:
  // 20 times a second; false breaks off.
  virtual bool on_progress(const LoadStep& step, const LoadProgress& progress) = 0;
  virtual void on_figure(const StepFigure& figure) = 0;

 protected:
  ~RampObserver() = default;
};

// Runs the first step for a second, to warm up, and then each. The error is that of the load (load_engine.h)
// or of the operators' listener, in one line; `invalid` too where the two addresses are not those of one
// server.
Result<std::vector<StepFigure>> run_ramp(const LoadRamp& ramp, const ServerAddresses& server,
                                         RampObserver& observer);

}  // namespace gavel::app
