#include "app/load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace gavel::app {

void LatencyHistogram::add(FineTime latency) {
  const std::int64_t us = std::clamp<std::int64_t>(latency.count() / 1000, 0, us_max);
  ++counts_[cell_of(us)];
  ++count_;
  longest_us_ = std::max(longest_us_, us);
}

void LatencyHistogram::add(const LatencyHistogram& others) {
  for (std::size_t cell = 0; cell < cells; ++cell) counts_[cell] += others.counts_[cell];
  count_ += others.count_;
  longest_us_ = std::max(longest_us_, others.longest_us_);
}

double LatencyHistogram::ms(double share) const {
  CHECK(share >= 0 && share <= 1);
  const auto rank = std::max<std::int64_t>(1, std::llround(std::ceil(share * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    seen += counts_[cell];
    if (seen >= rank) return static_cast<double>(std::min(longest_of(cell), longest_us_)) / 1000;
  }
  return 0;
}

// The first two doublings have cells of one microsecond; from then on a cell is twice as wide each time.
std::size_t LatencyHistogram::cell_of(std::int64_t us) {
  const auto value = static_cast<std::uint64_t>(us);
  const int wide = std::max(0, static_cast<int>(std::bit_width(value)) - (parts_log2 + 1));
  return (static_cast<std::size_t>(wide) << parts_log2) + static_cast<std::size_t>(value >> wide);
}

std::int64_t LatencyHistogram::longest_of(std::size_t cell) {
  const std::size_t whole = cell >> parts_log2;
  CHECK(cell < cells);
  const std::size_t wide = whole <= 1 ? 0 : whole - 1;
  const std::size_t part = cell - (wide << parts_log2);
  return static_cast<std::int64_t>(((part + 1) << wide) - 1);
}

}  // namespace gavel::app
