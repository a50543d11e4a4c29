#include "sim/auditor.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "judge/audit/audit.h"
#include "sim/plain_words.h"
#include "sim/skewed_clock.h"

namespace gavel::sim {
namespace {

// A moment is a nanosecond of the world, so that a thousand events find room in one microsecond.
constexpr std::int64_t moments_per_micro = 1'000;
constexpr std::int64_t moments_per_ms = 1'000 * moments_per_micro;

// A28, as the product has it by default.
constexpr oracle::Moment kept_moments = std::int64_t{48} * 3'600'000 * moments_per_ms;

// Batches of several lanes within one millisecond stand in no order that the ledger tells, and so verify may
// take them for another one. The exact order of the commits is checked here instead: generations by
// count_generations, what an order has after a change by the oracles.
bool is_of_equal_times(const judge::Finding& finding) {
  const bool changed =
      finding.invariant == "requests" && finding.what.find("says changed") != std::string::npos;
  return finding.invariant == "generation" || changed;
}

}  // namespace

oracle::Moment Auditor::moment() {
  latest_ = std::max(latest_ + 1, scheduler_.now().count() * moments_per_micro);
  return latest_;
}

void Auditor::committed(const rules::State& state, judge::BatchId batch, Time) {
  const oracle::Moment at = moment();
  lanes_.insert(batch.lane);
  std::int64_t i = 0;
  for (const rules::Flow& flow : state.flows) {
    flows_.push_back(in_plain_words(flow, batch, i++));
    flows_.back().committed = at;
  }
  count_generations(state);
  watch(state);
}

// A generation begins with each batch that finds nothing and leaves something.
void Auditor::count_generations(const rules::State& state) {
  for (const auto& [id, item] : state.items) {
    std::int64_t& generation = generations_.try_emplace(id, 1).first->second;
    rules::Quantity before;
    for (const rules::Bucket& bucket : item.loaded) before += bucket.available;
    if (item.buckets != item.loaded && before == rules::no_units && item.available() != rules::no_units)
      ++generation;
  }
}

// What a batch shows of rare states.
void Auditor::watch(const rules::State& state) {
  std::set<std::optional<rules::RequestKey>> keys;
  std::set<rules::Action> actions;
  for (const rules::Flow& flow : state.flows) {
    keys.insert(flow.key);
    actions.insert(flow.action);
  }
  using enum rules::Action;
  sightings_.saw_if(actions.contains(take_back) || actions.contains(write_off_shipped),
                    RareState::refunded_by_buyer);
  const bool finds = std::ranges::any_of(
      state.flows, [](const rules::Flow& flow) { return flow.action == adjust_in && flow.source == "ship"; });
  sightings_.saw_if(finds, RareState::shipping_found_units);
  const bool sells = actions.contains(reserve) || actions.contains(sell);
  const bool returns = actions.contains(expire) || actions.contains(cancel) || actions.contains(refund) ||
                       actions.contains(take_back);
  const bool moves_activity = std::ranges::any_of(state.activities, [](const auto& activity) {
    return activity.second.row_state != rules::RowState::clean;
  });
  sightings_.saw_if(!state.forgotten.empty(), RareState::request_forgotten);
  sightings_.saw_if(keys.size() > 1, RareState::batch_of_several);
  sightings_.saw_if(sells && actions.contains(expire), RareState::due_hold_released_by_order);
  sightings_.saw_if(actions.contains(write_off), RareState::refunded_without_restock);
  const bool pays = actions.contains(make_good);
  sightings_.saw_if(returns && actions.contains(move_out) && !moves_activity && !pays,
                    RareState::return_to_closed_activity);
  sightings_.saw_if(actions.contains(fall_short), RareState::total_below_what_is_held);
  sightings_.saw_if(pays && actions.contains(cancel) && !actions.contains(receive),
                    RareState::cancellation_paid_shortage);
  for (const auto& [id, order] : state.orders) watch(order);
  for (const auto& [id, item] : state.items) {
    const bool changed = item.row_state == rules::RowState::updated;
    sightings_.saw_if(changed && item.generation > 1, RareState::generation_raised);
  }
}

void Auditor::watch(const rules::Order& order) {
  std::set<rules::ItemId> items;
  for (const rules::Allocation& part : order.taken) items.insert(part.item);
  const bool is_new = order.row_state == rules::RowState::inserted;
  sightings_.saw_if(is_new && items.size() > 1, RareState::order_of_several_items);
  sightings_.saw_if(is_new && order.taken.size() > items.size(), RareState::order_across_buckets);
  const bool changed = order.row_state == rules::RowState::updated;
  sightings_.saw_if(changed && order.state == rules::OrderState::partly_shipped, RareState::shipped_in_part);
  sightings_.saw_if(changed && order.state == rules::OrderState::partly_refunded,
                    RareState::refunded_in_part);
  const bool paid = order.state == rules::OrderState::paid;
  sightings_.saw_if(changed && paid && !order.returned.empty(), RareState::partial_confirm);
}

oracle::Ledger Auditor::ledger(judge::TablesReader& reader) const {
  oracle::Ledger ledger;
  read_rows(reader, ledger);
  ledger.flows = flows_;
  return ledger;
}

void Auditor::was_shown(const rules::UserId& user, oracle::Moment call, const queries::UserOrders& shown) {
  std::set<std::string> orders;
  for (const judge::OrderRow& view : shown.orders) orders.insert(to_text(view.order.id.uuid));
  shown_.push_back({user.text(), call, shown.lag.batches == 0 && !shown.next, std::move(orders)});
}

// A list that says that it is complete has every order that its user was told of before he asked for it, and
// none of somebody else (B17, I17).
void Auditor::check_lists(std::vector<std::string>& lines) const {
  std::map<std::string, std::vector<std::pair<std::string, oracle::Moment>>> told;
  std::map<std::string, std::string> user_of;
  for (const auto& [id, asked] : history_.asked()) {
    for (const oracle::Attempt& attempt : asked.attempts) {
      const oracle::Request& request = asked.request(attempt);
      if (request.act != "reserve" || !attempt.reply || !oracle::is_yes(*attempt.reply)) continue;
      told[request.user].emplace_back(attempt.reply->order, attempt.answered);
      user_of[attempt.reply->order] = request.user;
    }
  }
  for (const Shown& list : shown_) {
    for (const auto& [order, answered] : told[list.user]) {
      if (!list.complete || answered > list.call || list.orders.contains(order)) continue;
      lines.push_back("B17: user " + list.user + " was not shown order " + order + ", of which he was told");
    }
    for (const std::string& order : list.orders) {
      const auto user = user_of.find(order);
      if (user == user_of.end() || user->second == list.user) continue;
      lines.push_back("I17: user " + list.user + " was shown order " + order + " of " + user->second);
    }
  }
}

std::vector<std::string> Auditor::compare(judge::OrderIndex& index, judge::TablesReader& reader) const {
  std::vector<std::string> lines;
  std::map<std::string, std::map<std::string, std::string>> truth;  // By user and order: the state.
  for (const auto& [id, order] : ledger(reader).orders) {
    if (order.state != "refused") truth[order.user][id] = order.state;
  }
  for (const auto& [user, orders] : truth) {
    const auto page = index.page({.user = rules::UserId(user), .count = orders.size() + 1});
    CHECK(page.has_value());
    std::map<std::string, std::string> found;
    for (const judge::IndexedOrder& order : page->orders) {
      found[to_text(order.id.uuid)] = std::string(rules::word(order.state));
    }
    if (found != orders) {
      lines.push_back("projection: of " + std::to_string(orders.size()) + " orders of " + user +
                      " the index has " + std::to_string(found.size()) + ", or other states");
    }
  }
  return lines;
}

std::vector<std::string> Auditor::findings(judge::TablesReader& reader,
                                           std::optional<std::int64_t> release_within_ms) const {
  std::vector<std::string> lines;
  const auto report = judge::audit(reader);
  const bool several_lanes = lanes_.size() > 1;
  CHECK(report.has_value());
  for (const judge::Finding& finding : report->findings) {
    if (several_lanes && is_of_equal_times(finding)) continue;
    lines.push_back("verify " + finding.invariant + ": " + finding.what);
  }
  const oracle::Ledger ledger = this->ledger(reader);
  for (const auto& [id, generation] : generations_) {
    const auto item = ledger.items.find(id.value);
    if (item == ledger.items.end() || item->second.generation == generation) continue;
    lines.push_back("generation: item " + std::to_string(id.value) + " says " +
                    std::to_string(item->second.generation) + ", and it is " + std::to_string(generation));
  }
  check_lists(lines);
  oracle::Terms terms;
  terms.clock = {moments_per_ms, -ms_of(world_begins) * moments_per_ms};
  terms.release_within_ms = release_within_ms;
  terms.kept = kept_moments;
  terms.operators = {"ops"};
  terms.ends = std::max(latest_, scheduler_.now().count() * moments_per_micro);
  for (const oracle::Finding& finding : oracle::check(history_, ledger, terms)) {
    lines.push_back(to_text(finding));
  }
  return lines;
}

}  // namespace gavel::sim
