#include "judge/audit/effects.h"

#include "judge/audit/record_bytes.h"

namespace gavel::judge {
namespace {

using rules::Action;

// What a request may name line by line: a payment, and what leaves or comes back after it.
bool leaves_order(Action action) {
  return action == Action::confirm || action == Action::refund || action == Action::write_off ||
         action == Action::ship || action == Action::take_back || action == Action::write_off_shipped;
}

}  // namespace

std::int64_t Units::sum() const {
  std::int64_t all = 0;
  for (const std::int64_t part : units_) all += part;
  return all;
}

std::string Units::text() const {
  std::string text;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::string(word(static_cast<Action>(i))) + " " + std::to_string(units_[i]);
  }
  return text.empty() ? "nothing" : text;
}

EffectPart EffectPart::of(const rules::Flow& flow) {
  return {flow.item, flow.action, flow.quantity.units, flow.order, flow.source == "shortage"};
}

EffectPart EffectPart::parse(std::string_view bytes) {
  RecordReader from(bytes);
  EffectPart part;
  part.item = {from.number()};
  part.action = static_cast<Action>(from.byte());
  part.units = from.number();
  part.order = from.optional_order();
  part.follows_shortage = from.byte() != 0;
  return part;
}

std::string EffectPart::bytes() const {
  RecordWriter to;
  to.number(item.value).byte(static_cast<std::uint8_t>(action)).number(units).optional_order(order);
  return to.byte(follows_shortage ? 1 : 0).bytes();
}

void EffectPart::add_to(Effect& effect, const Catalogue& catalogue) const {
  // What pays a shortage follows from what brought the units, whatever that was; the stock's audit follows
  // it.
  if (follows_shortage) {
    effect.paid += action == Action::make_good ? units : 0;
    return;
  }
  effect.units[action] += units;
  if (order) effect.orders.insert(*order);
  const Catalogue::Pool* pool = catalogue.pool_of(item);
  if (pool != nullptr) effect.skus[pool->sku] += leaves_order(action) ? units : 0;
}

bool is_own(const rules::Flow& flow) {
  return flow.order && flow.key && flow.key->uuid7() == flow.order->uuid;
}

}  // namespace gavel::judge
