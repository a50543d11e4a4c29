#include "rules/refunds.h"

#include <algorithm>

#include "base/check.h"
#include "rules/holds.h"

namespace gavel::rules {
namespace {

// False if somebody other than Gavel changed the numbers `where` of the buckets of these units.
bool are_there(const DecisionContext& c, const std::vector<Allocation>& parts, Quantity Bucket::* where) {
  return std::ranges::all_of(parts, [&](const Allocation& part) {
    const Item& item = c.state.item(part.item);
    return part.quantity > no_units && !is_unsound(item) &&
           item.buckets[static_cast<std::size_t>(part.bucket)].*where >= part.quantity;
  });
}

// False if somebody other than Gavel changed the order itself, the numbers of the buckets of its units, or
// the free stock that they would move on to.
bool may_refund(const DecisionContext& c, const Order& order) {
  if (!are_there(c, order.unshipped(), &Bucket::sold)) return false;
  if (!are_there(c, order.shipped, &Bucket::shipped)) return false;
  const Activity* activity = c.state.find_activity(order.activity);
  if (activity == nullptr || activity->state != ActivityState::closed) return true;
  return std::ranges::none_of(order.kept(), [&](const Allocation& part) {
    return is_unsound(c.state.item(c.state.sku_of(c.state.item(part.item).sku).free_item));
  });
}

// What a refund may take, in the order in which it does: first what lies here.
std::vector<Allocation> refundable(const Order& order, RefundFrom from) {
  std::vector<Allocation> parts = from == RefundFrom::buyer ? std::vector<Allocation>{} : order.unshipped();
  if (from != RefundFrom::shelf) parts.insert(parts.end(), order.shipped.begin(), order.shipped.end());
  return parts;
}

// If an item is short, only units that exist can be written off. The other units never existed: giving them
// up covers the shortage.
void give_up(DecisionContext& c, const Allocation& part, bool restocks, const Reason& reason) {
  const Item& item = c.state.item(part.item);
  const Quantity there = item.total() - item.shortage();
  const Quantity gone = restocks ? no_units : std::min(part.quantity, there);
  if (gone > no_units) post(c.state, part.item, part.bucket, Action::write_off, gone, reason);
  CHECK(gone >= no_units && gone <= part.quantity);
  const Quantity back = part.quantity - gone;
  if (back > no_units) post(c.state, part.item, part.bucket, Action::refund, back, reason);
}

// Of units that the buyer has, none is missing.
void take_from_buyer(DecisionContext& c, Order& order, const Allocation& part, bool restocks,
                     const Reason& reason) {
  const Action action = restocks ? Action::take_back : Action::write_off_shipped;
  post(c.state, part.item, part.bucket, action, part.quantity, reason);
  remove_part(order.shipped, part);
}

// Of a paid order from which units returned.
OrderState state_by_units(const Order& order) {
  if (order.kept().empty()) return OrderState::refunded;
  if (order.shipped.empty()) return OrderState::partly_refunded;
  return order.unshipped().empty() ? OrderState::shipped : OrderState::partly_shipped;
}

}  // namespace

Verdict refund(DecisionContext& c, const Refund& act) {
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (const auto refusal = refuse_strange_sku(c, *order, act.lines)) return *refusal;
  if (!may_refund(c, *order)) return verdict_of(Outcome::frozen, order->id);
  const Selection picked = pick(c, refundable(*order, act.from), act.lines);
  if (!is_paid(order->state) || (act.lines.empty() && picked.parts.empty())) return refuse_in_state(*order);
  if (picked.shortage) return verdict_of(picked.shortage->outcome, order->id, picked.shortage->detail);

  // From here it must succeed. Each part is from one place, and those of the shelf come first.
  const bool restocks = act.restock == Restock::yes;
  const Reason reason = c.because(order->id, "order");
  std::vector<Allocation> here =
      act.from == RefundFrom::buyer ? std::vector<Allocation>{} : order->unshipped();
  CHECK(!picked.parts.empty());
  for (const Allocation& part : picked.parts) {
    if (units_at(here, part.item, part.bucket) > no_units) {
      remove_part(here, part);
      give_up(c, part, restocks, reason);
    } else {
      take_from_buyer(c, *order, part, restocks, reason);
    }
    add_part(order->returned, part);
  }
  if (restocks) pass_on(c, *order, picked.parts, reason);
  enter(c, *order, state_by_units(*order));
  Detail detail;
  detail.state = std::string(word(order->state));
  return verdict_of(Outcome::refunded, order->id, detail);
}

}  // namespace gavel::rules
