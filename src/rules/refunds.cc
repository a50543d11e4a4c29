#include "rules/refunds.h"

#include <algorithm>

#include "base/check.h"
#include "rules/holds.h"

namespace gavel::rules {
namespace {

// False if somebody other than Gavel changed the order itself, the numbers of the buckets of its sold units,
// or the free stock that they would move on to.
bool may_refund(const DecisionContext& c, const Order& order, const std::vector<Allocation>& kept) {
  const Activity* activity = c.state.find_activity(order.activity);
  const bool moves_on = activity != nullptr && activity->state == ActivityState::closed;
  return std::ranges::all_of(kept, [&](const Allocation& part) {
    const Item& item = c.state.item(part.item);
    if (part.quantity <= no_units || is_unsound(item) ||
        item.buckets[static_cast<std::size_t>(part.bucket)].sold < part.quantity) {
      return false;
    }
    return !moves_on || !is_unsound(c.state.item(c.state.sku_of(item.sku).free_item));
  });
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

void add_returned(Order& order, const Allocation& part) {
  for (Allocation& back : order.returned) {
    if (back.item != part.item || back.bucket != part.bucket) continue;
    back.quantity += part.quantity;
    return;
  }
  order.returned.push_back(part);
}

}  // namespace

Verdict refund(DecisionContext& c, const Refund& act) {
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (const auto refusal = refuse_strange_sku(c, *order, act.lines)) return *refusal;
  const bool paid = order->state == OrderState::paid || order->state == OrderState::partly_refunded;
  const std::vector<Allocation> kept = paid ? order->kept() : std::vector<Allocation>{};
  if (!may_refund(c, *order, kept)) return verdict_of(Outcome::frozen, order->id);
  if (!paid) return refuse_in_state(*order);
  const Selection picked = pick(c, kept, act.lines);
  if (picked.shortage) return verdict_of(picked.shortage->outcome, order->id, picked.shortage->detail);

  // From here it must succeed.
  const bool restocks = act.restock == Restock::yes;
  const Reason reason = c.because(order->id, "order");
  for (const Allocation& part : picked.parts) {
    give_up(c, part, restocks, reason);
    add_returned(*order, part);
  }
  if (restocks) pass_on(c, *order, picked.parts, reason);
  CHECK(!picked.parts.empty());
  enter(c, *order, picked.rest.empty() ? OrderState::refunded : OrderState::partly_refunded);
  Detail detail;
  detail.state = std::string(word(order->state));
  return verdict_of(Outcome::refunded, order->id, detail);
}

}  // namespace gavel::rules
