#include "judge/rows_bound.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/check.h"
#include "judge/plan.h"

namespace gavel::judge {
namespace {

using namespace rules;

constexpr std::size_t entries_of_bucket = 3;
// Of a closed activity each part moves on to the free item, by a pair of entries.
constexpr std::size_t entries_of_part = 3;
constexpr std::size_t entries_of_item_max = entries_of_bucket * static_cast<std::size_t>(buckets_max);

using DueParts = std::map<ItemId, std::size_t>;

// The entries of one command.
class Entries {
 public:
  Entries(State& state, const DueParts& due_parts) : state_(state), due_parts_(due_parts) {}

  std::size_t of(const Command& command) {
    const Plan plan = plan_of(std::span(&command, 1));
    for (const SkuCode& code : plan.skus) {
      if (const Sku* sku = state_.find_sku(code)) add_item(sku->free_item);
    }
    for (const auto& [code, line] : plan.drawn) add_line(code, line);
    for (const auto* codes : {&plan.whole_activities, &plan.changed_activities}) {
      for (const ActivityCode& code : *codes) add_activity(code);
    }
    for (const ItemId item : plan.items) add_item(item);
    for (const OrderId id : plan.orders) {
      if (const Order* order = state_.find_order(id)) add_order(*order);
    }
    if (std::holds_alternative<PutSku>(command.act) || std::holds_alternative<ChangeActivity>(command.act))
      entries_ += entries_of_item_max * lines_named(command);  // Spread over more buckets than it has.
    return entries_;
  }

 private:
  // Each of its buckets may give, and pay a shortage, by a pair of entries; the holds that may be released on
  // the way give back what they have.
  void add_item(ItemId id) {
    if (!items_.insert(id).second) return;
    const auto item = state_.items.find(id);
    if (item == state_.items.end()) return;
    entries_ += entries_of_bucket * item->second.buckets.size();
    const auto due = due_parts_.find(id);
    if (due != due_parts_.end()) entries_ += entries_of_part * due->second;
  }

  void add_line(const ActivityCode& code, const SkuCode& sku) {
    const Activity* activity = state_.find_activity(code);
    if (activity == nullptr) return;
    const auto line = std::ranges::find(activity->lines, sku, &AllottedLine::code);
    if (line != activity->lines.end()) add_item(line->item);
  }

  // Its units move between its items and the free ones.
  void add_activity(const ActivityCode& code) {
    const Activity* activity = state_.find_activity(code);
    if (activity == nullptr) return;
    for (const AllottedLine& line : activity->lines) {
      add_item(line.item);
      if (const Sku* sku = state_.find_sku(line.code)) add_item(sku->free_item);
    }
  }

  // What it has goes, and what it shall have comes from any bucket of the same items.
  void add_order(const Order& order) {
    entries_ += entries_of_part * order.taken.size();
    for (const Allocation& part : order.taken) add_item(part.item);
  }

  State& state_;
  const DueParts& due_parts_;
  std::set<ItemId> items_;
  std::size_t entries_ = 0;
};

}  // namespace

std::size_t rows_written(const State& state, std::size_t commands) {
  return rows_of_entry * state.flows.size() + rows_of_command * commands + state.quotas.size();
}

RowsBound::RowsBound(State& state) : state_(state) {
  for (const auto& [item, due] : state.due) {
    std::size_t& parts = due_parts_[item];
    for (const OrderId id : due) {
      const Order* order = state.find_order(id);
      CHECK(order != nullptr);
      parts += order->taken.size();
    }
    all_due_parts_ += parts;
  }
}

bool RowsBound::fits(const Command& command, std::size_t rows) const {
  return roughly(command) <= rows || of(command) <= rows;
}

std::size_t RowsBound::of(const Command& command) const {
  const auto* reserve = std::get_if<Reserve>(&command.act);
  // Where nothing is released on the way, an order only takes: at most one entry from each bucket.
  if (reserve != nullptr && all_due_parts_ == 0) {
    return rows_of_command +
           reserve->lines.size() * (1 + rows_of_entry * static_cast<std::size_t>(buckets_max));
  }
  return rows_of_command + lines_named(command) + rows_of_entry * Entries(state_, due_parts_).of(command);
}

// Every line from all buckets that an item can have, every part of the order from an item of its own, and
// every due hold released.
std::size_t RowsBound::roughly(const Command& command) const {
  const bool is_reserve = std::holds_alternative<Reserve>(command.act);
  const std::optional<OrderId> acted_on = order_acted_on(command);
  if (!acted_on && !(is_reserve && all_due_parts_ > 0)) return of(command);
  const Order* order = acted_on ? state_.find_order(*acted_on) : nullptr;
  const std::size_t parts = order == nullptr ? 0 : order->taken.size();
  const std::size_t items = lines_named(command) + parts;
  const std::size_t entries = entries_of_item_max * items + entries_of_part * (parts + all_due_parts_);
  return rows_of_command + lines_named(command) + rows_of_entry * entries;
}

std::size_t lines_named(const Command& command) {
  return std::visit(
      [](const auto& act) -> std::size_t {
        if constexpr (requires { act.lines.size(); }) {
          return std::max<std::size_t>(1, act.lines.size());
        } else if constexpr (requires { act.activity; }) {
          return activity_lines_max;
        } else {
          return 1;
        }
      },
      command.act);
}

}  // namespace gavel::judge
