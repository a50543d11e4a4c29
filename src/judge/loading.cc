#include "judge/loading.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "judge/plan.h"

namespace gavel::judge {
namespace {

using namespace rules;

class Loading {
 public:
  Loading(Store& store, std::span<const Command> commands, std::size_t due_orders_max)
      : store_(store), commands_(commands), plan_(plan_of(commands)), due_orders_max_(due_orders_max) {
    for (const Command& command : commands_) {
      const auto* reserve = std::get_if<Reserve>(&command.act);
      if (reserve != nullptr) made_here_.emplace(order_made_by(command), reserve);
    }
  }

  Result<void> everything() {
    if (const auto done = store_.begin(); !done) return done;
    if (const auto done = store_.load_skus(plan_.skus, state_); !done) return done;
    if (const auto done = store_.load_activities(plan_.activities, state_); !done) return done;
    if (const auto done = load_orders(plan_.orders); !done) return done;
    if (const auto done = store_.load_items(plan_.items, state_); !done) return done;
    if (const auto done = load_stock(); !done) return done;
    if (const auto done = load_quotas(); !done) return done;
    if (const auto done = store_.load_requests(plan_.requests, plan_.keys_as_orders, state_); !done)
      return done;
    if (plan_.deals_numbers) {
      if (const auto done = store_.load_counters(state_); !done) return done;
    }
    const Result<Time> now = store_.now();
    if (!now) return std::unexpected(now.error());
    now_ = *now;
    return load_due();
  }

  Loaded take() { return Loaded{std::move(state_), now_}; }

 private:
  // Orders with all that releasing them needs: activity, items, claims, and the free items behind a closed
  // activity.
  Result<void> load_orders(const std::set<OrderId>& ids) {
    if (const auto done = store_.load_orders(ids, state_); !done) return done;
    std::set<ActivityId> activities;
    std::set<ItemId> items;
    for (const auto& [id, order] : state_.orders) {
      if (order.activity != free_pool) activities.insert(order.activity);
      for (const Allocation& part : order.taken) items.insert(part.item);
    }
    if (const auto done = store_.load_activities(activities, state_); !done) return done;
    if (const auto done = store_.load_items(items, state_); !done) return done;
    std::set<SkuId> behind;
    std::set<QuotaKey> claims;
    for (const auto& [id, order] : state_.orders) {
      const Activity* activity = state_.find_activity(order.activity);
      if (activity == nullptr) continue;
      for (const Allocation& part : order.taken) {
        const SkuId sku = state_.item(part.item).sku;
        if (activity->limit_per_user) claims.insert(QuotaKey{order.activity, sku, order.user});
        if (activity->state == ActivityState::closed) behind.insert(sku);
      }
    }
    if (const auto done = load_free_stock(behind); !done) return done;
    return store_.load_quotas(claims, state_);
  }

  Result<void> load_free_stock(const std::set<SkuId>& skus) {
    if (skus.empty()) return {};
    if (const auto done = store_.load_skus(skus, state_); !done) return done;
    std::set<ItemId> items;
    for (const SkuId sku : skus) items.insert(state_.sku_of(sku).free_item);
    return store_.load_items(items, state_);
  }

  // The items that commands of this batch name: free ones by SKU, activities' ones by line.
  Result<void> load_stock() {
    std::set<ItemId> items;
    std::set<SkuId> behind;
    for_each_line(
        [&](const AllottedLine*, ActivityId, ItemId item, const UserId&, Quantity) { items.insert(item); });
    for (const auto& [code, sku] : state_.skus) items.insert(sku.free_item);
    for (const auto& [code, activity] : state_.activities) {
      const bool whole = plan_.whole_activities.contains(code) || plan_.changed_activities.contains(code);
      for (const AllottedLine& line : activity.lines) {
        if (whole) behind.insert(line.sku);
        if (whole || plan_.drawn.contains({code, line.code})) items.insert(line.item);
      }
    }
    if (const auto done = store_.load_items(items, state_); !done) return done;
    return load_free_stock(behind);
  }

  Result<void> load_quotas() {
    std::set<QuotaKey> keys;
    for_each_line([&](const AllottedLine* line, ActivityId activity, ItemId, const UserId& user, Quantity) {
      if (line != nullptr) keys.insert(QuotaKey{activity, line->sku, user});
    });
    return store_.load_quotas(keys, state_);
  }

  // Calls `each` for every line that this batch asks for, of an order to be made or to be changed, malformed
  // ones left out: they will be refused, and must neither overflow nor lessen what others ask for. `line` is
  // given where a limit per user holds.
  template <class Each>
  void for_each_line(Each each) {
    for (const Command& command : commands_) {
      if (const auto* reserve = std::get_if<Reserve>(&command.act)) {
        for_each_line_of(*reserve, reserve->lines, each);
      }
      if (const auto* change = std::get_if<ChangeOrder>(&command.act)) {
        for_each_line_of(*change, each);
      }
    }
  }

  // A changed order asks for at most what it shall hold, from where it took before. Its row may be made by
  // this very batch.
  template <class Each>
  void for_each_line_of(const ChangeOrder& change, Each each) {
    if (const Order* order = state_.find_order(change.order)) {
      const Activity* activity = state_.find_activity(order->activity);
      for (const Line& line : change.lines) for_line(activity, line, order->user, each);
      return;
    }
    const auto [begin, end] = made_here_.equal_range(change.order);
    for (auto made = begin; made != end; ++made) for_each_line_of(*made->second, change.lines, each);
  }

  template <class Each>
  void for_each_line_of(const Reserve& reserve, const Lines& lines, Each each) {
    const Activity* activity = reserve.activity ? state_.find_activity(*reserve.activity) : nullptr;
    if (reserve.activity && activity == nullptr) return;
    for (const Line& line : lines) for_line(activity, line, reserve.user, each);
  }

  template <class Each>
  void for_line(const Activity* activity, const Line& line, const UserId& user, Each each) {
    if (!in_line(line.quantity)) return;
    if (activity == nullptr) {
      const Sku* sku = state_.find_sku(line.sku);
      if (sku != nullptr) each(nullptr, free_pool, sku->free_item, user, line.quantity);
      return;
    }
    const auto found = std::ranges::find(activity->lines, line.sku, &AllottedLine::code);
    if (found == activity->lines.end()) return;
    each(activity->limit_per_user ? &*found : nullptr, activity->id, found->item, user, line.quantity);
  }

  static bool in_line(Quantity units) { return units > no_units && units <= line_units_max; }

  // Due holds of the items, and of the users' claims, that this batch may find too little of.
  Result<void> load_due() {
    std::map<ItemId, Quantity> demand;
    std::map<std::pair<ItemId, QuotaKey>, Quantity> claims;
    for_each_line(
        [&](const AllottedLine* line, ActivityId activity, ItemId item, const UserId& user, Quantity units) {
          demand[item] += units;
          if (line != nullptr) claims[{item, QuotaKey{activity, line->sku, user}}] += units;
        });
    for (const ActivityCode& code : plan_.whole_activities) {
      const Activity* activity = state_.find_activity(code);
      if (activity == nullptr) continue;
      for (const AllottedLine& line : activity->lines) {
        demand[state_.sku_of(line.sku).free_item] += line.allotment;
      }
    }
    demand_of_new_activities(demand);
    demand_of_corrections(demand);
    for (const auto& [item, units] : demand) {
      // What is released pays a shortage before it is there for anybody.
      const Quantity there = state_.item(item).available() - state_.item(item).shortage();
      if (there >= units) continue;
      const std::size_t count = due_enough(units - there);
      if (const auto done = add_due(item, store_.find_due(item, now_, count + 1), count); !done) return done;
    }
    for (const auto& [claim, units] : claims) {
      const auto& [item, key] = claim;
      const auto quota = state_.quotas.find(key);
      const Activity* activity = state_.find_activity(key.activity);
      if (quota == state_.quotas.end() || quota->second.claimed + units <= *activity->limit_per_user)
        continue;
      const auto due = store_.find_due_of(item, key.user, now_, due_orders_max_ + 1);
      if (const auto done = add_due(item, due, due_orders_max_); !done) return done;
    }
    return {};
  }

  // An activity that this very batch makes and opens is in no row yet: what it will move stands in the
  // command.
  void demand_of_new_activities(std::map<ItemId, Quantity>& demand) {
    for (const Command& command : commands_) {
      const auto* create = std::get_if<CreateActivity>(&command.act);
      if (create == nullptr || !plan_.whole_activities.contains(create->activity)) continue;
      for (const ActivityLine& line : create->lines) {
        const Sku* sku = state_.find_sku(line.sku);
        const bool in_bounds = line.allotment > no_units && line.allotment <= total_units_max;
        if (sku != nullptr && in_bounds) demand[sku->free_item] += line.allotment;
      }
    }
  }

  // What operators take away. How much a count takes is not known before those in front of it are decided.
  void demand_of_corrections(std::map<ItemId, Quantity>& demand) {
    for (const Command& command : commands_) {
      if (const auto* adjust = std::get_if<Adjust>(&command.act)) {
        const Sku* sku = state_.find_sku(adjust->sku);
        const Quantity units = no_units - adjust->difference;
        if (sku != nullptr && in_line(units)) demand[sku->free_item] += units;
      }
      if (const auto* count = std::get_if<Count>(&command.act)) {
        const Sku* sku = state_.find_sku(count->sku);
        if (sku != nullptr) demand[sku->free_item] += total_units_max;
      }
    }
  }

  // Each due hold gives back a unit or more, so that many of them make up for what is short. When a whole
  // sale expires at once, every batch would otherwise load thousands to release a few (E20). The spare ones
  // stand for holds that cannot be released, since somebody changed the numbers behind them.
  std::size_t due_enough(Quantity short_by) const {
    constexpr std::size_t spare = 64;
    return std::min(due_orders_max_, static_cast<std::size_t>(short_by.units) + spare);
  }

  // Takes `count` of those found. More of them are unseen only where it is the limit that hides them: those
  // beyond what is enough are not needed.
  Result<void> add_due(ItemId item, Result<std::vector<OrderId>> found, std::size_t count) {
    if (!found) return std::unexpected(found.error());
    if (found->size() > count) {
      found->resize(count);
      if (count == due_orders_max_) state_.due_unseen.insert(item);
    }
    if (found->empty()) return {};
    std::vector<OrderId>& due = state_.due[item];
    const std::set<OrderId> known(due.begin(), due.end());
    for (const OrderId id : *found) {
      if (!known.contains(id)) due.push_back(id);
    }
    return load_orders(std::set<OrderId>(found->begin(), found->end()));
  }

  Store& store_;
  const std::span<const Command> commands_;
  const Plan plan_;
  const std::size_t due_orders_max_;
  std::multimap<OrderId, const Reserve*> made_here_;  // Of orders that this batch may make; a key may repeat.
  State state_;
  Time now_;
};

}  // namespace

Result<Loaded> load_batch(Store& store, std::span<const Command> commands, std::size_t due_orders_max) {
  Loading loading(store, commands, due_orders_max);
  if (const auto done = loading.everything(); !done) return std::unexpected(done.error());
  return loading.take();
}

}  // namespace gavel::judge
