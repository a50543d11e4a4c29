#include <utility>

#include "judge/audit_parts.h"

namespace gavel::judge {
namespace {

using rules::Action;
using rules::Order;
using rules::OrderState;

std::int64_t& of(std::array<std::int64_t, 8>& units, Action action) {
  return units[static_cast<std::size_t>(action)];
}
std::int64_t of(const std::array<std::int64_t, 8>& units, Action action) {
  return units[static_cast<std::size_t>(action)];
}

bool is_taking(Action action) { return action == Action::reserve || action == Action::sell; }

// What the flows of one part of an order must sum to, given how many units it took and how.
struct Expected {
  std::int64_t reserve = 0;
  std::int64_t sell = 0;
  std::int64_t confirm = 0;
  std::int64_t cancel = 0;
  std::int64_t expire = 0;
};

Expected expected_of(OrderState state, std::int64_t units, bool sold_at_once) {
  switch (state) {
    case OrderState::refused:
      return {};
    case OrderState::held:
      return {.reserve = units};
    case OrderState::paid:
      return sold_at_once ? Expected{.sell = units} : Expected{.reserve = units, .confirm = units};
    case OrderState::cancelled:
      return {.reserve = units, .cancel = units};
    case OrderState::expired:
      return {.reserve = units, .expire = units};
  }
  return {};
}

bool matches(const Expected& expected, const std::array<std::int64_t, 8>& units) {
  return of(units, Action::reserve) == expected.reserve && of(units, Action::sell) == expected.sell &&
         of(units, Action::confirm) == expected.confirm && of(units, Action::cancel) == expected.cancel &&
         of(units, Action::expire) == expected.expire && of(units, Action::receive) == 0 &&
         of(units, Action::move_in) == 0 && of(units, Action::move_out) == 0;
}

std::string text_of(const std::array<std::int64_t, 8>& units) {
  std::string text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::string(word(static_cast<Action>(i))) + " " + std::to_string(units[i]);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

void OrderAudit::sku(const rules::Sku& row) {
  skus_.emplace(row.id, row.code);
  sku_codes_.insert(row.code.text());
}

void OrderAudit::activity(const rules::Activity& row) {
  activities_.emplace(row.id, row);
  activity_states_.emplace(row.code.text(), row.state);
}

void OrderAudit::item(const rules::Item& row) { items_.emplace(row.id, std::pair(row.sku, row.activity)); }

void OrderAudit::flow_by_batch(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  if (!flow.key) return;
  Effect& effect = effects_[{flow.caller, *flow.key}];
  of(effect.units, flow.action) += flow.quantity.units;
  if (flow.order) effect.orders.insert(*flow.order);
  if (const auto item = items_.find(flow.item); item != items_.end()) effect.skus.insert(item->second.first);
}

void OrderAudit::flow_by_order(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  const auto [at, first] = stories_.try_emplace(*flow.order, Story{{}, {}, {}, {}, name_of(flow)});
  Story& story = at->second;
  of(story.parts[{flow.item, flow.bucket}], flow.action) += flow.quantity.units;
  of(story.units, flow.action) += flow.quantity.units;
  (is_taking(flow.action) ? story.taken_at : story.settled_at) = flow.at;
}

void OrderAudit::order(const Order& row) {
  const auto found = stories_.extract(row.id);
  const Story none{};
  const Story& story = found ? found.mapped() : none;
  Wrong wrong = wrong_parts(row, story);
  if (!wrong) wrong = wrong_times(row, story);
  if (!wrong) wrong = wrong_pool(row, story);
  if (wrong) add_finding(report_, "orders", name_of(row.id) + " " + *wrong);

  Known& known = orders_.emplace(row.id, Known{row.state, row.user, {}}).first->second;
  for (const auto& [part, units] : story.parts) {
    if (items_.contains(part.first)) {
      known.units[code_of(part.first)] += of(units, Action::reserve) + of(units, Action::sell);
    }
  }
  count_claims(row, story);
  if (row.state != OrderState::held || !row.expires_at) return;
  for (const auto& [part, units] : story.parts) holds_.emplace(part.first, *row.expires_at, row.id);
}

OrderAudit::Wrong OrderAudit::wrong_parts(const Order& row, const Story& story) const {
  const std::string is = "is " + std::string(word(row.state));
  const bool sold_at_once = of(story.units, Action::sell) > 0;
  std::map<std::pair<rules::ItemId, rules::BucketNo>, std::int64_t> taken;
  for (const rules::Taken& part : row.taken) taken[{part.item, part.bucket}] += part.quantity.units;
  for (const auto& [part, units] : story.parts) {
    const std::string where = name_of(part.first, part.second);
    const auto found = taken.extract(part);
    const std::int64_t took = found ? found.mapped() : 0;
    const std::int64_t by_flows = of(units, Action::reserve) + of(units, Action::sell);
    if (!matches(expected_of(row.state, by_flows, sold_at_once), units)) {
      return is + ", but its flows in " + where + " say " + text_of(units);
    }
    if (took != by_flows) {
      return "says that it took " + std::to_string(took) + " from " + where + ", its flows say " +
             std::to_string(by_flows);
    }
  }
  if (!taken.empty()) {
    const auto& [part, units] = *taken.begin();
    return "says that it took " + std::to_string(units) + " from " + name_of(part.first, part.second) +
           ", its flows say 0";
  }
  if (row.state != OrderState::refused && story.parts.empty()) return is + ", but has no flows";
  return std::nullopt;
}

OrderAudit::Wrong OrderAudit::wrong_times(const Order& row, const Story& story) const {
  if (row.state == OrderState::refused) return std::nullopt;
  if (story.taken_at != row.created_at) return "was made at another time than its flows say";
  const bool was_held = of(story.units, Action::reserve) > 0;
  if (was_held != row.expires_at.has_value()) {
    return was_held ? "was held, but its hold has no end" : "was never held, but its hold has an end";
  }
  if (story.settled_at != row.settled_at) return "was settled at another time than its flows say";
  if (!story.settled_at || !was_held) return std::nullopt;
  const bool past = *story.settled_at >= *row.expires_at;
  if (row.state == OrderState::expired && !past) return "expired before its hold's end";
  if (row.state != OrderState::expired && past) {
    return "was " + std::string(word(row.state)) + " after its hold's end";
  }
  return std::nullopt;
}

OrderAudit::Wrong OrderAudit::wrong_pool(const Order& row, const Story& story) const {
  for (const auto& [part, units] : story.parts) {
    const auto item = items_.find(part.first);
    if (item == items_.end() || (row.state != OrderState::refused && item->second.second != row.activity)) {
      return "took from item " + std::to_string(part.first.value) + ", which is of another pool";
    }
  }
  return std::nullopt;
}

// Units that an order has and did not give back count against its user's limit, sold ones included.
void OrderAudit::count_claims(const Order& row, const Story& story) {
  if (row.activity == rules::free_pool) return;
  for (const auto& [part, units] : story.parts) {
    const auto item = items_.find(part.first);
    if (item == items_.end()) continue;
    const std::int64_t kept = of(units, Action::reserve) + of(units, Action::sell) -
                              of(units, Action::cancel) - of(units, Action::expire);
    if (kept != 0) claims_[rules::QuotaKey{row.activity, item->second.first, row.user}] += kept;
  }
}

void OrderAudit::quota(const QuotaRow& row) {
  const auto found = claims_.extract(row.key);
  const std::int64_t units = found ? found.mapped() : 0;
  const std::string who = "user " + row.key.user.text() + " in activity number " +
                          std::to_string(row.key.activity.value) + ", SKU number " +
                          std::to_string(row.key.sku.value);
  if (row.quota.claimed.units != units) {
    add_finding(report_, "quotas",
                who + ": the row says " + std::to_string(row.quota.claimed.units) +
                    " claimed, the orders say " + std::to_string(units));
  } else if (row.quota.claimed.units < 0 || row.quota.claimed > row.quota.allowed) {
    add_finding(report_, "quotas",
                who + ": " + std::to_string(units) + " claimed of " +
                    std::to_string(row.quota.allowed.units) + " allowed");
  } else if (row.quota.order && !orders_.contains(*row.quota.order)) {
    add_finding(report_, "quotas",
                who + ": the claim names " + name_of(*row.quota.order) + ", which does not exist");
  }
}

void OrderAudit::hold(const HoldRow& row) {
  if (holds_.erase({row.item, row.expires_at, row.order}) == 1) return;
  add_finding(report_, "holds",
              name_of(row.order) + " has a hold row on item " + std::to_string(row.item.value) + " until " +
                  to_text(row.expires_at) + ", but does not hold it so");
}

void OrderAudit::finish() {
  for (const auto& [id, story] : stories_) {
    add_finding(report_, "orders", name_of(id) + " has no row, but " + story.first + " names it");
  }
  for (const auto& [item, expires_at, order] : holds_) {
    add_finding(report_, "holds",
                name_of(order) + " holds item " + std::to_string(item.value) + " until " +
                    to_text(expires_at) + ", but has no hold row");
  }
  for (const auto& [key, units] : claims_) {
    const auto activity = activities_.find(key.activity);
    // Without a limit nothing is claimed, and the claims of a closed activity are deleted in time (B3).
    if (activity == activities_.end() || !activity->second.limit_per_user) continue;
    if (activity->second.state == rules::ActivityState::closed) continue;
    add_finding(report_, "quotas",
                "user " + key.user.text() + " has " + std::to_string(units) + " units of " +
                    activity->second.code.text() + ", but no claim");
  }
}

rules::SkuCode OrderAudit::code_of(rules::ItemId item) const {
  const auto sku = skus_.find(items_.at(item).first);
  return sku == skus_.end() ? rules::SkuCode("unknown") : sku->second;
}

}  // namespace gavel::judge
