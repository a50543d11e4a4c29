#include <algorithm>
#include <utility>

#include "judge/audit/parts.h"
#include "rules/command.h"

namespace gavel::judge {
namespace {

using rules::Action;
using rules::Order;
using rules::OrderState;

bool is_taking(Action action) { return action == Action::reserve || action == Action::sell; }
// What a request may name line by line: a payment, or what comes back after it.
bool leaves_order(Action action) {
  return action == Action::confirm || action == Action::refund || action == Action::write_off;
}
bool is_settling(Action action) {
  return action == Action::confirm || action == Action::cancel || action == Action::expire;
}

// What the flows of one part of an order must say, where its row says that so many were taken there and so
// many have returned.
struct Part {
  std::int64_t taken = 0;
  std::int64_t returned = 0;
};

// `changed` is what of it changes of the held order took and gave back.
bool matches(const Units& units, const Units& changed, OrderState state, Part part) {
  const std::int64_t given_back = changed[Action::cancel];
  const std::int64_t refunded = units[Action::refund] + units[Action::write_off];
  const std::int64_t left = units[Action::confirm] + units[Action::sell] - refunded;
  const std::int64_t others = units[Action::receive] + units[Action::move_in] + units[Action::move_out] +
                              units[Action::adjust_in] + units[Action::adjust_out] +
                              units[Action::fall_short] + units[Action::make_good];
  const std::int64_t held = units[Action::reserve] - given_back;
  // Of a hold that was paid in part the rest was cancelled.
  const std::int64_t rest = units[Action::cancel] - given_back;
  if (others != 0) return false;
  const bool is_paid = state == OrderState::paid || state == OrderState::partly_refunded;
  if (is_paid || state == OrderState::refunded) {
    const bool sold_at_once = units[Action::sell] > 0;
    return held == units[Action::confirm] + rest && units[Action::expire] == 0 &&
           part.returned == rest + refunded && (state != OrderState::paid || refunded == 0) &&
           (!sold_at_once || held == 0);
  }
  const std::int64_t cancelled = state == OrderState::cancelled ? part.taken : 0;
  const std::int64_t expired = state == OrderState::expired ? part.taken : 0;
  return part.returned == 0 && left == 0 && refunded == 0 && rest == cancelled &&
         units[Action::expire] == expired;
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

void OrderAudit::sku(const rules::Sku& row) {
  skus_.emplace(row.id, row.code);
  sku_codes_.insert(rules::escaped_code(row.code.text()));
}

void OrderAudit::activity(const rules::Activity& row) {
  activities_.emplace(row.id, row);
  activity_states_.emplace(rules::escaped_code(row.code.text()), row.state);
}

void OrderAudit::item(const rules::Item& row) { items_.emplace(row.id, std::pair(row.sku, row.activity)); }

void OrderAudit::flow_by_batch(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  if (!flow.key) return;
  Effect& effect = effects_[{{flow.caller, *flow.key}, flow.at}];
  // What pays a shortage follows from what brought the units, whatever that was; the stock's audit follows
  // it.
  if (flow.source == "shortage") {
    effect.paid += flow.action == Action::make_good ? flow.quantity.units : 0;
    return;
  }
  effect.units[flow.action] += flow.quantity.units;
  if (flow.order) effect.orders.insert(*flow.order);
  const auto item = items_.find(flow.item);
  if (item != items_.end())
    effect.skus[item->second.first] += leaves_order(flow.action) ? flow.quantity.units : 0;
}

void OrderAudit::flow_by_order(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  const auto [at, is_first] = stories_.try_emplace(*flow.order);
  Story& story = at->second;
  if (is_first) story.first = name_of(flow);
  story.parts[{flow.item, flow.bucket}][flow.action] += flow.quantity.units;
  story.units[flow.action] += flow.quantity.units;
  const bool is_change = flow.source == "change";
  if (is_change) {
    story.changed[{flow.item, flow.bucket}][flow.action] += flow.quantity.units;
    const std::int64_t units = is_taking(flow.action) ? flow.quantity.units : -flow.quantity.units;
    const rules::RequestKey key = flow.key.value_or(rules::RequestKey("-"));
    story.changes.push_back(
        {flow.at, row.batch, row.i, {flow.caller, key}, {flow.item, flow.bucket}, flow.seq, units});
  }
  const std::int32_t next = ++story.rows[{flow.item, flow.bucket, flow.action}];
  if (flow.occurrence != next && story.strange.empty()) {
    story.strange = name_of(flow) + " says occurrence " + std::to_string(flow.occurrence) + " of " +
                    std::string(word(flow.action)) + ", and is number " + std::to_string(next);
  }
  if (is_taking(flow.action)) {
    story.taken_at = std::min(story.taken_at.value_or(flow.at), flow.at);
  } else if (is_settling(flow.action) && !is_change) {
    story.settled_at = std::max(story.settled_at.value_or(flow.at), flow.at);
  }
}

void OrderAudit::order(const Order& row) {
  const auto found = stories_.extract(row.id);
  Story none{};
  Story& story = found ? found.mapped() : none;
  Wrong wrong = wrong_parts(row, story);
  if (!wrong && !story.strange.empty()) wrong = "is wrongly counted: " + story.strange;
  if (!wrong) wrong = wrong_times(row, story);
  if (!wrong) wrong = wrong_pool(row, story);
  if (wrong) add_finding(report_, "orders", name_of(row.id) + " " + *wrong);

  Known& known =
      orders_.emplace(row.id, Known{row.state, row.user, {}, row.expires_at, {}, false}).first->second;
  for (const auto& [part, units] : story.parts) {
    const std::int64_t taken = units[Action::reserve] + units[Action::sell];
    const auto changed = story.changed.find(part);
    const std::int64_t later = changed == story.changed.end() ? 0 : changed->second[Action::reserve];
    if (items_.contains(part.first)) known.units[code_of(part.first)] += taken - later;
  }
  replay_changes(story, known);
  count_claims(row, story);
  if (row.state != OrderState::held || !row.expires_at) return;
  for (const auto& [part, units] : story.parts) {
    const auto changed = story.changed.find(part);
    const std::int64_t back = changed == story.changed.end() ? 0 : changed->second[Action::cancel];
    if (units[Action::reserve] != back) holds_.emplace(part.first, *row.expires_at, row.id);
  }
}

// In the order of their batches, as lanes and chains say; where those leave it open, by time. False if that
// leaves it open as well.
bool OrderAudit::put_in_order(std::vector<Step>& changes) {
  std::ranges::sort(changes, {}, [](const Step& step) { return std::tuple(step.batch, step.i); });
  std::vector<BatchLinks<Place>> batches;
  for (const Step& step : changes) {
    if (batches.empty() || batches.back().batch != step.batch) batches.push_back({step.batch});
    batches.back().add(step.place, step.seq);
  }
  if (const auto order = order_of_batches(batches)) {
    std::map<BatchId, std::size_t> ranks;
    for (const std::size_t i : *order) ranks.emplace(batches[i].batch, ranks.size());
    std::ranges::sort(changes, {}, [&](const Step& step) { return std::pair(ranks.at(step.batch), step.i); });
    return true;
  }
  std::ranges::sort(changes, {}, [](const Step& step) { return std::tuple(step.at, step.batch, step.i); });
  return std::ranges::adjacent_find(changes, [](const Step& one, const Step& next) {
           return one.at == next.at && one.batch.lane != next.batch.lane;
         }) == changes.end();
}

// What the order had after each change, whichever bucket it moved first.
void OrderAudit::replay_changes(Story& story, Known& known) {
  if (story.changes.empty()) return;
  known.unordered = !put_in_order(story.changes);
  UnitsBySku units = known.units;
  for (const Step& step : story.changes) {
    const rules::ItemId item = step.place.first;
    if (items_.contains(item)) units[code_of(item)] += step.units;
    known.changes.emplace_back(step.at, text_of(units));
    changed_to_[step.request] = known.changes.back().second;
  }
}

OrderAudit::Wrong OrderAudit::wrong_parts(const Order& row, const Story& story) const {
  const std::string is = "is " + std::string(word(row.state));
  std::map<Place, Part> parts;
  for (const auto& [place, units] : story.parts) parts[place];
  for (const rules::Allocation& part : row.taken)
    parts[{part.item, part.bucket}].taken += part.quantity.units;
  for (const rules::Allocation& part : row.returned) {
    parts[{part.item, part.bucket}].returned += part.quantity.units;
  }
  for (const auto& [place, part] : parts) {
    const std::string where = name_of(place.first, place.second);
    const auto found = story.parts.find(place);
    const Units units = found == story.parts.end() ? Units() : found->second;
    const auto change = story.changed.find(place);
    const Units changed = change == story.changed.end() ? Units() : change->second;
    const std::int64_t by_flows = units[Action::reserve] + units[Action::sell] - changed[Action::cancel];
    if (part.taken != by_flows) {
      return "says that it took " + std::to_string(part.taken) + " from " + where + ", its flows say " +
             std::to_string(by_flows);
    }
    if (row.state == OrderState::refused || !matches(units, changed, row.state, part)) {
      const std::string back =
          part.returned == 0 ? "" : " and says that " + std::to_string(part.returned) + " returned";
      return is + back + ", but its flows in " + where + " say " + units.text();
    }
  }
  if (row.state != OrderState::refused && story.parts.empty()) return is + ", but has no flows";
  return wrong_state(row);
}

// What its parts cannot say one by one: whether anything is left, and whether anything was refunded.
OrderAudit::Wrong OrderAudit::wrong_state(const Order& row) const {
  std::int64_t left = 0;
  for (const rules::Allocation& part : row.taken) left += part.quantity.units;
  for (const rules::Allocation& part : row.returned) left -= part.quantity.units;
  const std::string is = "is " + std::string(word(row.state));
  if (row.state == OrderState::refunded && left != 0)
    return is + ", but has " + std::to_string(left) + " left";
  const bool has_some = row.state == OrderState::paid || row.state == OrderState::partly_refunded;
  if (has_some && left == 0) return is + ", but has nothing left";
  return std::nullopt;
}

OrderAudit::Wrong OrderAudit::wrong_times(const Order& row, const Story& story) const {
  if (row.state == OrderState::refused) return std::nullopt;
  if (story.taken_at != row.created_at) return "was made at another time than its flows say";
  const bool was_held = story.units[Action::reserve] > 0;
  if (was_held != row.expires_at.has_value()) {
    return was_held ? "was held, but its hold has no end" : "was never held, but its hold has an end";
  }
  if (row.first_expires_at.has_value() != (row.extensions > 0))
    return "does not know how often it was extended";
  if (row.first_expires_at > row.expires_at) return "was extended to an earlier time";
  if (row.first_expires_at && *row.expires_at > row.created_at + rules::hold_max) {
    return "was extended beyond the longest hold";
  }
  if (story.settled_at != row.settled_at) return "was settled at another time than its flows say";
  if (!story.settled_at) return std::nullopt;
  const bool past = story.settled_at >= row.expires_at;
  if (row.state == OrderState::expired && !past) return "expired before its hold's end";
  if (row.state != OrderState::expired && past) {
    return "was " + std::string(word(row.state)) + " after its hold's end";
  }
  return std::nullopt;
}

OrderAudit::Wrong OrderAudit::wrong_pool(const Order& row, const Story& story) const {
  for (const auto& [part, units] : story.parts) {
    const auto item = items_.find(part.first);
    if (item == items_.end() || item->second.second != row.activity) {
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
    const std::int64_t kept =
        units[Action::reserve] + units[Action::sell] - units[Action::cancel] - units[Action::expire];
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
  } else if (row.quota.claimed > row.quota.allowed) {
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
                  to_text(row.expires_at) + ", but the order does not hold it so");
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
