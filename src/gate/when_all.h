// WhenAll: one callback for the results of several calls that were begun side by side.
//
//   auto all = std::make_shared<WhenAll<Result<void>>>(count, [](std::vector<Result<void>> results) { … });
//   for (std::size_t i = 0; i < count; ++i) begin(i, [all, i](Result<void> one) { all->add(i,
//   std::move(one)); });
//
// Each result is added once, under the number of its call, from any thread. `done` is called once, with all
// of them in the order of their numbers, by whoever adds the last. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"

namespace gavel::gate {

template <class T>
class WhenAll {
 public:
  using Done = std::move_only_function<void(std::vector<T>)>;

  // At least one call (CHECKed).
  WhenAll(std::size_t count, Done done) : open_(count), results_(count), done_(std::move(done)) {
    CHECK(count >= 1);
  }

  void add(std::size_t number, T result) {
    std::vector<std::optional<T>> results;
    {
      const MutexLock lock(mutex_);
      CHECK(number < results_.size() && !results_[number]);
      results_[number].emplace(std::move(result));
      if (--open_ > 0) return;
      results = std::move(results_);
    }
    std::vector<T> all;
    all.reserve(results.size());
    for (std::optional<T>& one : results) all.push_back(*std::move(one));
    done_(std::move(all));
  }

 private:
  Mutex mutex_;
  std::size_t open_ GAVEL_GUARDED_BY(mutex_);
  std::vector<std::optional<T>> results_ GAVEL_GUARDED_BY(mutex_);
  Done done_;  // Called once, when nobody adds any more.
};

}  // namespace gavel::gate
