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
    case OrderState::partly_refunded:
      return "partly_refunded";
    case OrderState::refunded:
      return "refunded";
    case OrderState::partly_shipped:
      return "partly_shipped";
    case OrderState::shipped:
      return "shipped";
  }
  CHECK(false);
}

std::optional<OrderState> parse_order_state(std::string_view word) {
  using enum OrderState;
  for (const OrderState state :
       {refused, held, paid, cancelled, expired, partly_refunded, refunded, partly_shipped, shipped}) {
    if (rules::word(state) == word) return state;
  }
  return std::nullopt;
}

bool may_follow(OrderState from, OrderState to) {
  switch (from) {
    case OrderState::held:
      return to == OrderState::paid || to == OrderState::cancelled || to == OrderState::expired;
    case OrderState::paid:
    case OrderState::partly_refunded:
    case OrderState::partly_shipped:
      return to == OrderState::partly_refunded || to == OrderState::refunded ||
             to == OrderState::partly_shipped || to == OrderState::shipped;
    case OrderState::shipped:
      return to == OrderState::shipped || to == OrderState::refunded;
    case OrderState::refused:
    case OrderState::cancelled:
    case OrderState::expired:
    case OrderState::refunded:
      return false;
  }
  CHECK(false);
}

std::string_view word(ActivityState state) {
  switch (state) {
    case ActivityState::draft:
      return "draft";
    case ActivityState::warmed:
      return "warmed";
    case ActivityState::verified:
      return "verified";
    case ActivityState::open:
      return "open";
    case ActivityState::closed:
      return "closed";
  }
  CHECK(false);
}

std::optional<ActivityState> parse_activity_state(std::string_view word) {
  using enum ActivityState;
  for (const ActivityState state : {draft, warmed, verified, open, closed}) {
    if (rules::word(state) == word) return state;
  }
  return std::nullopt;
}

}  // namespace gavel::rules
