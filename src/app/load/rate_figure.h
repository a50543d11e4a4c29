// Rate figure: what a step by rate came to, as a line of JSON, a row of a table, or a chart.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/load/load_step.h"

namespace gavel::app {

// Every request was sent and answered, at the rate of the schedule but for a twentieth.
bool kept_up(const StepFigure& figure);

// {"bench":"sale","rate":1000,…,"verify":"clean"}
std::string rate_json(const StepFigure& figure);

// A head, and a row below it.
std::string rate_head();
std::string rate_row(const StepFigure& figure);

// Latencies over the rate of the schedule, both in doublings, as a whole SVG file that loads nothing. Steps
// that did not keep up are hollow: their latencies are those of the requests that got through.
std::string rate_chart(std::span<const StepFigure> figures);

// The highest rate that was kept up with below which every step kept up; 0 if none did.
std::int64_t highest_rate_kept_up(std::span<const StepFigure> figures);

}  // namespace gavel::app
