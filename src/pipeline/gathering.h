// Gathering: the answers to calls that were begun side by side.
//
// Each answer comes once, under the number of its call, from any thread; `done` is called with all of them,
// by whoever brings the last. At least one call. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace gavel::pipeline {

template <class T>
class Gathering {
 public:
  using All = std::vector<T>;

  Gathering(std::size_t count, std::move_only_function<void(All)> done)
      : open_(count), answers_(count), done_(std::move(done)) {}

  void add(std::size_t number, T answer) {
    All all;
    {
      const MutexLock lock(mutex_);
      answers_[number] = std::move(answer);
      if (--open_ > 0) return;
      all = std::move(answers_);
    }
    done_(std::move(all));
  }

 private:
  Mutex mutex_;
  std::size_t open_ GAVEL_GUARDED_BY(mutex_);
  All answers_ GAVEL_GUARDED_BY(mutex_);
  std::move_only_function<void(All)> done_;
};

}  // namespace gavel::pipeline
