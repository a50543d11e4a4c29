#include "rules/orders.h"

#include "base/check.h"
#include "rules/taking.h"

namespace gavel::rules {
namespace {

std::chrono::seconds hold_of(const DecisionContext& c, const Reserve& act, const Activity* activity) {
  if (act.hold) return *act.hold;
  if (activity != nullptr && activity->hold) return *activity->hold;
  return c.policy.hold_default;
}

}  // namespace

Verdict reserve(DecisionContext& c, const Reserve& act) {
  CHECK(!act.lines.empty());
  const OrderId id = order_made_by(c.command);
  if (c.state.find_order(id) != nullptr) return verdict_of(Outcome::key_in_use);
  const Activity* activity = nullptr;
  if (act.activity) {
    activity = c.state.find_activity(*act.activity);
    if (activity == nullptr) return verdict_of(Outcome::unknown_activity);
  }
  std::vector<RequestedLine> lines;
  for (const Line& line : act.lines) {
    const std::optional<RequestedLine> wanted = find_line(c, activity, line, act.user);
    if (!wanted) return verdict_of(Outcome::unknown_sku, of_sku(line.sku));
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
              .account = c.command.caller,
              .user = act.user,
              .activity = activity == nullptr ? free_pool : activity->id,
              .taken = {},
              .created_at = c.now,
              .expires_at = std::nullopt,
              .settled_at = std::nullopt,
              .row_state = RowState::inserted};
  if (held) order.expires_at = c.now + hold_of(c, act, activity);
  for (const RequestedLine& line : lines) {
    const auto action = held ? Action::reserve : Action::sell;
    const auto parts = take(c, activity, line, {c.command.caller, act.user}, action, c.because(id, "order"));
    order.taken.insert(order.taken.end(), parts.begin(), parts.end());
  }
  CHECK(order.taken.size() >= act.lines.size());
  Detail detail;
  detail.expires_at = order.expires_at;
  CHECK(c.state.orders.emplace(id, std::move(order)).second);
  return verdict_of(held ? Outcome::reserved : Outcome::sold, id, detail);
}

Verdict confirm(DecisionContext& c, const Confirm& act) {
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (const auto refusal = refuse_strange_sku(c, *order, act.lines)) return *refusal;
  const auto gives_back = act.lines.empty() ? GivesBack::nothing : GivesBack::some;
  if (const auto refusal = refuse_not_held(c, *order, gives_back)) return *refusal;
  CHECK(order->state == OrderState::held);
  const Selection picked = pick(c, order->taken, act.lines);
  if (picked.shortage) return verdict_of(picked.shortage->outcome, order->id, picked.shortage->detail);

  // From here it must succeed.
  const Reason reason = c.because(order->id, "order");
  for (const Allocation& part : picked.parts) {
    post(c.state, part.item, part.bucket, Action::confirm, part.quantity, reason);
  }
  give_back(c, *order, picked.rest, Action::cancel, reason);
  order->returned = picked.rest;
  enter(c, *order, OrderState::paid);
  return verdict_of(Outcome::confirmed, order->id);
}

Verdict cancel(DecisionContext& c, const Cancel& act) {
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (const auto refusal = refuse_not_held(c, *order, GivesBack::some)) return *refusal;

  // From here it must succeed.
  give_back(c, *order, order->taken, Action::cancel, c.because(order->id, "order"));
  enter(c, *order, OrderState::cancelled);
  return verdict_of(Outcome::cancelled, order->id);
}

Verdict expire(DecisionContext& c, const Expire& act) {
  Order* order = c.state.find_order(act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (is_due(c, *order) && !may_release(c, *order)) return verdict_of(Outcome::frozen, order->id);
  if (is_due(c, *order)) expire_order(c, *order);
  if (order->state == OrderState::expired) return verdict_of(Outcome::expired, order->id);
  return refuse_in_state(*order);
}

}  // namespace gavel::rules
