// LoadStep: one step of a load ramp, and what came of it. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "app/load/load_engine.h"
#include "app/load/metrics_poller.h"

namespace gavel::app {

// The kinds of day in a shop that `gavel bench` has; scenario_traffic.h makes their requests.
enum class LoadScenario : std::uint8_t { sale, burst, mixed };

struct LoadStep {
  LoadSchedule schedule;
  std::size_t connections = 1;

  bool is_by_rate() const { return std::holds_alternative<RateSchedule>(schedule); }
  const RateSchedule& rate() const;  // Of a step by rate.
  FineTime during() const;           // A step has an end of its own.
  std::int64_t outstanding() const { return static_cast<std::int64_t>(connections); }
};

struct StepFigure {
  LoadScenario scenario = LoadScenario::sale;
  LoadStep step;
  std::uint64_t seed = 0;
  LoadStatistics statistics;
  MetricsPoller::Maxima seen;  // By outstanding alone.
  std::int64_t orders = 0;     // That were made.
  std::string verify;          // "clean", or what is wrong: then the figure is none.
};

}  // namespace gavel::app
