// ProcessState: whether an instance of the service runs, stands still for a while, or is dead for good.
//
// A crash cuts the power: from then on no call of the instance has an effect, and nothing it says reaches
// anybody. What stands still (a paused process, a stopped virtual machine) goes on later as if nothing had
// been. Value of one instance; one thread.
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
