// Ticker: a thread that calls a step again and again, with the pause in between that the step asks for.
//
// For jobs, which are a step(now) and know no thread. One owner; stop() and destruction end the pause at once
// and wait for the step in progress.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/time.h"

namespace gavel::app {

class Ticker {
 public:
  // `step` runs on the ticker's thread, does not throw, and answers how long to pause.
  explicit Ticker(std::function<Duration()> step) : thread_([this, step = std::move(step)] { run(step); }) {}
  ~Ticker() { stop(); }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Idempotent.
  void stop() {
    {
      const MutexLock lock(mutex_);
      stopped_ = true;
      changed_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run(const std::function<Duration()>& step) {
    while (true) {
      const Duration pause = step();
      const MutexLock lock(mutex_);
      // A spurious wake-up only makes one pause shorter.
      if (!stopped_) changed_.wait_for(mutex_, pause);
      if (stopped_) return;
    }
  }

  Mutex mutex_;
  Condition changed_;
  bool stopped_ GAVEL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last: it begins once the rest is there.
};

}  // namespace gavel::app
