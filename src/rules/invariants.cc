#include "rules/invariants.h"

#include <array>
#include <map>

namespace gavel::rules {
namespace {

using Broken = std::optional<std::string>;

std::string name_of(ItemId item, std::size_t bucket) {
  return "bucket " + std::to_string(item.value) + "/" + std::to_string(bucket);
}

Broken nothing_negative(const State& state) {
  for (const auto& [id, item] : state.items) {
    if (item.buckets == item.loaded)
      continue;  // Unsound stock that nobody touched is frozen, not ours to judge.
    for (std::size_t i = 0; i < item.buckets.size(); ++i) {
      const Bucket& bucket = item.buckets[i];
      if (bucket.available < no_units || bucket.reserved < no_units || bucket.sold < no_units) {
        return name_of(id, i) + " has a negative number";
      }
    }
  }
  return std::nullopt;
}

// Replays the flows from the numbers as loaded: they must chain, and end at the numbers that will be stored.
Broken flows_explain_buckets(const State& state) {
  std::map<ItemId, std::vector<Bucket>> replayed;
  for (const auto& [id, item] : state.items) replayed.emplace(id, item.loaded);
  for (const Flow& flow : state.flows) {
    const auto found = replayed.find(flow.item);
    const auto index = static_cast<std::size_t>(flow.bucket);
    if (found == replayed.end() || index >= found->second.size())
      return "a flow names a bucket that is not loaded";
    Bucket& bucket = found->second[index];
    if (flow.seq != bucket.seq + 1) return name_of(flow.item, index) + " has a gap in seq";
    if (flow.before != bucket.available)
      return name_of(flow.item, index) + " has a flow with a wrong `before`";
    const Effect effect = effect_of(flow.action);
    bucket.available.units += effect.available * flow.quantity.units;
    bucket.reserved.units += effect.reserved * flow.quantity.units;
    bucket.sold.units += effect.sold * flow.quantity.units;
    bucket.seq = flow.seq;
    if (flow.after != bucket.available) return name_of(flow.item, index) + " has a flow with a wrong `after`";
  }
  for (const auto& [id, item] : state.items) {
    const std::vector<Bucket>& buckets = replayed.at(id);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (buckets[i] != item.buckets[i]) return name_of(id, i) + " is not what its flows say";
    }
  }
  return std::nullopt;
}

Broken moves_sum_to_zero(const State& state) {
  std::map<SkuId, std::int64_t> sums;
  for (const Flow& flow : state.flows) {
    const SkuId sku = state.items.at(flow.item).sku;
    if (flow.action == Action::move_in) sums[sku] += flow.quantity.units;
    if (flow.action == Action::move_out) sums[sku] -= flow.quantity.units;
  }
  for (const auto& [sku, sum] : sums) {
    if (sum != 0)
      return "the moves of SKU number " + std::to_string(sku.value) + " sum to " + std::to_string(sum);
  }
  return std::nullopt;
}

Broken quota_within_limit(const State& state) {
  for (const auto& [key, quota] : state.quotas) {
    if (quota.change == Change::loaded) continue;
    if (quota.claimed < no_units || quota.claimed > quota.allowed) {
      return "user " + key.user.text() + " claims " + std::to_string(quota.claimed.units) + " of " +
             std::to_string(quota.allowed.units);
    }
  }
  return std::nullopt;
}

// What a batch may do to the units of one order, by where the order ends: (reserved, sold) in units of what
// it took.
Broken orders_match_flows(const State& state) {
  struct Net {
    std::int64_t reserved = 0;
    std::int64_t sold = 0;
  };
  std::map<OrderId, Net> nets;
  for (const Flow& flow : state.flows) {
    if (!flow.order) continue;
    const Effect effect = effect_of(flow.action);
    nets[*flow.order].reserved += effect.reserved * flow.quantity.units;
    nets[*flow.order].sold += effect.sold * flow.quantity.units;
  }
  for (const auto& [id, order] : state.orders) {
    std::int64_t units = 0;
    for (const Taken& part : order.taken) units += part.quantity.units;
    const std::int64_t ends_reserved = order.state == OrderState::held ? units : 0;
    const std::int64_t ends_sold = order.state == OrderState::paid ? units : 0;
    const std::int64_t began_reserved =
        order.change == Change::updated ? units : 0;  // Only held orders change.
    const Net net = nets[id];
    const bool changed = order.change != Change::loaded;
    const Net right = changed ? Net{ends_reserved - began_reserved, ends_sold} : Net{};
    if (net.reserved != right.reserved || net.sold != right.sold) {
      return "order " + to_text(id.uuid) + " is " + std::string(word(order.state)) +
             ", its flows say otherwise";
    }
  }
  return std::nullopt;
}

constexpr std::array invariants{
    Invariant{"nothing_negative", nothing_negative},
    Invariant{"flows_explain_buckets", flows_explain_buckets},
    Invariant{"moves_sum_to_zero", moves_sum_to_zero},
    Invariant{"quota_within_limit", quota_within_limit},
    Invariant{"orders_match_flows", orders_match_flows},
};

}  // namespace

std::span<const Invariant> batch_invariants() { return invariants; }

std::optional<std::string> first_broken(const State& state) {
  for (const Invariant& invariant : invariants) {
    if (const Broken what = invariant.broken(state)) return std::string(invariant.name) + ": " + *what;
  }
  return std::nullopt;
}

}  // namespace gavel::rules
