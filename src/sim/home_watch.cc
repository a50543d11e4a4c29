#include "sim/home_watch.h"

#include <algorithm>

#include "rules/stock.h"

namespace gavel::sim {
namespace {

constexpr std::size_t home_violations_max = 20;
constexpr std::size_t probes = 3;  // Of a request at the gate: its home bucket and two more.

// A batch may change a bucket count more than once, which its rows no longer show.
bool changes_buckets(const rules::State& state) {
  const auto is_changed = [](const auto& row) { return row.second.row_state != rules::RowState::clean; };
  return std::ranges::any_of(state.skus, is_changed) || std::ranges::any_of(state.activities, is_changed);
}

// A new order's units leave the shelf. What happens to them later says nothing about where it was served.
bool takes(const rules::Flow& flow) {
  const bool out = flow.action == rules::Action::reserve || flow.action == rules::Action::sell;
  return out && flow.order && flow.source == "order";
}

rules::Quantity units_of(const rules::State& state, const rules::Flow& first) {
  rules::Quantity units;
  for (const rules::Flow& flow : state.flows) {
    if (takes(flow) && flow.order == first.order && flow.item == first.item) units += flow.quantity;
  }
  return units;
}

}  // namespace

void HomeWatch::committed(const rules::State& state) {
  std::map<Place, rules::Quantity> available;
  for (const auto& [id, item] : state.items) {
    counts_[id].insert(item.in_use());
    for (std::size_t no = 0; no < item.buckets.size(); ++no) {
      const bool loaded = no < item.loaded.size();
      available[{id, static_cast<rules::BucketNo>(no)}] =
          loaded ? item.loaded[no].available : rules::no_units;
    }
  }
  const bool checks = !changes_buckets(state);
  std::set<std::pair<rules::OrderId, rules::ItemId>> seen;
  for (const rules::Flow& flow : state.flows) {
    const bool is_first = takes(flow) && seen.emplace(*flow.order, flow.item).second;
    if (checks && is_first) check(state, flow, available);
    available[{flow.item, flow.bucket}] = flow.after;
  }
}

void HomeWatch::check(const rules::State& state, const rules::Flow& first,
                      const std::map<Place, rules::Quantity>& available) {
  const rules::UserId& user = state.orders.at(*first.order).user;
  const rules::Quantity units = units_of(state, first);
  const std::set<rules::BucketNo> buckets = allowed(first.item, user);
  const bool each_has_enough = std::ranges::all_of(buckets, [&](rules::BucketNo no) {
    const auto found = available.find({first.item, no});
    return found != available.end() && found->second >= units;
  });
  if (!each_has_enough || buckets.contains(first.bucket) || violations_.size() >= home_violations_max) return;
  violations_.push_back("A5: order " + to_text(first.order->uuid) + " of " + user.text() +
                        " is taken from bucket " + std::to_string(first.bucket) + " of item " +
                        std::to_string(first.item.value) + ", which is none of its user's");
}

std::set<rules::BucketNo> HomeWatch::allowed(rules::ItemId item, const rules::UserId& user) const {
  std::set<rules::BucketNo> buckets;
  for (const std::size_t count : counts_.at(item)) {
    const auto home = static_cast<std::size_t>(rules::home_bucket(user, count));
    for (std::size_t probe = 0; probe < std::min(probes, count); ++probe) {
      buckets.insert(static_cast<rules::BucketNo>((home + probe) % count));
    }
  }
  return buckets;
}

}  // namespace gavel::sim
