#include "rules/orders.h"

#include <algorithm>

#include "rules/holds.h"

namespace gavel::rules {
namespace {

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

// A token that names no bucket of this item comes from a gate that is wrong, which changes no answer.
BucketNo first_bucket(const Case& c, const Item& item, const UserId& user) {
  const std::optional<BucketNo> token = c.command.token;
  const auto buckets = static_cast<BucketNo>(item.buckets.size());
  return token && *token >= 0 && *token < buckets ? *token : home_of(user, item.buckets.size());
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
    for (const Taken& part : choose(item, line.quantity, first_bucket(c, item, act.user))) {
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

Verdict confirm(Case& c, const Confirm& act) {
  Order* order = c.state.find_order(act.order);
  if (order == nullptr) return say(Outcome::unknown_order);
  if (const auto refusal = refuse_strange_sku(c, *order, act.lines)) return *refusal;
  const auto gives_back = act.lines.empty() ? GivesBack::nothing : GivesBack::some;
  if (const auto refusal = refuse_not_held(c, *order, gives_back)) return *refusal;
  const Picked picked = pick(c, order->taken, act.lines);
  if (picked.shortage) return say_of_order(picked.shortage->outcome, order->id, picked.shortage->detail);

  // From here it must succeed.
  const Reason reason = c.because(order->id, "order");
  for (const Taken& part : picked.parts) {
    post(c.state, part.item, part.bucket, Action::confirm, part.quantity, reason);
  }
  give_back(c, *order, picked.rest, Action::cancel, reason);
  order->returned = picked.rest;
  enter(c, *order, OrderState::paid);
  return say_of_order(Outcome::confirmed, order->id);
}

Verdict cancel(Case& c, const Cancel& act) {
  Order* order = c.state.find_order(act.order);
  if (order == nullptr) return say(Outcome::unknown_order);
  if (const auto refusal = refuse_not_held(c, *order, GivesBack::some)) return *refusal;

  // From here it must succeed.
  give_back(c, *order, order->taken, Action::cancel, c.because(order->id, "order"));
  enter(c, *order, OrderState::cancelled);
  return say_of_order(Outcome::cancelled, order->id);
}

Verdict expire(Case& c, const Expire& act) {
  Order* order = c.state.find_order(act.order);
  if (order == nullptr) return say(Outcome::unknown_order);
  if (is_due(c, *order) && !may_release(c, *order)) return say_of_order(Outcome::frozen, order->id);
  if (is_due(c, *order)) expire_order(c, *order);
  if (order->state == OrderState::expired) return say_of_order(Outcome::expired, order->id);
  return refuse_in_state(*order);
}

}  // namespace gavel::rules
