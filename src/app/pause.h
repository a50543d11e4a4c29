// A pause of the calling thread that nobody ends early: between two tries, where nothing waits for the end.
#pragma once

#include "base/mutex.h"
#include "base/time.h"

namespace gavel::app {

// Waits on a condition that nobody notifies. A spurious wake-up only makes the pause shorter.
inline void pause_for(Duration duration) {
  Mutex mutex;
  Condition never;
  const MutexLock lock(mutex);
  never.wait_for(mutex, duration);
}

}  // namespace gavel::app
