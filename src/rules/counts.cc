#include "rules/counts.h"

#include "base/check.h"
#include "rules/holds.h"

namespace gavel::rules {
namespace {

// The version that GET /v1/stock shows: it rises with every change of any bucket.
std::int64_t version_of(const Item& item) {
  std::int64_t sum = 0;
  for (const Bucket& bucket : item.buckets) sum += bucket.seq;
  return sum;
}

Verdict say_of_item(Outcome outcome, const Item& item) {
  Detail detail;
  detail.version = version_of(item);
  const Quantity shortage = item.shortage();
  if (traits(outcome).act && shortage > no_units) detail.shortage = shortage;
  return verdict_of(outcome, detail);
}

// Refuses to take more units from the free item than are on hand. Up to that it is allowed, whatever orders
// hold (E7); due holds are released first.
std::optional<Verdict> refuse_withdrawal(DecisionContext& c, const SkuCode& sku, const Item& item,
                                         Quantity units) {
  if (units <= no_units || make_room(c, item.id, units)) return std::nullopt;
  if (c.state.due_unseen.contains(item.id)) return verdict_of(Outcome::overloaded);
  if (units <= item.on_hand()) return std::nullopt;
  count_refusal(c, item.id);
  Detail detail = of_sku(sku);
  detail.available = item.on_hand();
  return verdict_of(Outcome::insufficient, detail);
}

void correct(DecisionContext& c, const Item& item, Quantity difference, const std::string& source) {
  CHECK(!is_unsound(item));
  const Reason reason = c.because(std::nullopt, source);
  if (difference > no_units) {
    for (const Allocation& part : spread(item, difference)) {
      post(c.state, part.item, part.bucket, Action::adjust_in, part.quantity, reason);
    }
  }
  if (difference < no_units) withdraw(c.state, item.id, no_units - difference, reason);
}

Verdict refuse_total(std::string_view field) {
  return malformed(std::string(field) + ": the SKU's total would be above 10^12");
}

}  // namespace

Verdict adjust(DecisionContext& c, const Adjust& act) {
  const Sku* sku = c.state.find_sku(act.sku);
  if (sku == nullptr) return verdict_of(Outcome::unknown_sku, of_sku(act.sku));
  const Item& item = c.state.item(sku->free_item);
  // Unsound numbers are not added up.
  const bool sound = !is_unsound(item);
  if (sound && act.difference > no_units &&
      item.total() + item.shipped() + act.difference > total_units_max) {
    return refuse_total("difference");
  }
  if (!sound) return verdict_of(Outcome::frozen, of_sku(act.sku));
  if (const auto refusal = refuse_withdrawal(c, act.sku, item, no_units - act.difference)) return *refusal;

  // From here it must succeed.
  correct(c, item, act.difference, "adjust:" + act.reason);
  return say_of_item(Outcome::adjusted, item);
}

Verdict count(DecisionContext& c, const Count& act) {
  const Sku* sku = c.state.find_sku(act.sku);
  if (sku == nullptr) return verdict_of(Outcome::unknown_sku, of_sku(act.sku));
  const Item& item = c.state.item(sku->free_item);
  const bool sound = !is_unsound(item);
  const Quantity on_hand = sound ? item.on_hand() : no_units;
  const Quantity others = sound ? item.total() + item.shipped() - on_hand : no_units;
  if (sound && act.counted > on_hand && others + act.counted > total_units_max) {
    return refuse_total("counted");
  }
  if (!sound) return verdict_of(Outcome::frozen, of_sku(act.sku));
  if (act.version != version_of(item)) return say_of_item(Outcome::version_conflict, item);
  const Quantity difference = act.counted - on_hand;
  if (const auto refusal = refuse_withdrawal(c, act.sku, item, no_units - difference)) return *refusal;

  // From here it must succeed. Holds that were released on the way are still on hand.
  correct(c, item, difference, "count");
  return say_of_item(Outcome::counted, item);
}

}  // namespace gavel::rules
