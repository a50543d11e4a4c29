// Bench picture: latencies over the rungs of `gavel bench`, both in doublings, as a whole SVG file that loads
// nothing.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/load/latency_histogram.h"

namespace gavel::app {

struct Picture {
  enum class Mark : std::uint8_t { full, hollow };

  struct Column {
    std::int64_t rung;           // Its place along the axis; at least 1.
    const Histogram* latencies;  // Outlives the picture.
    Mark mark;
  };

  std::string title;
  std::string along;  // What the rungs count.
  std::vector<Column> columns;
  std::int64_t knee = 0;  // The rung to be marked as that; 0: none.
};

std::string svg_of(const Picture& picture);

}  // namespace gavel::app
