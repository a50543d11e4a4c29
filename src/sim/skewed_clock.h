// SkewedClock: the clock of one machine of a simulated world. Its wall clock may be wrong by any time and
// jumps; what passes on its steady clock is true, until the machine starts again. One thread.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "sim/scheduler.h"

namespace gavel::sim {

// When every simulated world begins.
inline constexpr Time world_begins{std::chrono::milliseconds(1'800'000'000'000)};

// What a clock that is right shows.
inline Time true_time(const Scheduler& scheduler) {
  return world_begins + std::chrono::floor<Duration>(scheduler.now());
}

class SkewedClock final : public Clock {
 public:
  SkewedClock(const Scheduler& scheduler, Duration skew) : scheduler_(scheduler), skew_(skew) {}

  Time now() const override { return true_time(scheduler_) + skew_; }
  Duration steady() const override { return true_time(scheduler_) - started_; }
  std::string boot() const override { return std::to_string(boots_); }

  void jump(Duration by) { skew_ += by; }
  // Sets a clock that is right wrong by this much, and one that is wrong right.
  void go_wrong_or_right(Duration by) {
    if (!starting_) skew_ = skew_ == Duration(0) ? by : Duration(0);
  }
  // The machine starts again, and its wall clock is set right. Until a time of this start is kept nothing
  // else knows how long the machine was off, so that the clock stays right.
  void reboot() {
    ++boots_;
    started_ = true_time(scheduler_);
    skew_ = Duration(0);
    starting_ = true;
  }
  void time_is_kept() { starting_ = false; }

 private:
  const Scheduler& scheduler_;
  Duration skew_;
  Time started_ = world_begins;
  int boots_ = 1;
  bool starting_ = false;
};

}  // namespace gavel::sim
