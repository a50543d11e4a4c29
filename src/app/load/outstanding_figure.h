// Outstanding figure: what a step of outstanding requests came to, and what the steps say together (B14).
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/load/load_step.h"

namespace gavel::app {

// Of the step's time alone: what is waited for after it is no throughput.
double responses_in_time_per_second(const StepFigure& figure);

// {"bench":"sale","outstanding":1000,…,"verify":"clean"}
std::string outstanding_json(const StepFigure& figure);

// A head, and a row below it.
std::string outstanding_head();
std::string outstanding_row(const StepFigure& figure);

struct Knee {
  std::int64_t outstanding;  // The step after which the throughput grows by less than a tenth.
  double peak_per_second;    // The most responses a second of all steps.
  double beyond_of_peak;     // The least of the steps above the knee, as a share of the peak.
};

// Of the steps by their height; nothing if each of them answered at least a tenth more than the one below it.
std::optional<Knee> knee_of(std::span<const StepFigure> figures);

// The last line of a ramp: {"bench":"sale","knee":1000,…}, "knee":null where there is none.
std::string knee_json(LoadScenario scenario, const std::optional<Knee>& knee);
std::string knee_sentence(const std::optional<Knee>& knee);

// Latencies over the requests outstanding, with the knee, as a whole SVG file that loads nothing. Steps that
// left somebody without a response are hollow.
std::string outstanding_chart(std::span<const StepFigure> figures);

}  // namespace gavel::app
