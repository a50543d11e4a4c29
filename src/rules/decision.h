// What all rules share: the context of a decision, and the verdicts on an order.
//
// Internal to rules/. One thread.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "rules/decide.h"
#include "rules/state.h"
#include "rules/stock.h"
#include "rules/verdict.h"

namespace gavel::rules {

// One command being decided.
struct DecisionContext {
  State& state;
  const Command& command;
  Time now;
  const Policy& policy;
  // The refusal is one more for lack of stock of this item than are recorded (A8).
  std::optional<ItemGeneration> beyond_bound = std::nullopt;

  // The reason that the ledger gives for what this command moves.
  Reason because(std::optional<OrderId> order, std::string source) const {
    return Reason{command.caller, command.key, order, std::move(source), now};
  }
};

// The verdict of an act on an order.
inline Verdict verdict_of(Outcome outcome, OrderId order, Detail detail = {}) {
  Verdict verdict = verdict_of(outcome, std::move(detail));
  verdict.order = order;
  return verdict;
}

// True of an order that the command may act upon and be told of (A9).
bool is_in_scope(const Command& command, const Caller& account);

// The order, unless it is not there or is another account's: to a stranger both are the same.
Order* find_order_in_scope(DecisionContext& c, OrderId id);

// The act has no arrow from the order's current state (C5).
inline Verdict refuse_in_state(const Order& order) {
  Detail detail;
  detail.state = std::string(word(order.state));
  return verdict_of(Outcome::illegal_transition, order.id, std::move(detail));
}

}  // namespace gavel::rules
