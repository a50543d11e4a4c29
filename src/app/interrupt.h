// Interrupt: a flag that is raised once and that threads look at or wait for. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "base/time.h"

namespace gavel::app {

class Interrupt {
 public:
  void raise() {
    const MutexLock lock(mutex_);
    raised_ = true;
    changed_.notify_all();
  }

  bool raised() const {
    const MutexLock lock(mutex_);
    return raised_;
  }

  void wait() {
    const MutexLock lock(mutex_);
    while (!raised_) changed_.wait(mutex_);
  }

  // Returns once it is raised, after `at_most`, or earlier; whether it is raised.
  bool wait_for(Duration at_most) {
    const MutexLock lock(mutex_);
    if (!raised_) changed_.wait_for(mutex_, at_most);
    return raised_;
  }

 private:
  mutable Mutex mutex_;
  Condition changed_;
  bool raised_ GAVEL_GUARDED_BY(mutex_) = false;
};

}  // namespace gavel::app
