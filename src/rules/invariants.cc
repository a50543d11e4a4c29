#include "rules/invariants.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace gavel::rules {
namespace {

using Broken = std::optional<std::string>;

std::string name_of(ItemId item, std::size_t bucket) {
  return "bucket " + std::to_string(item.value) + "/" + std::to_string(bucket);
}

std::size_t index_of(const Flow& flow) { return static_cast<std::size_t>(flow.bucket); }

// Checks the numbers that will be stored, and the available units at each step of the batch (I2).
Broken nothing_negative(const State& state) {
  for (const Flow& flow : state.flows) {
    if (flow.after < no_units) return name_of(flow.item, index_of(flow)) + " has a flow that goes below zero";
  }
  for (const auto& [id, item] : state.items) {
    if (item.buckets == item.loaded)
      continue;  // Unsound stock that the batch did not touch is frozen and is not checked.
    for (std::size_t i = 0; i < item.buckets.size(); ++i) {
      const Bucket& bucket = item.buckets[i];
      if (std::min({bucket.available, bucket.reserved, bucket.sold, bucket.shortage}) < no_units) {
        return name_of(id, i) + " has a negative number";
      }
    }
  }
  return std::nullopt;
}

// Every owed unit belongs to an order, and no unit is for sale while one is owed (E7).
Broken shortage_is_owed(const State& state) {
  for (const auto& [id, item] : state.items) {
    if (item.buckets == item.loaded || item.shortage() == no_units) continue;
    const std::string name = "item " + std::to_string(id.value);
    if (item.available() > no_units) return name + " is short and has units available";
    if (item.shortage() > item.total()) return name + " is short of more units than its orders have";
  }
  return std::nullopt;
}

// Replays the flows from the numbers as loaded, from nothing where the item is new: they must chain, and end
// at the numbers that will be stored.
Broken flows_explain_buckets(const State& state) {
  std::map<ItemId, std::vector<Bucket>> replayed;
  for (const auto& [id, item] : state.items) {
    const bool retires_some =
        item.retired >= 0 && static_cast<std::size_t>(item.retired) < item.buckets.size();
    if (item.buckets.size() < item.loaded.size() || (item.retired != 0 && !retires_some)) {
      return "item " + std::to_string(id.value) + " has other buckets than were loaded";
    }
    // Buckets that the batch adds begin with nothing.
    std::vector<Bucket> from = item.row_state == RowState::inserted ? std::vector<Bucket>{} : item.loaded;
    from.resize(item.buckets.size());
    replayed.emplace(id, std::move(from));
  }
  for (const Flow& flow : state.flows) {
    const auto found = replayed.find(flow.item);
    const std::size_t index = index_of(flow);
    if (found == replayed.end() || index >= found->second.size())
      return "a flow names a bucket that is not loaded";
    Bucket& bucket = found->second[index];
    if (flow.quantity <= no_units) return name_of(flow.item, index) + " has a flow of zero units";
    if (flow.seq != bucket.seq + 1) return name_of(flow.item, index) + " has a gap in seq";
    if (flow.before != bucket.available)
      return name_of(flow.item, index) + " has a flow with a wrong `before`";
    const Effect effect = effect_of(flow.action);
    bucket.available.units += effect.available * flow.quantity.units;
    bucket.reserved.units += effect.reserved * flow.quantity.units;
    bucket.sold.units += effect.sold * flow.quantity.units;
    bucket.shortage.units += effect.shortage * flow.quantity.units;
    bucket.seq = flow.seq;
    if (flow.after != bucket.available) return name_of(flow.item, index) + " has a flow with a wrong `after`";
  }
  for (const auto& [id, item] : state.items) {
    const std::vector<Bucket>& buckets = replayed.at(id);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (buckets[i] != item.buckets[i]) return name_of(id, i) + " does not match its flows";
    }
  }
  return std::nullopt;
}

Broken moves_sum_to_zero(const State& state) {
  std::map<SkuId, std::int64_t> sums;
  for (const Flow& flow : state.flows) {
    const auto item = state.items.find(flow.item);
    if (item == state.items.end()) continue;  // flows_explain_buckets names it.
    const SkuId sku = item->second.sku;
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
    if (quota.row_state == RowState::clean) continue;
    if (quota.claimed < no_units || quota.claimed > quota.allowed) {
      return "user " + key.user.text() + " claims " + std::to_string(quota.claimed.units) + " of " +
             std::to_string(quota.allowed.units);
    }
  }
  return std::nullopt;
}

// What a batch does to the units of one order in one bucket, in units that become reserved and sold.
struct Net {
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
  friend bool operator==(const Net&, const Net&) = default;
};

using Nets = std::map<std::pair<ItemId, BucketNo>, Net>;

// What an order in `state` has, as units that are reserved or sold, added `times` to the nets.
void add_units(Nets& nets, OrderState state, const std::vector<Allocation>& taken,
               const std::vector<Allocation>& returned, std::int64_t times) {
  const bool held = state == OrderState::held;
  const bool sold =
      state == OrderState::paid || state == OrderState::partly_refunded || state == OrderState::refunded;
  for (const Allocation& part : taken) {
    Net& net = nets[{part.item, part.bucket}];
    if (held) net.reserved += times * part.quantity.units;
    if (sold) net.sold += times * part.quantity.units;
  }
  for (const Allocation& part : returned) {
    if (sold) nets[{part.item, part.bucket}].sold -= times * part.quantity.units;
  }
}

// The same by what the order has and what it had.
Nets nets_of(const Order& order) {
  Nets nets;
  if (order.row_state == RowState::clean) return nets;
  add_units(nets, order.state, order.taken, order.returned, 1);
  if (!order.loaded) return nets;
  add_units(nets, order.loaded->state, order.loaded->taken, order.loaded->returned, -1);
  return nets;
}

// True if more has returned than was taken, or less than nothing; or if something is left of an order that is
// refunded, or nothing of one that is not.
bool returns_too_much(const Order& order) {
  if (order.returned.empty()) {
    return order.state == OrderState::partly_refunded || order.state == OrderState::refunded;
  }
  std::map<std::pair<ItemId, BucketNo>, std::int64_t> left;
  for (const Allocation& part : order.taken) left[{part.item, part.bucket}] += part.quantity.units;
  for (const Allocation& part : order.returned) {
    if (part.quantity <= no_units) return true;
    left[{part.item, part.bucket}] -= part.quantity.units;
  }
  const auto has_less_than_nothing = [](const auto& part) { return part.second < 0; };
  const auto is_empty = [](const auto& part) { return part.second == 0; };
  if (std::ranges::any_of(left, has_less_than_nothing)) return true;
  const bool paid = order.state == OrderState::paid || order.state == OrderState::partly_refunded;
  return std::ranges::all_of(left, is_empty) ? order.state != OrderState::refunded : !paid;
}

// The arrows of the diagram in order_state.h, written a second time. One batch may take several.
bool is_a_way(OrderState from, OrderState to) {
  switch (from) {
    case OrderState::held:
      return to != OrderState::refused;
    case OrderState::paid:
      return to == OrderState::paid || to == OrderState::partly_refunded || to == OrderState::refunded;
    case OrderState::partly_refunded:
      return to == OrderState::partly_refunded || to == OrderState::refunded;
    case OrderState::refused:
    case OrderState::cancelled:
    case OrderState::expired:
    case OrderState::refunded:
      return from == to;
  }
  return false;
}

// Revisions rise with every change, states go along the arrows, and nothing returns that was not taken.
Broken orders_go_forward(const State& state) {
  for (const auto& [id, order] : state.orders) {
    const std::string name = "order " + to_text(id.uuid);
    if (order.row_state == RowState::clean) continue;
    if (returns_too_much(order)) return name + " returned more than it took";
    if (order.row_state == RowState::inserted) continue;
    if (!order.loaded) return name + " is changed and was never loaded";
    if (order.revision <= order.loaded->revision) return name + " is changed without a new revision";
    if (order.expires_at < order.loaded->expires_at) return name + " has a shorter hold than before";
    if (is_a_way(order.loaded->state, order.state)) continue;
    return name + " went from " + std::string(word(order.loaded->state)) + " to " +
           std::string(word(order.state));
  }
  return std::nullopt;
}

Broken orders_match_flows(const State& state) {
  std::map<OrderId, Nets> flowed;
  for (const Flow& flow : state.flows) {
    if (!flow.order) continue;
    const Effect effect = effect_of(flow.action);
    Net& net = flowed[*flow.order][{flow.item, flow.bucket}];
    net.reserved += effect.reserved * flow.quantity.units;
    net.sold += effect.sold * flow.quantity.units;
  }
  for (const auto& [id, nets] : flowed) {
    if (!state.orders.contains(id)) return "a flow names order " + to_text(id.uuid) + ", which is not loaded";
  }
  const auto without_zeros = [](Nets nets) {
    std::erase_if(nets, [](const auto& entry) { return entry.second == Net{}; });
    return nets;
  };
  for (const auto& [id, order] : state.orders) {
    const auto found = flowed.find(id);
    const Nets nets = found == flowed.end() ? Nets{} : found->second;
    if (without_zeros(nets) != without_zeros(nets_of(order))) {
      return "order " + to_text(id.uuid) + " is " + std::string(word(order.state)) +
             ", its flows say otherwise";
    }
  }
  return std::nullopt;
}

constexpr std::array invariants{
    Invariant{"nothing_negative", nothing_negative},
    Invariant{"shortage_is_owed", shortage_is_owed},
    Invariant{"flows_explain_buckets", flows_explain_buckets},
    Invariant{"moves_sum_to_zero", moves_sum_to_zero},
    Invariant{"quota_within_limit", quota_within_limit},
    Invariant{"orders_match_flows", orders_match_flows},
    Invariant{"orders_go_forward", orders_go_forward},
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
