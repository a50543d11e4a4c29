// ProcessState: whether an instance of the service runs, is paused, or is dead.
//
// After a crash no call of the instance has an effect, and nothing that it sends arrives. A paused instance
// (a stopped process or virtual machine) continues later as if nothing had happened. Value of one instance;
// one thread.
#pragma once

#include <algorithm>

#include "sim/scheduler.h"

namespace gavel::sim {

class ProcessState {
 public:
  bool on() const { return on_; }
  void cut() { on_ = false; }

  void pause_until(Micros when) { paused_until_ = std::max(paused_until_, when); }
  Micros paused_until() const { return on_ ? paused_until_ : Micros(0); }

 private:
  bool on_ = true;
  Micros paused_until_{0};
};

}  // namespace gavel::sim
