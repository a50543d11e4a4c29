#include "judge/rows_bound.h"

#include <algorithm>
#include <set>
#include <span>

#include "judge/plan.h"

namespace gavel::judge {
namespace {

using namespace rules;

constexpr std::size_t entries_of_bucket = 3;
constexpr std::size_t entries_of_part = 3;

// The bound of a command on a state.
class Bound {
 public:
  explicit Bound(State& state) : state_(state) {}

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
      entries_ += entries_of_bucket * static_cast<std::size_t>(buckets_max) * lines_named(command);
    return rows_of_command + lines_named(command) + rows_of_entry * entries_;
  }

 private:
  // Each of its buckets may give, and pay a shortage, by a pair of entries; the holds that may be released on
  // the way give back what they have.
  void add_item(ItemId id) {
    if (!items_.insert(id).second) return;
    const auto item = state_.items.find(id);
    if (item == state_.items.end()) return;
    entries_ += entries_of_bucket * item->second.buckets.size();
    const auto due = state_.due.find(id);
    if (due == state_.due.end()) return;
    for (const OrderId order : due->second) {
      if (const Order* held = state_.find_order(order)) add_parts(*held);
    }
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
    add_parts(order);
    for (const Allocation& part : order.taken) add_item(part.item);
  }

  // Of a closed activity each part moves on to the free item, by a pair of entries.
  void add_parts(const Order& order) {
    if (orders_.insert(order.id).second) entries_ += entries_of_part * order.taken.size();
  }

  State& state_;
  std::set<ItemId> items_;
  std::set<OrderId> orders_;
  std::size_t entries_ = 0;
};

}  // namespace

std::size_t rows_written(const State& state, std::size_t commands) {
  return rows_of_entry * state.flows.size() + rows_of_command * commands + state.quotas.size();
}

std::size_t rows_at_most(State& state, const Command& command) {
  const auto* reserve = std::get_if<Reserve>(&command.act);
  // The usual case costs nothing: nothing is released on the way, and the lines say how much it is at most.
  if (reserve != nullptr && state.due.empty()) {
    return rows_of_command +
           reserve->lines.size() * (1 + rows_of_entry * static_cast<std::size_t>(buckets_max));
  }
  return Bound(state).of(command);
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
