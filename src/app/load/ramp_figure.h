// Ladder figure: what one rung of outstanding requests came to, and what the rungs say together (B14).
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/load/closed_loop.h"
#include "app/load/metrics_poller.h"
#include "app/load/scenario_traffic.h"

namespace gavel::app {

struct LadderFigure {
  Scenario scenario = Scenario::sale;
  Crowd crowd;
  std::uint64_t seed = 0;
  CrowdMeasured measured;
  ServerWatch::Seen seen;
  std::string verify;  // "clean", or what is wrong: then the figure is none.

  // Of the rung's time alone: what came after it waited for is no throughput.
  double answers_per_second() const;
  double orders_per_second() const;
};

// {"bench":"sale","outstanding":1000,…,"verify":"clean"}
std::string json_of(const LadderFigure& figure);

// A head, and a row below it.
std::string ladder_head();
std::string row_of(const LadderFigure& figure);

struct Knee {
  std::int64_t outstanding;  // The rung after which the throughput grows by less than a tenth.
  double peak_per_second;    // The most answers a second of all rungs.
  double beyond_of_peak;     // The least of the rungs above the knee, as a share of the peak.
};

// Of the rungs by their height; nothing if each of them answered at least a tenth more than the one below it.
std::optional<Knee> knee_of(std::span<const LadderFigure> figures);

// The last line of a ladder: {"bench":"sale","knee":1000,…}, "knee":null where there is none.
std::string json_of(Scenario scenario, const std::optional<Knee>& knee);
std::string sentence_of(const std::optional<Knee>& knee);

// Latencies over the requests outstanding, with the knee. Rungs that left somebody without an answer are
// hollow.
std::string svg_of(std::span<const LadderFigure> figures);

}  // namespace gavel::app
