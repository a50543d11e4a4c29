// SkewedClock: the clock of one machine of a simulated world. An instance's is wrong by minutes and jumps,
// and nobody ever sets it right, for no promise rests on it; the database's own is right. One thread.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "sim/scheduler.h"

namespace gavel::sim {

// When every simulated world begins.
inline constexpr Time world_begins{std::chrono::milliseconds(1'800'000'000'000)};

class SkewedClock final : public Clock {
 public:
  SkewedClock(const Scheduler& scheduler, Duration skew) : scheduler_(scheduler), skew_(skew) {}

  Time now() const override { return world_begins + steady() + skew_; }
  Duration steady() const override { return std::chrono::floor<Duration>(scheduler_.now()); }

  void jump(Duration by) { skew_ += by; }

 private:
  const Scheduler& scheduler_;
  Duration skew_;
};

}  // namespace gavel::sim
