// The life of an order, and who takes each step (C5).
//
//                reserve                 confirm            refund of all that is left
//   (nothing) ──────────────► held ──────────────────► paid ─────────────────────► refunded
//      │  │                    │ │                       │                            ▲
//      │  │  reserve,          │ └── cancel ► cancelled  │ refund of a part           │
//      │  │  payment none      │                         ▼                            │
//      │  └──────────► paid    └──── expire (job, or   partly_refunded ───────────────┘
//      │                             any command that    │          ▲
//      └ refused (nothing taken)     meets it late)      └──────────┘ refund of a part
//                                    ► expired
//
// A held order stays held when it is extended or its quantities are changed.
//
// A paid order with units left is told by where they are (E22): all with the buyer, `shipped`; some of them,
// `partly_shipped`; none, `partly_refunded` if units were refunded, else `paid`. Acts `ship` and `refund`
// lead from one to another, but nothing leads back to `paid`, and from `shipped` only on to `refunded`.
//
// Arrows are functions of rules/orders.h, shipping.h and refunds.h, except `expire` (holds.h) and `refused`
// (decide.cc). Nothing else changes an order's state. States are stored as their word. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gavel::rules {

enum class OrderState : std::uint8_t {
  refused,
  held,
  paid,
  cancelled,
  expired,
  partly_refunded,
  refunded,
  partly_shipped,
  shipped,
};

// True if the order is paid and has units left, here or with its buyer.
constexpr bool is_paid(OrderState state) {
  return state == OrderState::paid || state == OrderState::partly_refunded ||
         state == OrderState::partly_shipped || state == OrderState::shipped;
}

std::string_view word(OrderState state);
std::optional<OrderState> parse_order_state(std::string_view word);

// True exactly for the arrows above.
bool may_follow(OrderState from, OrderState to);

// Drawn in rules/activities.h.
enum class ActivityState : std::uint8_t {
  draft,     // create
  warmed,    // warm: the gate is loaded.
  verified,  // check: the gate shows what the judge has.
  open,      // open: the allotment is in the activity's items.
  closed,    // close: the unsold units are back in the free items.
};

// True before the activity is opened for the first and only time.
constexpr bool is_before_open(ActivityState state) { return state < ActivityState::open; }

std::string_view word(ActivityState state);
std::optional<ActivityState> parse_activity_state(std::string_view word);

}  // namespace gavel::rules
