#include "rules/shipping.h"

#include <algorithm>

#include "base/check.h"
#include "rules/holds.h"

namespace gavel::rules {
namespace {

// False if somebody other than Gavel changed the order itself or the buckets of the units that lie here.
bool may_ship(const DecisionContext& c, const std::vector<Allocation>& here) {
  return std::ranges::all_of(here, [&](const Allocation& part) {
    const Item& item = c.state.item(part.item);
    return part.quantity > no_units && !is_unsound(item) &&
           item.buckets[static_cast<std::size_t>(part.bucket)].sold >= part.quantity;
  });
}

// Units that leave were there. Where the item is then short of more units than its orders have left, the
// units that are too many in the shortage never were missing: they are found, and make it good.
void find_missing(DecisionContext& c, const Allocation& part) {
  const Item& item = c.state.item(part.item);
  const Quantity found = item.shortage() - (item.total() - part.quantity);
  if (found <= no_units) return;
  for (const Allocation& gain : spread(item, found)) {
    post(c.state, gain.item, gain.bucket, Action::adjust_in, gain.quantity, c.because(std::nullopt, "ship"));
  }
}

}  // namespace

Verdict ship(DecisionContext& c, const Ship& act) {
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (const auto refusal = refuse_strange_sku(c, *order, act.lines)) return *refusal;
  const std::vector<Allocation> here = order->unshipped();
  const Selection picked = pick(c, here, act.lines);
  if (picked.parts.empty() && !pick(c, order->shipped, act.lines).parts.empty()) {
    return verdict_of(Outcome::already_shipped, order->id);
  }
  if (!may_ship(c, here)) return verdict_of(Outcome::frozen, order->id);
  if (!is_paid(order->state)) return refuse_in_state(*order);
  if (picked.shortage) return verdict_of(picked.shortage->outcome, order->id, picked.shortage->detail);

  // From here it must succeed.
  CHECK(!picked.parts.empty());
  for (const Allocation& part : picked.parts) {
    find_missing(c, part);
    post(c.state, part.item, part.bucket, Action::ship, part.quantity, c.because(order->id, "order"));
    add_part(order->shipped, part);
  }
  enter(c, *order, picked.rest.empty() ? OrderState::shipped : OrderState::partly_shipped);
  Detail detail;
  detail.state = std::string(word(order->state));
  return verdict_of(Outcome::shipped, order->id, detail);
}

}  // namespace gavel::rules
