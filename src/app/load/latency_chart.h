// Latency chart: latencies over the steps of a load ramp, both in doublings, as a whole SVG file that loads
// nothing.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/load/latency_histogram.h"

namespace gavel::app {

struct LatencyChart {
  enum class Mark : std::uint8_t { full, hollow };

  struct Column {
    std::int64_t step;                  // Its place along the axis; at least 1.
    const LatencyHistogram* latencies;  // Outlives the chart.
    Mark mark;
  };

  std::string title;
  std::string axis;  // What the steps count.
  std::vector<Column> columns;
  std::int64_t knee = 0;  // The step to be marked as that; 0: none.
};

std::string svg_of(const LatencyChart& chart);

}  // namespace gavel::app
