// One noun: the loading of a batch.
#include "judge/loading.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "judge/plan.h"
#include "judge/rows_bound.h"

namespace gavel::judge {
namespace {

using namespace rules;

// Orders are read so many at a time, since nobody knows before how much they have taken.
constexpr std::size_t orders_at_once = 128;

// The first commands that name no more lines than that together; at least one.
std::span<const Command> first_by_lines(std::span<const Command> commands, std::size_t lines_max) {
  std::size_t lines = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    lines += lines_named(commands[i]);
    if (i > 0 && lines > lines_max) return commands.first(i);
  }
  return commands;
}

class Loading {
 public:
  // `expected_due` are orders that an earlier try found to be due: they are locked in the pass.
  Loading(Store& store, std::span<const Command> commands, LoadLimits limits,
          const std::set<OrderId>& expected_due)
      : store_(store), limits_(limits), expected_due_(expected_due) {
    plan(first_by_lines(commands, limits_.rows_max / 4));
  }

  Result<void> everything() {
    using Step = Result<void> (Loading::*)();
    static constexpr Step steps[] = {
        &Loading::begin,         &Loading::read_orders, &Loading::lock_activities, &Loading::lock_skus,
        &Loading::lock_items,    &Loading::lock_quotas, &Loading::lock_orders,     &Loading::load_requests,
        &Loading::lock_counters, &Loading::read_time,   &Loading::load_due,        &Loading::complete_orders,
    };
    for (const Step step : steps) {
      if (Result<void> done = (this->*step)(); !done) return done;
    }
    return {};
  }

  Loaded take() { return Loaded{std::move(state_), now_, commands_.size()}; }

  // Orders that were found to be due; none before the time was read.
  const std::set<OrderId>& due() const { return due_; }

 private:
  void plan(std::span<const Command> commands) {
    CHECK(!commands.empty());
    commands_ = commands;
    plan_ = plan_of(commands);
    plan_.orders.insert(expected_due_.begin(), expected_due_.end());
    made_here_.clear();
    for (const Command& command : commands_) {
      const auto* reserve = std::get_if<Reserve>(&command.act);
      if (reserve != nullptr) made_here_.emplace(order_made_by(command), reserve);
    }
  }

  Result<void> begin() { return store_.begin(); }

  // What an act on an order touches is known once its row is read. Commands behind too much of it are left
  // for the next batch.
  Result<void> read_orders() {
    if (plan_.orders.empty()) return {};
    std::size_t parts = 0;
    std::set<OrderId> some;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (const auto order = order_acted_on(commands_[i])) some.insert(*order);
      if (some.size() < orders_at_once && i + 1 < commands_.size()) continue;
      if (some.empty()) break;
      if (const auto done = store_.read_orders(some, state_); !done) return done;
      parts += parts_of(some);
      some.clear();
      if (parts > limits_.rows_max / 2 && i + 1 < commands_.size()) plan(commands_.first(i + 1));
    }
    if (!expected_due_.empty()) {
      if (const auto done = store_.read_orders(expected_due_, state_); !done) return done;
    }
    for (const auto& [id, order] : state_.orders) read_.emplace_back(id, order.revision);
    return {};
  }

  std::size_t parts_of(const std::set<OrderId>& orders) {
    std::size_t parts = 0;
    for (const OrderId id : orders) {
      if (const Order* order = state_.find_order(id)) parts += order->taken.size();
    }
    return parts;
  }

  Result<void> lock_activities() {
    ActivityKeys keys{plan_.activities, {}, plan_.written_activities};
    for (const auto& [id, order] : state_.orders) {
      if (order.activity != free_pool) keys.ids.insert(order.activity);
    }
    return keys.empty() ? Result<void>() : store_.load_activities(keys, state_);
  }

  // Those that commands name, and those whose free items stand behind an activity that is opened, changed,
  // or closed.
  Result<void> lock_skus() {
    SkuKeys keys{plan_.skus, {}, plan_.written_skus};
    for (const auto& [code, activity] : state_.activities) {
      if (!is_whole(code)) continue;
      for (const AllottedLine& line : activity.lines) keys.ids.insert(line.sku);
    }
    for (const auto& [id, order] : state_.orders) {
      const Activity* activity = state_.find_activity(order.activity);
      if (activity == nullptr || activity->state != ActivityState::closed) continue;
      for_each_line_taken(order, *activity, [&](const AllottedLine& line) { keys.ids.insert(line.sku); });
    }
    return keys.empty() ? Result<void>() : store_.load_skus(keys, state_);
  }

  Result<void> lock_items() {
    std::set<ItemId> items = plan_.items;
    for_each_line(
        [&](const AllottedLine*, ActivityId, ItemId item, const UserId&, Quantity) { items.insert(item); });
    for (const auto& [code, sku] : state_.skus) items.insert(sku.free_item);
    for (const auto& [code, activity] : state_.activities) {
      for (const AllottedLine& line : activity.lines) {
        if (is_whole(code) || plan_.drawn.contains({code, line.code})) items.insert(line.item);
      }
    }
    for (const auto& [id, order] : state_.orders) {
      for (const Allocation& part : order.taken) items.insert(part.item);
    }
    return items.empty() ? Result<void>() : store_.load_items(items, state_);
  }

  Result<void> lock_quotas() {
    std::set<QuotaKey> keys;
    for_each_line([&](const AllottedLine* line, ActivityId activity, ItemId, const UserId& user, Quantity) {
      if (line != nullptr) keys.insert(QuotaKey{activity, line->sku, user});
    });
    for (const auto& [id, order] : state_.orders) {
      const Activity* activity = state_.find_activity(order.activity);
      if (activity == nullptr || !activity->limit_per_user) continue;
      for_each_line_taken(order, *activity, [&, user = order.user](const AllottedLine& line) {
        keys.insert(QuotaKey{activity->id, line.sku, user});
      });
    }
    return keys.empty() ? Result<void>() : store_.load_quotas(keys, state_);
  }

  // One that was changed since it was read may have taken from items that nobody looked for. One that was not
  // there yet may be asked for anything, of which nothing is locked: the batch is made again.
  Result<void> lock_orders() {
    if (plan_.orders.empty()) return {};
    if (const auto done = store_.load_orders(plan_.orders, state_); !done) return done;
    auto read = read_.begin();
    for (const auto& [id, order] : state_.orders) {
      if (read == read_.end() || read->first != id)
        return fail(ErrorCode::conflict, "an order was made while the batch was loaded");
      if (read->second != order.revision) incomplete_.insert(id);
      ++read;
    }
    CHECK(read == read_.end());  // An order is never deleted.
    return {};
  }

  Result<void> load_requests() { return store_.load_requests(plan_.requests, plan_.keys_as_orders, state_); }

  Result<void> lock_counters() { return plan_.deals_numbers ? store_.load_counters(state_) : Result<void>(); }

  Result<void> read_time() {
    const Result<Time> now = store_.now();
    if (!now) return std::unexpected(now.error());
    now_ = *now;
    return {};
  }

  // True of an activity that is opened, closed or changed: every line matters, and the free items behind.
  bool is_whole(const ActivityCode& code) const {
    return plan_.whole_activities.contains(code) || plan_.changed_activities.contains(code);
  }

  // Calls `each` for the line of the activity that each part of the order was taken from. A part that is of
  // no line was changed behind Gavel's back: what it stands in is looked for when all is locked.
  template <class Each>
  void for_each_line_taken(const Order& order, const Activity& activity, Each each) {
    for (const Allocation& part : order.taken) {
      const auto line = std::ranges::find(activity.lines, part.item, &AllottedLine::item);
      if (line == activity.lines.end()) {
        incomplete_.insert(order.id);
      } else {
        each(*line);
      }
    }
  }

  // What releasing or changing these orders touches besides what is loaded: activities, items, claims, and
  // the free items behind a closed activity. Nothing of it is waited for.
  Result<void> complete_orders() {
    if (incomplete_.empty()) return {};
    std::set<ActivityId> activities;
    std::set<ItemId> items;
    for_each_incomplete([&](const Order& order) {
      const bool is_missing = order.activity != free_pool && state_.find_activity(order.activity) == nullptr;
      if (is_missing) activities.insert(order.activity);
      for (const Allocation& part : order.taken) items.insert(part.item);
    });
    if (!activities.empty()) {
      const ActivityKeys keys{{}, activities, {}};
      if (const auto done = store_.load_activities(keys, state_); !done) return done;
    }
    if (const auto done = complete_items(std::move(items)); !done) return done;
    return complete_claims();
  }

  Result<void> complete_items(std::set<ItemId> items) {
    std::erase_if(items, [this](ItemId id) { return state_.items.contains(id); });
    return items.empty() ? Result<void>() : store_.load_items(items, state_);
  }

  Result<void> complete_claims() {
    SkuKeys behind;
    std::set<QuotaKey> claims;
    for_each_incomplete([&](const Order& order) {
      const Activity* activity = state_.find_activity(order.activity);
      if (activity == nullptr) return;
      for (const Allocation& part : order.taken) {
        const SkuId sku = state_.item(part.item).sku;
        if (activity->limit_per_user) claims.insert(QuotaKey{order.activity, sku, order.user});
        if (activity->state == ActivityState::closed) behind.ids.insert(sku);
      }
    });
    if (!behind.ids.empty()) {
      if (const auto done = store_.load_skus(behind, state_); !done) return done;
      std::set<ItemId> items;
      for (const SkuId sku : behind.ids) items.insert(state_.sku_of(sku).free_item);
      if (const auto done = complete_items(std::move(items)); !done) return done;
    }
    std::erase_if(claims, [this](const QuotaKey& key) { return state_.quotas.contains(key); });
    return claims.empty() ? Result<void>() : store_.load_quotas(claims, state_);
  }

  template <class Use>
  void for_each_incomplete(Use use) {
    for (const OrderId id : incomplete_) {
      const Order* order = state_.find_order(id);
      CHECK(order != nullptr);
      use(*order);
    }
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
    demand_of_opened_activities(demand);
    demand_of_new_activities(demand);
    demand_of_corrections(demand);

    std::vector<DueQuestion> questions;
    for (const auto& [item, units] : demand) {
      // What is released pays a shortage before it is there for anybody.
      const Quantity there = state_.item(item).available() - state_.item(item).shortage();
      if (there >= units) continue;
      questions.push_back({item, std::nullopt, due_enough(units - there) + 1});
    }
    for (const auto& [claim, units] : claims) {
      const auto& [item, key] = claim;
      const auto quota = state_.quotas.find(key);
      const Activity* activity = state_.find_activity(key.activity);
      if (quota == state_.quotas.end() || quota->second.claimed + units <= *activity->limit_per_user)
        continue;
      questions.push_back({item, key.user, limits_.due_orders_max + 1});
    }
    return find_due(questions);
  }

  Result<void> find_due(const std::vector<DueQuestion>& questions) {
    if (questions.empty()) return {};
    auto found = store_.find_due(questions, now_);
    if (!found) return std::unexpected(found.error());
    CHECK(found->size() == questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i) {
      CHECK((*found)[i].size() <= questions[i].count_max);
      add_due(questions[i], std::move((*found)[i]));
    }
    return load_due_orders();
  }

  // The oldest of each item first, until together they have taken as much as one batch may release.
  Result<void> load_due_orders() {
    std::size_t parts = 0;
    for (auto& [item, due] : state_.due) {
      for (std::size_t at = 0; at < due.size(); at += orders_at_once) {
        const std::size_t end = std::min(due.size(), at + orders_at_once);
        const auto begin = due.begin() + static_cast<std::ptrdiff_t>(at);
        const std::set<OrderId> some(begin, begin + static_cast<std::ptrdiff_t>(end - at));
        if (const auto done = store_.load_orders(some, state_); !done) return done;
        const std::size_t kept = keep_due(due, at, end, parts);
        if (kept == end) continue;
        due.resize(kept);
        state_.due_unseen.insert(item);
      }
    }
    incomplete_.insert(due_.begin(), due_.end());
    return {};
  }

  // Returns how many of `due` are kept, those before `at` included, where the ones up to `end` are loaded.
  std::size_t keep_due(const std::vector<OrderId>& due, std::size_t at, std::size_t end, std::size_t& parts) {
    for (; at < end; ++at) {
      if (due_.contains(due[at])) continue;
      const Order* order = state_.find_order(due[at]);
      CHECK(order != nullptr);
      parts += order->taken.size();
      if (parts > limits_.rows_max / 2 && !due_.empty()) break;
      due_.insert(due[at]);
    }
    return at;
  }

  // One more was asked for than is taken. More of them are unseen only where it is the limit that hides them:
  // those beyond what is enough are not needed.
  void add_due(const DueQuestion& question, std::vector<OrderId> found) {
    const std::size_t count = question.count_max - 1;
    if (found.size() > count) {
      found.resize(count);
      if (count == limits_.due_orders_max) state_.due_unseen.insert(question.item);
    }
    if (found.empty()) return;
    std::vector<OrderId>& due = state_.due[question.item];
    const std::set<OrderId> known(due.begin(), due.end());
    for (const OrderId id : found) {
      if (!known.contains(id)) due.push_back(id);
    }
  }

  void demand_of_opened_activities(std::map<ItemId, Quantity>& demand) {
    for (const ActivityCode& code : plan_.whole_activities) {
      const Activity* activity = state_.find_activity(code);
      if (activity == nullptr) continue;
      for (const AllottedLine& line : activity->lines) {
        demand[state_.sku_of(line.sku).free_item] += line.allotment;
      }
    }
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
    return std::min(limits_.due_orders_max, static_cast<std::size_t>(short_by.units) + spare);
  }

  Store& store_;
  const LoadLimits limits_;
  const std::set<OrderId> expected_due_;
  std::span<const Command> commands_;  // Those that are loaded.
  Plan plan_;
  std::multimap<OrderId, const Reserve*> made_here_;  // Of orders that this batch may make; a key may repeat.
  std::vector<std::pair<OrderId, std::int64_t>>
      read_;                      // Orders and their revisions, before they were locked.
  std::set<OrderId> due_;         // Those that may be released.
  std::set<OrderId> incomplete_;  // Orders of which not everything is known to be loaded.
  State state_;
  Time now_;
};

}  // namespace

Result<Loaded> load_batch(Store& store, std::span<const Command> commands, LoadLimits limits) {
  CHECK(limits.due_orders_max >= 1);
  Loading first(store, commands, limits, {});
  const auto loaded = first.everything();
  if (loaded) return first.take();
  const bool due_were_locked = loaded.error().code == ErrorCode::conflict && !first.due().empty();
  if (!due_were_locked) return std::unexpected(loaded.error());

  store.rollback();
  Loading second(store, commands, limits, first.due());
  if (const auto again = second.everything(); !again) return std::unexpected(again.error());
  return second.take();
}

}  // namespace gavel::judge
