// LatencyHistogram: latencies of any length within a hundredth, in fixed memory, in the manner of
// HdrHistogram.
//
// Microseconds below 256 are exact. Each doubling above is divided into 128 equal parts, so that a value is
// reported at most 0.8 % too long, never too short. Debian 12 has no library of this kind for C++. Value
// type.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock_fine.h"

namespace gavel::app {

class LatencyHistogram {
 public:
  void add(FineTime latency);  // Negative ones count as 0, those beyond 19 hours as that.
  void add(const LatencyHistogram& others);

  std::int64_t count() const { return count_; }
  // What `share` of all, from 0 to 1, do not exceed; 0 of none.
  double ms(double share) const;
  double longest_ms() const { return static_cast<double>(longest_us_) / 1000; }

 private:
  static constexpr int parts_log2 = 7;
  static constexpr std::int64_t us_max = (std::int64_t{1} << 36) - 1;
  static constexpr std::size_t cells = std::size_t{(36 - parts_log2) + 1} << parts_log2;

  static std::size_t cell_of(std::int64_t us);
  static std::int64_t longest_of(std::size_t cell);  // The longest of its latencies.

  std::array<std::int64_t, cells> counts_{};
  std::int64_t count_ = 0;
  std::int64_t longest_us_ = 0;
};

}  // namespace gavel::app
