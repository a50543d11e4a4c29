#include "rules/orders.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace gavel::rules {
namespace {

Detail of_sku(const SkuCode& sku) {
  Detail detail;
  detail.sku = sku;
  return detail;
}

std::optional<Verdict> refuse_window(const Case& c, const Activity& activity) {
  if (activity.state == ActivityState::closed || (activity.closes_at && c.now >= *activity.closes_at)) {
    return say(Outcome::over);
  }
  if (activity.state == ActivityState::draft || (activity.opens_at && c.now < *activity.opens_at)) {
    Detail detail;
    detail.opens_at = activity.opens_at;
    return say(Outcome::not_open, detail);
  }
  return std::nullopt;
}

// The stock item that a line draws from: the activity's own for an order of an activity, else the SKU's free
// one.
std::optional<Wanted> find_line(const Case& c, const Activity* activity, const Line& line,
                                const UserId& user) {
  if (activity == nullptr) {
    const Sku* sku = c.state.find_sku(line.sku);
    if (sku == nullptr) return std::nullopt;
    return Wanted{line.sku, sku->free_item, line.quantity, std::nullopt};
  }
  const auto found = std::ranges::find(activity->lines, line.sku, &AllottedLine::code);
  if (found == activity->lines.end()) return std::nullopt;
  return Wanted{line.sku, found->item, line.quantity, QuotaKey{activity->id, found->sku, user}};
}

// Gives the units of `order` back to where they came from; a closed activity keeps nothing, so what returns
// to its items moves on to the free stock.
void release(Case& c, Order& order, Action action, const Reason& reason) {
  for (const Taken& part : order.taken) post(c.state, part.item, part.bucket, action, part.quantity, reason);
  Activity* activity = c.state.find_activity(order.activity);
  if (activity == nullptr) return;
  for (const Taken& part : order.taken) {
    const SkuId sku = c.state.item(part.item).sku;
    const auto quota = c.state.quotas.find(QuotaKey{order.activity, sku, order.user});
    if (quota != c.state.quotas.end()) {
      quota->second.claimed -= part.quantity;
      if (quota->second.change == Change::loaded) quota->second.change = Change::updated;
    }
    if (activity->state == ActivityState::closed) {
      Reason onward = reason;
      onward.order.reset();
      onward.source = "activity:" + activity->code.text();
      move(c.state, part.item, c.state.sku_of(sku).free_item, part.quantity, onward);
    }
  }
}

void leave_held(Case& c, Order& order, OrderState to) {
  CHECK(may_follow(order.state, to));
  order.state = to;
  order.settled_at = c.now;
  if (order.change == Change::loaded) order.change = Change::updated;
}

bool is_due(const Case& c, const Order& order) {
  return order.state == OrderState::held && order.expires_at && *order.expires_at <= c.now;
}

// A claim that no rule can have made: like an unsound item it was changed behind Gavel's back.
bool is_unsound(const Quota& quota, const Activity& activity) {
  return quota.claimed < no_units || quota.claimed > quota.allowed ||
         quota.allowed != activity.limit_per_user;
}

// False if the numbers that the order's units stand in were changed behind Gavel's back: moving them would
// make it worse.
bool may_move(const Case& c, const Order& order) {
  return std::ranges::all_of(order.taken, [&](const Taken& part) {
    const Item& item = c.state.item(part.item);
    return !is_unsound(item) && item.buckets[static_cast<std::size_t>(part.bucket)].reserved >= part.quantity;
  });
}

// The same for what a release changes besides: the user's claims, and the free stock behind a closed
// activity.
bool may_release(const Case& c, const Order& order) {
  if (!may_move(c, order)) return false;
  const Activity* activity = c.state.find_activity(order.activity);
  if (activity == nullptr) return true;
  std::map<QuotaKey, Quantity> given_back;
  for (const Taken& part : order.taken) {
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

void expire_order(Case& c, Order& order) {
  static const Caller gavel("gavel");
  release(c, order, Action::expire, Reason{gavel, std::nullopt, order.id, "hold_expired", c.now});
  leave_held(c, order, OrderState::expired);
}

// Releases due holds on `item` that `wanted` accepts, oldest first, until `enough`.
template <class Wants, class Enough>
void release_due(Case& c, ItemId item, Wants wants, Enough enough) {
  const auto due = c.state.due.find(item);
  if (due == c.state.due.end()) return;
  for (const OrderId id : due->second) {
    if (enough()) return;
    Order* order = c.state.find_order(id);
    CHECK(order != nullptr);
    if (is_due(c, *order) && wants(*order) && may_release(c, *order)) expire_order(c, *order);
  }
}

Quantity claimed_of(const Case& c, const QuotaKey& key) {
  const auto quota = c.state.quotas.find(key);
  return quota == c.state.quotas.end() ? no_units : quota->second.claimed;
}

// True if the user may claim `wanted` more, after his own due holds were released if need be.
bool make_room_for_claim(Case& c, const Wanted& wanted, Quantity allowed) {
  const auto fits = [&] { return claimed_of(c, *wanted.quota) + wanted.quantity <= allowed; };
  const auto his_own = [&](const Order& order) { return order.user == wanted.quota->user; };
  release_due(c, wanted.item, his_own, fits);
  return fits();
}

// Releases due holds on `item`, oldest first, until it has `wanted` available or no due hold is left that was
// loaded (C9). True if it has them then.
bool make_room(Case& c, ItemId item, Quantity wanted) {
  const auto enough = [&] { return c.state.item(item).available() >= wanted; };
  const auto any = [](const Order&) { return true; };
  release_due(c, item, any, enough);
  return enough();
}

std::optional<Verdict> refuse_frozen(const Case& c, const Activity* activity,
                                     const std::vector<Wanted>& lines) {
  for (const Wanted& line : lines) {
    if (is_unsound(c.state.item(line.item))) return say(Outcome::frozen, of_sku(line.code));
    if (activity == nullptr) continue;
    const auto quota = c.state.quotas.find(*line.quota);
    if (quota != c.state.quotas.end() && is_unsound(quota->second, *activity)) {
      return say(Outcome::frozen, of_sku(line.code));
    }
  }
  return std::nullopt;
}

std::optional<Verdict> refuse_claims(Case& c, const Activity& activity, const std::vector<Wanted>& lines) {
  if (!activity.limit_per_user) return std::nullopt;
  for (const Wanted& line : lines) {
    if (make_room_for_claim(c, line, *activity.limit_per_user)) continue;
    if (c.state.due_unseen.contains(line.item)) return say(Outcome::overloaded);
    Detail detail = of_sku(line.code);
    const auto quota = c.state.quotas.find(*line.quota);
    detail.allowed = *activity.limit_per_user;
    detail.claimed = claimed_of(c, *line.quota);
    if (quota != c.state.quotas.end()) detail.order = quota->second.order;
    return say(Outcome::limit_reached, detail);
  }
  return std::nullopt;
}

void claim(Case& c, const Activity& activity, const Wanted& line, OrderId order) {
  const auto [quota, made] = c.state.quotas.try_emplace(*line.quota);
  if (made) {
    quota->second.allowed = *activity.limit_per_user;
    quota->second.change = Change::inserted;
  } else if (quota->second.change == Change::loaded) {
    quota->second.change = Change::updated;
  }
  quota->second.claimed += line.quantity;
  quota->second.order = order;
}

std::chrono::seconds hold_of(const Case& c, const Reserve& act, const Activity* activity) {
  if (act.hold) return *act.hold;
  if (activity != nullptr && activity->hold) return *activity->hold;
  return c.policy.hold_default;
}

OrderId id_for_new_order(const Case& c) {
  const std::optional<Uuid> key = parse_uuid(c.command.key->text());
  return key && is_version_7(*key) ? OrderId{*key} : c.command.fresh;
}

}  // namespace

Verdict reserve(Case& c, const Reserve& act) {
  const OrderId id = id_for_new_order(c);
  if (c.state.find_order(id) != nullptr) return say(Outcome::key_in_use);
  const Activity* activity = nullptr;
  if (act.activity) {
    activity = c.state.find_activity(*act.activity);
    if (activity == nullptr) return say(Outcome::unknown_activity);
  }
  std::vector<Wanted> lines;
  for (const Line& line : merged(act.lines)) {
    const std::optional<Wanted> wanted = find_line(c, activity, line, act.user);
    if (!wanted) return say(Outcome::unknown_sku, of_sku(line.sku));
    lines.push_back(*wanted);
  }
  if (const auto refusal = refuse_frozen(c, activity, lines)) return *refusal;
  if (activity != nullptr) {
    if (const auto refusal = refuse_window(c, *activity)) return *refusal;
    if (const auto refusal = refuse_claims(c, *activity, lines)) return *refusal;
  }
  if (const auto refusal = refuse_shortage(c, lines)) return *refusal;

  // From here it must succeed.
  const bool held = act.payment == Payment::later;
  Order order{.id = id,
              .state = held ? OrderState::held : OrderState::paid,
              .user = act.user,
              .activity = activity == nullptr ? free_pool : activity->id,
              .taken = {},
              .created_at = c.now,
              .expires_at = std::nullopt,
              .settled_at = std::nullopt,
              .change = Change::inserted};
  if (held) order.expires_at = c.now + hold_of(c, act, activity);
  for (const Wanted& line : lines) {
    const Item& item = c.state.item(line.item);
    for (const Taken& part : choose(item, line.quantity, home_of(act.user, item.buckets.size()))) {
      post(c.state, part.item, part.bucket, held ? Action::reserve : Action::sell, part.quantity,
           c.because(id, "order"));
      order.taken.push_back(part);
    }
    if (activity != nullptr && activity->limit_per_user) claim(c, *activity, line, id);
  }
  Detail detail;
  detail.expires_at = order.expires_at;
  c.state.orders.emplace(id, std::move(order));
  return say_of_order(held ? Outcome::reserved : Outcome::sold, id, detail);
}

namespace {

// The ladder of confirm and cancel: both act on a hold whose time is not past, and release one whose time is.
std::optional<Verdict> refuse_not_held(Case& c, OrderId id, OrderState to) {
  Order* order = c.state.find_order(id);
  if (order == nullptr) return say(Outcome::unknown_order);
  const bool stays = to == OrderState::paid && !is_due(c, *order);
  if (order->state == OrderState::held && !(stays ? may_move(c, *order) : may_release(c, *order))) {
    return say_of_order(Outcome::frozen, id);
  }
  if (is_due(c, *order)) expire_order(c, *order);
  switch (order->state) {
    case OrderState::held:
      return std::nullopt;
    case OrderState::paid:
      return say_of_order(Outcome::already_confirmed, id);
    case OrderState::cancelled:
      return say_of_order(Outcome::already_cancelled, id);
    case OrderState::expired:
      return say_of_order(Outcome::hold_expired, id);
    case OrderState::refused:
      break;
  }
  Detail detail;
  detail.state = std::string(word(order->state));
  return say_of_order(Outcome::illegal_transition, id, detail);
}

}  // namespace

Verdict confirm(Case& c, const Confirm& act) {
  if (const auto refusal = refuse_not_held(c, act.order, OrderState::paid)) return *refusal;

  // From here it must succeed.
  Order& order = *c.state.find_order(act.order);
  for (const Taken& part : order.taken) {
    post(c.state, part.item, part.bucket, Action::confirm, part.quantity, c.because(order.id, "order"));
  }
  leave_held(c, order, OrderState::paid);
  return say_of_order(Outcome::confirmed, order.id);
}

Verdict cancel(Case& c, const Cancel& act) {
  if (const auto refusal = refuse_not_held(c, act.order, OrderState::cancelled)) return *refusal;

  // From here it must succeed.
  Order& order = *c.state.find_order(act.order);
  release(c, order, Action::cancel, c.because(order.id, "order"));
  leave_held(c, order, OrderState::cancelled);
  return say_of_order(Outcome::cancelled, order.id);
}

Verdict expire(Case& c, const Expire& act) {
  Order* order = c.state.find_order(act.order);
  if (order == nullptr) return say(Outcome::unknown_order);
  if (is_due(c, *order) && !may_release(c, *order)) return say_of_order(Outcome::frozen, order->id);
  if (is_due(c, *order)) expire_order(c, *order);
  if (order->state == OrderState::expired) return say_of_order(Outcome::expired, order->id);
  Detail detail;
  detail.state = std::string(word(order->state));
  return say_of_order(Outcome::illegal_transition, order->id, detail);
}

std::optional<Verdict> refuse_shortage(Case& c, const std::vector<Wanted>& lines) {
  std::optional<Verdict> refusal;
  for (const Wanted& line : lines) {
    if (make_room(c, line.item, line.quantity)) continue;
    if (c.state.due_unseen.contains(line.item)) return say(Outcome::overloaded);
    const Quantity available = c.state.item(line.item).available();
    Detail detail = of_sku(line.code);
    if (available == no_units) return say(Outcome::sold_out, detail);
    detail.available = available;
    if (!refusal) refusal = say(Outcome::insufficient, detail);
  }
  return refusal;
}

}  // namespace gavel::rules
