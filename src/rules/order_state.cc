#include "rules/order_state.h"

#include "base/check.h"

namespace gavel::rules {

std::string_view word(OrderState state) {
  switch (state) {
    case OrderState::refused:
      return "refused";
    case OrderState::held:
      return "held";
    case OrderState::paid:
      return "paid";
    case OrderState::cancelled:
      return "cancelled";
    case OrderState::expired:
      return "expired";
  }
  CHECK(false);
}

std::optional<OrderState> parse_order_state(std::string_view text) {
  using enum OrderState;
  for (const OrderState state : {refused, held, paid, cancelled, expired}) {
    if (word(state) == text) return state;
  }
  return std::nullopt;
}

bool may_follow(OrderState from, OrderState to) {
  return from == OrderState::held &&
         (to == OrderState::paid || to == OrderState::cancelled || to == OrderState::expired);
}

std::string_view word(ActivityState state) {
  switch (state) {
    case ActivityState::draft:
      return "draft";
    case ActivityState::open:
      return "open";
    case ActivityState::closed:
      return "closed";
  }
  CHECK(false);
}

std::optional<ActivityState> parse_activity_state(std::string_view text) {
  using enum ActivityState;
  for (const ActivityState state : {draft, open, closed}) {
    if (word(state) == text) return state;
  }
  return std::nullopt;
}

}  // namespace gavel::rules
