#include "rules/changes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "rules/taking.h"

namespace gavel::rules {
namespace {

// When the hold of `order` ends at the latest, however often it is extended.
Time cap_of(const DecisionContext& c, const Order& order) {
  CHECK(order.expires_at && c.policy.hold_lengths_max >= 1);
  const Duration first = order.first_expires_at.value_or(*order.expires_at) - order.created_at;
  return order.created_at + std::min<Duration>(c.policy.hold_lengths_max * first, hold_max);
}

// The difference between an order and the lines that it is to have.
struct Difference {
  std::vector<RequestedLine> rises;  // With the number of additional units.
  std::vector<Allocation> falls;
  bool is_none() const { return rises.empty() && falls.empty(); }
};

// Parts return in the order in which they are listed, so that an order uses few buckets (A6).
Difference difference_of(const Order& order, const std::vector<RequestedLine>& lines) {
  std::map<ItemId, Quantity> surplus;
  for (const Allocation& part : order.taken) surplus[part.item] += part.quantity;
  for (const RequestedLine& line : lines) surplus[line.item] -= line.quantity;
  Difference difference;
  for (const RequestedLine& line : lines) {
    const Quantity missing = no_units - surplus[line.item];
    if (missing > no_units) difference.rises.push_back({line.code, line.item, missing, line.quota});
  }
  for (const Allocation& part : order.taken) {
    const Quantity returns = std::min(surplus[part.item], part.quantity);
    if (returns <= no_units) continue;
    surplus[part.item] -= returns;
    difference.falls.push_back({part.item, part.bucket, returns});
  }
  return difference;
}

// The refusal of the additional units of a held order.
std::optional<Verdict> refuse_rise(DecisionContext& c, const Activity* activity,
                                   const std::vector<RequestedLine>& rises) {
  if (rises.empty()) return std::nullopt;
  if (auto refusal = refuse_frozen(c, activity, rises)) return refusal;
  if (activity != nullptr) {
    if (auto refusal = refuse_window(c, *activity)) return refusal;
    if (auto refusal = refuse_claims(c, *activity, rises)) return refusal;
  }
  return refuse_shortage(c, rises);
}

// Units by stock item and bucket, in the form that an order keeps them in.
class Parts {
 public:
  explicit Parts(const std::vector<Allocation>& taken) { add(taken, 1); }

  void add(const std::vector<Allocation>& parts, std::int64_t times) {
    for (const Allocation& part : parts)
      units_[{part.item, part.bucket}].units += times * part.quantity.units;
  }

  std::vector<Allocation> taken() const {
    std::vector<Allocation> all;
    for (const auto& [place, units] : units_) {
      CHECK(units >= no_units);
      if (units > no_units) all.push_back({place.first, place.second, units});
    }
    return all;
  }

 private:
  std::map<std::pair<ItemId, BucketNo>, Quantity> units_;
};

}  // namespace

Verdict extend(DecisionContext& c, const Extend& act) {
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  if (const auto refusal = refuse_not_held(c, *order, GivesBack::nothing)) return *refusal;
  const Time wished = c.now + act.seconds.value_or(c.policy.extend_default);
  const Time cap = cap_of(c, *order);
  Detail detail;
  detail.expires_at = order->expires_at;
  if (wished > *order->expires_at && cap <= *order->expires_at) {
    return verdict_of(Outcome::hold_capped, order->id, detail);
  }

  // From here it must succeed. A hold that already lasts as long stays as it is.
  if (wished > *order->expires_at) {
    if (!order->first_expires_at) order->first_expires_at = order->expires_at;
    order->expires_at = std::min(wished, cap);
    ++order->extensions;
    touch(*order);
  }
  detail.expires_at = order->expires_at;
  return verdict_of(Outcome::extended, order->id, detail);
}

// Whether the sale is open is checked only if units are to be taken: for a settled order the answer is its
// state, and surplus units may always return.
Verdict change_order(DecisionContext& c, const ChangeOrder& act) {
  CHECK(!act.lines.empty());
  Order* order = find_order_in_scope(c, act.order);
  if (order == nullptr) return verdict_of(Outcome::unknown_order);
  const Activity* activity = c.state.find_activity(order->activity);
  std::vector<RequestedLine> lines;
  for (const Line& line : act.lines) {
    const std::optional<RequestedLine> wanted = find_line(c, activity, line, order->user);
    if (!wanted) return verdict_of(Outcome::unknown_sku, of_sku(line.sku));
    lines.push_back(*wanted);
  }
  if (const auto refusal = refuse_not_held(c, *order, GivesBack::some)) return *refusal;
  const Difference difference = difference_of(*order, lines);
  if (auto refusal = refuse_rise(c, activity, difference.rises)) {
    // limit_reached names the order of the user's latest claim instead.
    if (refusal->outcome != Outcome::limit_reached) refusal->order = order->id;
    return *refusal;
  }

  // From here it must succeed.
  const Reason reason = c.because(order->id, "change");
  Parts parts(order->taken);
  give_back(c, *order, difference.falls, Action::cancel, reason);
  parts.add(difference.falls, -1);
  for (const RequestedLine& line : difference.rises) {
    parts.add(take(c, activity, line, {order->account, order->user}, Action::reserve, reason), 1);
  }
  if (!difference.is_none()) {
    order->taken = parts.taken();
    touch(*order);
  }
  CHECK(order->state == OrderState::held && !order->taken.empty());
  Detail detail;
  detail.expires_at = order->expires_at;
  return verdict_of(Outcome::changed, order->id, detail);
}

}  // namespace gavel::rules
