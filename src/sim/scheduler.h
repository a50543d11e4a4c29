// Scheduler: virtual time, and which event is next.
//
// Everything that happens in a simulated world is an event of this queue: one thread takes them one by one,
// in order of their time and, at equal times, in order of their arrival. Nothing here reads a clock, so the
// same events make the same run. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace gavel::sim {

// Time since the beginning of the world.
using Micros = std::chrono::microseconds;

class Scheduler {
 public:
  using Event = std::function<void()>;

  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  Micros now() const { return now_; }

  // Runs `event` at this time, or now if it is past. An event never runs within the call that scheduled it.
  void at(Micros when, Event event);
  void after(Micros delay, Event event) { at(now_ + delay, std::move(event)); }

  // Runs the next event, which may advance the time; false if there is none.
  bool run_one();

  // Runs all events up to this time, which is then the present one.
  void run_until(Micros when);

  // Everything stands still for this long: all events happen that much later.
  void leap(Micros by);

  std::uint64_t events() const { return events_; }

 private:
  Micros now_{0};
  std::uint64_t next_ = 0;
  std::uint64_t events_ = 0;  // That have run.
  std::map<std::pair<Micros, std::uint64_t>, Event> queue_;
};

}  // namespace gavel::sim
