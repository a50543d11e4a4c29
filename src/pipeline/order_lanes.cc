#include "pipeline/order_lanes.h"

#include <utility>

#include "base/check.h"

namespace gavel::pipeline {

OrderLanes::OrderLanes(std::size_t orders_max) : generation_max_(orders_max / 2) {
  CHECK(generation_max_ >= 1);
}

void OrderLanes::put(std::span<const rules::OrderId> orders, std::size_t lane) {
  const MutexLock lock(mutex_);
  for (const rules::OrderId order : orders) {
    younger_.insert_or_assign(order, lane);
    if (younger_.size() >= generation_max_) older_ = std::exchange(younger_, {});
  }
  CHECK(younger_.size() < generation_max_);
  CHECK(older_.size() <= generation_max_);
}

std::optional<std::size_t> OrderLanes::find(rules::OrderId order) const {
  const MutexLock lock(mutex_);
  for (const Generation* generation : {&younger_, &older_}) {
    if (const auto found = generation->find(order); found != generation->end()) return found->second;
  }
  return std::nullopt;
}

std::size_t OrderLanes::size() const {
  const MutexLock lock(mutex_);
  return younger_.size() + older_.size();
}

}  // namespace gavel::pipeline
