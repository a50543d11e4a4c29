#include "rules/decision.h"

namespace gavel::rules {

bool is_in_scope(const Command& command, const Caller& account) {
  return command.scope == Scope::all || command.caller == account;
}

Order* find_order_in_scope(DecisionContext& c, OrderId id) {
  Order* order = c.state.find_order(id);
  return order != nullptr && is_in_scope(c.command, order->account) ? order : nullptr;
}

}  // namespace gavel::rules
