// SoldOutTimes: since when stock items have nothing left, and how long whoever was refused should wait before
// another try (E28).
//
// A batch that empties an item notes the time. Where this process did not see it happen (another did, or it
// happened before the start), the item's first refusal of its generation begins the time. The wait is as long
// as the item has been sold out, within bounds: whoever obeys asks ever more seldom, and yet returns within a
// minute after units came back. It is advice, and no answer depends on it.
//
// Memory is bounded: of items_max items those that were asked for last are remembered, and any other begins
// anew. Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::pipeline {

inline constexpr std::chrono::seconds retry_after_least{5};
inline constexpr std::chrono::seconds retry_after_most{60};

// Half a MB at most.
inline constexpr std::size_t sold_out_items_max = 10'000;

class SoldOutTimes {
 public:
  // At least 2 items.
  explicit SoldOutTimes(std::size_t items_max = sold_out_items_max);

  // The items that this batch has emptied are sold out from `steady_now` on.
  void note(const rules::State& state, Duration steady_now) GAVEL_EXCLUDES(mutex_);

  // From retry_after_least to retry_after_most.
  std::chrono::seconds retry_after(const rules::ItemGeneration& short_of, Duration steady_now)
      GAVEL_EXCLUDES(mutex_);

  std::size_t size() const GAVEL_EXCLUDES(mutex_);

 private:
  struct SoldOut {
    std::int64_t generation;
    Duration since;  // The steady time.
  };
  using Items = std::unordered_map<std::int64_t, SoldOut>;

  Duration since(const rules::ItemGeneration& item, Duration steady_now) GAVEL_REQUIRES(mutex_);

  const std::size_t half_max_;
  mutable Mutex mutex_;
  Items younger_ GAVEL_GUARDED_BY(mutex_);
  Items older_ GAVEL_GUARDED_BY(mutex_);  // What was younger before it was full.
};

}  // namespace gavel::pipeline
