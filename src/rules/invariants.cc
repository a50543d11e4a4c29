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
      if (std::min({bucket.available, bucket.reserved, bucket.sold, bucket.shortage, bucket.shipped}) <
          no_units) {
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
    bucket.shipped.units += effect.shipped * flow.quantity.units;
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

// What a batch does to the units of one order in one bucket, in units that become reserved, sold and shipped.
struct Net {
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
  std::int64_t shipped = 0;
  friend bool operator==(const Net&, const Net&) = default;
};

using Nets = std::map<std::pair<ItemId, BucketNo>, Net>;

bool is_paid_or_refunded(OrderState state) {
  using enum OrderState;
  return state == paid || state == partly_refunded || state == refunded || state == partly_shipped ||
         state == shipped;
}

// What an order has or had, as units that are reserved, sold or shipped, added `times` to the nets.
template <class Units>
void add_units(Nets& nets, const Units& order, std::int64_t times) {
  const OrderState state = order.state;
  const bool held = state == OrderState::held;
  const bool sold = is_paid_or_refunded(state);
  for (const Allocation& part : order.taken) {
    Net& net = nets[{part.item, part.bucket}];
    if (held) net.reserved += times * part.quantity.units;
    if (sold) net.sold += times * part.quantity.units;
  }
  for (const Allocation& part : order.returned) {
    if (sold) nets[{part.item, part.bucket}].sold -= times * part.quantity.units;
  }
  for (const Allocation& part : order.shipped) {
    Net& net = nets[{part.item, part.bucket}];
    net.sold -= times * part.quantity.units;
    net.shipped += times * part.quantity.units;
  }
}

// The same by what the order has and what it had.
Nets nets_of(const Order& order) {
  Nets nets;
  if (order.row_state == RowState::clean) return nets;
  add_units(nets, order, 1);
  if (!order.loaded) return nets;
  add_units(nets, *order.loaded, -1);
  return nets;
}

// The units of an order by bucket: those that did not return, and of these the shipped ones.
struct Left {
  std::int64_t units = 0;
  std::int64_t shipped = 0;
};

// True if more has returned or was shipped than was taken, or less than nothing; or if the state is not the
// one that says where the units of a paid order are.
bool contradicts_its_units(const Order& order) {
  using enum OrderState;
  if (order.returned.empty() && order.shipped.empty()) {
    return is_paid_or_refunded(order.state) && order.state != paid;
  }
  std::map<std::pair<ItemId, BucketNo>, Left> left;
  for (const Allocation& part : order.taken) left[{part.item, part.bucket}].units += part.quantity.units;
  for (const Allocation& part : order.returned) {
    if (part.quantity <= no_units) return true;
    left[{part.item, part.bucket}].units -= part.quantity.units;
  }
  for (const Allocation& part : order.shipped) {
    if (part.quantity <= no_units) return true;
    left[{part.item, part.bucket}].shipped += part.quantity.units;
  }
  Left all;
  for (const auto& [place, part] : left) {
    if (part.units < 0 || part.shipped > part.units) return true;
    all.units += part.units;
    all.shipped += part.shipped;
  }
  if (all.units == 0) return order.state != refunded;
  if (all.shipped == 0) return order.state != paid && order.state != partly_refunded;
  return order.state != (all.shipped == all.units ? shipped : partly_shipped);
}

// The arrows of the diagram in order_state.h, written a second time. One batch may take several.
bool is_a_way(OrderState from, OrderState to) {
  switch (from) {
    case OrderState::held:
      return to != OrderState::refused;
    case OrderState::paid:
      return is_paid_or_refunded(to);
    case OrderState::partly_refunded:
    case OrderState::partly_shipped:
      return is_paid_or_refunded(to) && to != OrderState::paid;
    case OrderState::shipped:
      return to == OrderState::shipped || to == OrderState::refunded;
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
    if (contradicts_its_units(order)) return name + " has other units than its state says";
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
    net.shipped += effect.shipped * flow.quantity.units;
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
