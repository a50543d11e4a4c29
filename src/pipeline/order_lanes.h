// OrderLanes: which lane the orders of this process were made in, as far as its memory goes.
//
// The memory is bounded: it keeps two generations of half its size, and forgets the older one whenever the
// younger one is full. So it holds at least the latest half of what it may hold. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include "base/mutex.h"
#include "rules/ids.h"

namespace gavel::pipeline {

class OrderLanes {
 public:
  // `orders_max` is at least 2.
  explicit OrderLanes(std::size_t orders_max);

  // Orders that are there already keep their place and get the lane given.
  void put(std::span<const rules::OrderId> orders, std::size_t lane) GAVEL_EXCLUDES(mutex_);

  // Nothing if the order is not, or is no longer, remembered.
  std::optional<std::size_t> find(rules::OrderId order) const GAVEL_EXCLUDES(mutex_);

  std::size_t size() const GAVEL_EXCLUDES(mutex_);

 private:
  using Generation = std::map<rules::OrderId, std::size_t>;

  const std::size_t generation_max_;
  mutable Mutex mutex_;
  Generation younger_ GAVEL_GUARDED_BY(mutex_);
  Generation older_ GAVEL_GUARDED_BY(mutex_);
};

}  // namespace gavel::pipeline
