#include "rules/state.h"

#include "base/check.h"

namespace gavel::rules {

Quantity Item::available() const {
  Quantity sum;
  for (const Bucket& bucket : buckets) sum += bucket.available;
  return sum;
}

Quantity Item::total() const {
  Quantity sum;
  for (const Bucket& bucket : buckets) sum += bucket.available + bucket.reserved + bucket.sold;
  return sum;
}

Sku* State::find_sku(const SkuCode& code) {
  const auto found = skus.find(code);
  return found == skus.end() ? nullptr : &found->second;
}

Activity* State::find_activity(const ActivityCode& code) {
  const auto found = activities.find(code);
  return found == activities.end() ? nullptr : &found->second;
}

Activity* State::find_activity(ActivityId id) {
  for (auto& [code, activity] : activities) {
    if (activity.id == id) return &activity;
  }
  return nullptr;
}

const Sku& State::sku_of(SkuId id) const {
  for (const auto& [code, sku] : skus) {
    if (sku.id == id) return sku;
  }
  CHECK(false);
}

Item& State::item(ItemId id) {
  const auto found = items.find(id);
  CHECK(found != items.end());
  return found->second;
}

Order* State::find_order(OrderId id) {
  const auto found = orders.find(id);
  return found == orders.end() ? nullptr : &found->second;
}

}  // namespace gavel::rules
