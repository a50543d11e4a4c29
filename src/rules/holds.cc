#include "rules/holds.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace gavel::rules {
namespace {

// Releases due holds on `item` that `wanted` accepts, oldest first, until `enough`.
template <class Wants, class Enough>
void release_due(DecisionContext& c, ItemId item, Wants wants, Enough enough) {
  const auto due = c.state.due.find(item);
  if (due == c.state.due.end()) return;
  for (const OrderId id : due->second) {
    if (enough()) return;
    Order* order = c.state.find_order(id);
    CHECK(order != nullptr);
    if (is_due(c, *order) && wants(*order) && may_release(c, *order)) expire_order(c, *order);
  }
}

// Units of one SKU among the parts.
Quantity units_of(const DecisionContext& c, std::span<const Allocation> parts, SkuId sku) {
  Quantity sum;
  for (const Allocation& part : parts) {
    if (c.state.item(part.item).sku == sku) sum += part.quantity;
  }
  return sum;
}

}  // namespace

Detail of_sku(const SkuCode& sku) {
  Detail detail;
  detail.sku = sku;
  return detail;
}

bool is_due(const DecisionContext& c, const Order& order) {
  return order.state == OrderState::held && order.expires_at && *order.expires_at <= c.now;
}

bool may_move(const DecisionContext& c, const Order& order) {
  return std::ranges::all_of(order.taken, [&](const Allocation& part) {
    const Item& item = c.state.item(part.item);
    return !is_unsound(item) && item.buckets[static_cast<std::size_t>(part.bucket)].reserved >= part.quantity;
  });
}

bool may_release(const DecisionContext& c, const Order& order) {
  if (!may_move(c, order)) return false;
  const Activity* activity = c.state.find_activity(order.activity);
  if (activity == nullptr) return true;
  std::map<QuotaKey, Quantity> given_back;
  for (const Allocation& part : order.taken) {
    const SkuId sku = c.state.item(part.item).sku;
    given_back[QuotaKey{order.activity, sku, order.user}] += part.quantity;
    if (activity->state != ActivityState::closed) continue;
    if (is_unsound(c.state.item(c.state.sku_of(sku).free_item))) return false;
  }
  return std::ranges::all_of(given_back, [&](const auto& claim) {
    const auto quota = c.state.quotas.find(claim.first);
    if (quota == c.state.quotas.end()) return true;
    return !is_unsound(quota->second, *activity) && quota->second.claimed >= claim.second;
  });
}

bool is_unsound(const Quota& quota, const Activity& activity) {
  return quota.claimed < no_units || quota.claimed > quota.allowed ||
         quota.allowed != activity.limit_per_user;
}

void give_back(DecisionContext& c, const Order& order, std::span<const Allocation> parts, Action action,
               const Reason& reason) {
  for (const Allocation& part : parts) post(c.state, part.item, part.bucket, action, part.quantity, reason);
  for (const Allocation& part : parts) {
    const SkuId sku = c.state.item(part.item).sku;
    const auto quota = c.state.quotas.find(QuotaKey{order.activity, sku, order.user});
    if (quota == c.state.quotas.end()) continue;
    quota->second.claimed -= part.quantity;
    CHECK(quota->second.claimed >= no_units);
    if (quota->second.row_state == RowState::clean) quota->second.row_state = RowState::updated;
  }
  pass_on(c, order, parts, reason);
}

void pass_on(DecisionContext& c, const Order& order, std::span<const Allocation> parts,
             const Reason& reason) {
  const Activity* activity = c.state.find_activity(order.activity);
  if (activity == nullptr || activity->state != ActivityState::closed) return;
  Reason onward = reason;
  onward.order.reset();
  onward.source = "activity:" + activity->code.text();
  for (const Allocation& part : parts) {
    const ItemId free_item = c.state.sku_of(c.state.item(part.item).sku).free_item;
    move(c.state, part.item, free_item, part.quantity, onward);
  }
}

void touch(Order& order) {
  ++order.revision;
  if (order.row_state == RowState::clean) order.row_state = RowState::updated;
}

void enter(DecisionContext& c, Order& order, OrderState to) {
  CHECK(may_follow(order.state, to));
  if (order.state == OrderState::held) order.settled_at = c.now;
  order.state = to;
  touch(order);
}

Selection pick(const DecisionContext& c, const std::vector<Allocation>& kept, const Lines& lines) {
  if (lines.empty()) return Selection{kept, {}, std::nullopt};
  Selection picked;
  std::map<SkuId, Quantity> asked;
  for (const Line& line : lines) {
    const Sku* named = c.state.find_sku(line.sku);
    CHECK(named != nullptr);  // refuse_strange_sku() was asked first.
    const SkuId sku = named->id;
    asked[sku] = line.quantity;
    const Quantity there = units_of(c, kept, sku);
    if (picked.shortage || line.quantity <= there) continue;
    Detail detail = of_sku(line.sku);
    detail.available = there;
    picked.shortage = verdict_of(Outcome::insufficient, detail);
  }
  for (const Allocation& part : kept) {
    Quantity& open = asked[c.state.item(part.item).sku];
    const Quantity named = std::min(open, part.quantity);
    open -= named;
    if (named > no_units) picked.parts.push_back({part.item, part.bucket, named});
    if (named < part.quantity) picked.rest.push_back({part.item, part.bucket, part.quantity - named});
  }
  return picked;
}

std::optional<Verdict> refuse_strange_sku(const DecisionContext& c, const Order& order, const Lines& lines) {
  for (const Line& line : lines) {
    const Sku* sku = c.state.find_sku(line.sku);
    if (sku == nullptr || units_of(c, order.taken, sku->id) == no_units) {
      return verdict_of(Outcome::unknown_sku, of_sku(line.sku));
    }
  }
  return std::nullopt;
}

void expire_order(DecisionContext& c, Order& order) {
  CHECK(is_due(c, order));
  static const Caller gavel("gavel");
  give_back(c, order, order.taken, Action::expire,
            Reason{gavel, std::nullopt, order.id, "hold_expired", c.now});
  enter(c, order, OrderState::expired);
}

Quantity claimed_of(const DecisionContext& c, const QuotaKey& key) {
  const auto quota = c.state.quotas.find(key);
  return quota == c.state.quotas.end() ? no_units : quota->second.claimed;
}

bool make_room(DecisionContext& c, ItemId item, Quantity wanted) {
  const auto enough = [&] { return c.state.item(item).available() >= wanted; };
  const auto any = [](const Order&) { return true; };
  release_due(c, item, any, enough);
  return enough();
}

bool make_room_for_claim(DecisionContext& c, const RequestedLine& wanted, Quantity allowed) {
  CHECK(wanted.quota);
  const auto fits = [&] { return claimed_of(c, *wanted.quota) + wanted.quantity <= allowed; };
  const auto his_own = [&](const Order& order) { return order.user == wanted.quota->user; };
  release_due(c, wanted.item, his_own, fits);
  return fits();
}

std::optional<Verdict> refuse_not_held(DecisionContext& c, Order& order, GivesBack gives_back) {
  const OrderId id = order.id;
  const bool keeps_all = gives_back == GivesBack::nothing && !is_due(c, order);
  if (order.state == OrderState::held && !(keeps_all ? may_move(c, order) : may_release(c, order))) {
    return verdict_of(Outcome::frozen, id);
  }
  if (is_due(c, order)) expire_order(c, order);
  switch (order.state) {
    case OrderState::held:
      return std::nullopt;
    case OrderState::paid:
    case OrderState::partly_shipped:
    case OrderState::shipped:
      return verdict_of(Outcome::already_confirmed, id);
    case OrderState::cancelled:
      return verdict_of(Outcome::already_cancelled, id);
    case OrderState::expired:
      return verdict_of(Outcome::hold_expired, id);
    case OrderState::refused:
    case OrderState::partly_refunded:
    case OrderState::refunded:
      break;
  }
  return refuse_in_state(order);
}

void count_refusal(DecisionContext& c, ItemId item_id) {
  Item& item = c.state.item(item_id);
  if (item.refusals >= c.policy.refusals_recorded_max) {
    c.beyond_bound = ItemGeneration{item_id, item.generation};
    return;
  }
  ++item.refusals;
  if (item.row_state == RowState::clean) item.row_state = RowState::updated;
}

std::optional<Verdict> refuse_shortage(DecisionContext& c, const std::vector<RequestedLine>& lines) {
  const RequestedLine* short_of = nullptr;
  for (const RequestedLine& line : lines) {
    if (make_room(c, line.item, line.quantity)) continue;
    if (c.state.due_unseen.contains(line.item)) return verdict_of(Outcome::overloaded);
    const bool is_sold_out = c.state.item(line.item).available() == no_units;
    if (short_of == nullptr || is_sold_out) short_of = &line;
    if (is_sold_out) break;
  }
  if (short_of == nullptr) return std::nullopt;
  count_refusal(c, short_of->item);
  Detail detail = of_sku(short_of->code);
  const Quantity available = c.state.item(short_of->item).available();
  if (available == no_units) return verdict_of(Outcome::sold_out, detail);
  detail.available = available;
  return verdict_of(Outcome::insufficient, detail);
}

}  // namespace gavel::rules
