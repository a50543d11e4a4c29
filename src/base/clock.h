// Clock: where time comes from. Logic receives a Clock; only main() decides which.
//
// RealClock reads the machine; VirtualClock stands still until it is told to advance, so that tests and the
// simulator control time. Both are safe to use from several threads.
#pragma once

#include <atomic>
#include <string>

#include "base/time.h"

namespace gavel {

class Clock {
 public:
  virtual ~Clock() = default;

  // Wall time. It may step when the machine's clock is set.
  virtual Time now() const = 0;

  // Time since the machine started, including the time that it was suspended; while the machine runs it never
  // steps back, whatever happens to the wall clock. For deadlines and durations.
  virtual Duration steady() const = 0;

  // Which start of the machine steady() counts from: another word after each. Empty where that is not known.
  virtual std::string boot() const = 0;
};

// What a wall clock may show: the years from 1970 to 2261. Nobody means another time.
inline constexpr Time earliest_wall_time{};
inline constexpr Time latest_wall_time = std::chrono::sys_days(std::chrono::year(2262) / 1 / 1) - Duration(1);

class RealClock final : public Clock {
 public:
  Time now() const override;  // A wall time out of bounds is shown as the bound.
  Duration steady() const override;
  std::string boot() const override;
};

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Time start) : wall_(start.time_since_epoch().count()) {}

  Time now() const override { return Time(Duration(wall_.load())); }
  Duration steady() const override { return Duration(steady_.load()); }
  std::string boot() const override { return "boot " + std::to_string(boots_.load()); }

  // Moves wall and steady time together; `by` is not negative.
  void advance(Duration by);

  // Moves wall time alone, in either direction, as an operator or NTP does.
  void jump(Duration by) { wall_ += by.count(); }

  // Starts the machine again: steady time begins anew, and wall time stays as it is.
  void reboot();

 private:
  std::atomic<Duration::rep> wall_;
  std::atomic<Duration::rep> steady_{0};
  std::atomic<int> boots_{1};
};

}  // namespace gavel
