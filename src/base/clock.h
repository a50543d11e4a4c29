// Clock: where time comes from. Logic receives a Clock; only main() decides which.
//
// RealClock reads the machine; VirtualClock stands still until it is told to advance, so that tests and the
// simulator control time. Both are safe to use from several threads.
#pragma once

#include <atomic>

#include "base/time.h"

namespace gavel {

class Clock {
 public:
  virtual ~Clock() = default;

  // Wall time. It may step when the machine's clock is set.
  virtual Time now() const = 0;

  // Time since an arbitrary start; it never steps back. For deadlines and durations.
  virtual Duration steady() const = 0;
};

class RealClock final : public Clock {
 public:
  Time now() const override;
  Duration steady() const override;
};

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Time start) : wall_(start.time_since_epoch().count()) {}

  Time now() const override { return Time(Duration(wall_.load())); }
  Duration steady() const override { return Duration(steady_.load()); }

  // Moves wall and steady time together; `by` is not negative.
  void advance(Duration by);

  // Moves wall time alone, in either direction, as an operator or NTP does.
  void jump(Duration by) { wall_ += by.count(); }

 private:
  std::atomic<Duration::rep> wall_;
  std::atomic<Duration::rep> steady_{0};
};

}  // namespace gavel
