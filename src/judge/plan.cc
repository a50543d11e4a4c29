#include "judge/plan.h"

namespace gavel::judge {
namespace {

using namespace rules;

struct Planning {
  Plan& plan;

  void operator()(const Reserve& act) const {
    if (act.activity) plan.activities.insert(*act.activity);
    for (const Line& line : act.lines) {
      if (act.activity) {
        plan.drawn.emplace(*act.activity, line.sku);
      } else {
        plan.skus.insert(line.sku);
      }
    }
  }
  void operator()(const Confirm& act) const { some_lines(act.order, act.lines); }
  void operator()(const Cancel& act) const { plan.orders.insert(act.order); }
  void operator()(const Extend& act) const { plan.orders.insert(act.order); }
  void operator()(const ChangeOrder& act) const { some_lines(act.order, act.lines); }
  void operator()(const Refund& act) const { some_lines(act.order, act.lines); }
  void operator()(const Ship& act) const { some_lines(act.order, act.lines); }
  void operator()(const Expire& act) const { plan.orders.insert(act.order); }
  void operator()(const Forget& act) const { plan.requests.emplace(act.of, act.key); }
  void operator()(const Rebalance& act) const { plan.items.insert(act.item); }
  void operator()(const PutSku& act) const {
    plan.skus.insert(act.sku);
    plan.written_skus.insert(act.sku);
    plan.deals_numbers = true;
  }
  void operator()(const Receive& act) const { plan.skus.insert(act.sku); }
  void operator()(const Adjust& act) const { plan.skus.insert(act.sku); }
  void operator()(const Count& act) const { plan.skus.insert(act.sku); }
  void operator()(const CreateActivity& act) const {
    plan.activities.insert(act.activity);
    for (const ActivityLine& line : act.lines) plan.skus.insert(line.sku);
    plan.deals_numbers = true;
  }
  void operator()(const ChangeActivity& act) const {
    // Its free items as well, since the ladder looks at them.
    written(act.activity);
    plan.changed_activities.insert(act.activity);
  }
  void operator()(const WarmActivity& act) const { written(act.activity); }
  void operator()(const CheckActivity& act) const { written(act.activity); }
  void operator()(const OpenActivity& act) const { whole(act.activity); }
  void operator()(const CloseActivity& act) const { whole(act.activity); }

  void some_lines(OrderId order, const Lines& lines) const {
    plan.orders.insert(order);
    for (const Line& line : lines) plan.skus.insert(line.sku);
  }
  void written(const ActivityCode& activity) const {
    plan.activities.insert(activity);
    plan.written_activities.insert(activity);
  }
  void whole(const ActivityCode& activity) const {
    written(activity);
    plan.whole_activities.insert(activity);
  }
};

}  // namespace

Plan plan_of(std::span<const Command> commands) {
  Plan plan;
  for (const Command& command : commands) {
    std::visit(Planning{plan}, command.act);
    if (!command.key) continue;
    plan.requests.emplace(command.caller, *command.key);
    if (command.key->uuid7()) plan.keys_as_orders.insert(OrderId{*command.key->uuid7()});
  }
  return plan;
}

std::optional<OrderId> order_acted_on(const Command& command) {
  return std::visit(
      [](const auto& act) -> std::optional<OrderId> {
        if constexpr (requires { act.order; }) return act.order;
        return std::nullopt;
      },
      command.act);
}

}  // namespace gavel::judge
