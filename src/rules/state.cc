#include "rules/state.h"

#include <algorithm>
#include <utility>

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

Quantity Item::shipped() const {
  Quantity sum;
  for (const Bucket& bucket : buckets) sum += bucket.shipped;
  return sum;
}

Quantity Item::shortage() const {
  Quantity sum;
  for (const Bucket& bucket : buckets) sum += bucket.shortage;
  return sum;
}

Quantity Item::on_hand() const {
  Quantity sum;
  for (const Bucket& bucket : buckets) sum += bucket.available + bucket.reserved;
  return std::max(sum - shortage(), no_units);
}

std::vector<Allocation> Order::kept() const {
  if (state == OrderState::held) return taken;
  if (!is_paid(state)) return {};
  std::vector<Allocation> kept;
  for (const Allocation& part : taken) {
    const Quantity left = part.quantity - units_at(returned, part.item, part.bucket);
    if (left != no_units) kept.push_back({part.item, part.bucket, left});
  }
  return kept;
}

std::vector<Allocation> Order::unshipped() const {
  if (!is_paid(state)) return {};
  std::vector<Allocation> here;
  for (const Allocation& part : kept()) {
    const Quantity left = part.quantity - units_at(shipped, part.item, part.bucket);
    if (left != no_units) here.push_back({part.item, part.bucket, left});
  }
  return here;
}

Quantity units_at(const std::vector<Allocation>& parts, ItemId item, BucketNo bucket) {
  Quantity sum;
  for (const Allocation& part : parts) {
    if (part.item == item && part.bucket == bucket) sum += part.quantity;
  }
  return sum;
}

void add_part(std::vector<Allocation>& parts, const Allocation& part) {
  CHECK(part.quantity > no_units);
  for (Allocation& known : parts) {
    if (known.item != part.item || known.bucket != part.bucket) continue;
    known.quantity += part.quantity;
    return;
  }
  parts.push_back(part);
}

void remove_part(std::vector<Allocation>& parts, const Allocation& part) {
  const auto known = std::ranges::find_if(
      parts, [&part](const Allocation& one) { return one.item == part.item && one.bucket == part.bucket; });
  CHECK(known != parts.end() && part.quantity > no_units && known->quantity >= part.quantity);
  known->quantity -= part.quantity;
  if (known->quantity == no_units) parts.erase(known);
}

void mark_loaded(Order& order) {
  order.loaded = OrderAsLoaded{order.state,   order.taken,      order.returned,
                               order.shipped, order.expires_at, order.revision};
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

bool State::add_loaded(Order order) {
  mark_loaded(order);
  if (order.revision == 0 && order.state == OrderState::held) {
    for (const Allocation& part : order.taken)
      occurrences[{order.id, part.item, part.bucket, Action::reserve}] = 1;
  }
  const bool acted_upon = order.revision > 0;
  orders.emplace(order.id, std::move(order));
  return acted_upon;
}

Order* State::find_order(OrderId id) {
  const auto found = orders.find(id);
  return found == orders.end() ? nullptr : &found->second;
}

}  // namespace gavel::rules
