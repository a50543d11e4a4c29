// orders_go_forward, asked alone: every step of an order's state, and everything that may have returned.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rules/invariants.h"

namespace gavel::rules {
namespace {

using enum OrderState;

constexpr std::array states{refused,         held,     paid,           cancelled, expired,
                            partly_refunded, refunded, partly_shipped, shipped};
constexpr Time noon{std::chrono::milliseconds{1'795'953'600'000}};

std::string name_of_broken(const Order& order) {
  State state;
  state.orders.emplace(order.id, order);
  const auto invariants = batch_invariants();
  const auto named = std::ranges::find(invariants, "orders_go_forward", &Invariant::name);
  const std::string what = named->broken(state).value_or("");
  return what.substr(what.find(' ', 6) + 1);  // Without "order <id>".
}

Allocation part(std::int64_t item, std::int64_t units) { return {ItemId{item}, 0, Quantity{units}}; }

// An order of two units that a batch changed, with as much returned or shipped as its state tells.
Order changed(OrderState from, OrderState to) {
  Order order{.id = OrderId{},
              .state = to,
              .account = Caller("shop"),
              .user = UserId("ann"),
              .taken = {part(1, 2)},
              .created_at = noon,
              .expires_at = noon,
              .settled_at = std::nullopt,
              .revision = 2,
              .row_state = RowState::updated};
  if (to == partly_refunded) order.returned = {part(1, 1)};
  if (to == refunded) order.returned = {part(1, 2)};
  if (to == partly_shipped) order.shipped = {part(1, 1)};
  if (to == shipped) order.shipped = {part(1, 2)};
  order.loaded = OrderAsLoaded{
      .state = from, .taken = order.taken, .returned = {}, .shipped = {}, .expires_at = noon, .revision = 1};
  return order;
}

TEST(OrdersGoForwardTest, StatesGoAlongTheArrowsAndOneBatchMayTakeSeveral) {
  const std::set<std::pair<OrderState, OrderState>> ways{
      {held, held},
      {held, paid},
      {held, cancelled},
      {held, expired},
      {held, partly_refunded},
      {held, refunded},
      {held, partly_shipped},
      {held, shipped},
      {paid, paid},
      {paid, partly_refunded},
      {paid, refunded},
      {paid, partly_shipped},
      {paid, shipped},
      {partly_refunded, partly_refunded},
      {partly_refunded, refunded},
      {partly_refunded, partly_shipped},
      {partly_refunded, shipped},
      {partly_shipped, partly_shipped},
      {partly_shipped, partly_refunded},
      {partly_shipped, refunded},
      {partly_shipped, shipped},
      {shipped, shipped},
      {shipped, refunded},
      {refused, refused},
      {cancelled, cancelled},
      {expired, expired},
      {refunded, refunded},
  };
  for (const OrderState from : states) {
    for (const OrderState to : states) {
      const std::string step = "went from " + std::string(word(from)) + " to " + std::string(word(to));
      EXPECT_EQ(name_of_broken(changed(from, to)), ways.contains({from, to}) ? "" : step) << step;
    }
  }
}

// table: what an order may say that has returned.
TEST(OrdersGoForwardTest, NothingReturnsThatWasNotTaken) {
  struct Row {
    OrderState state;
    std::vector<Allocation> returned;
    bool may_be;
  };
  const Row rows[] = {
      {held, {}, true},
      {held, {part(1, 1)}, false},
      {cancelled, {part(1, 1)}, false},
      {cancelled, {part(1, 2)}, false},
      {paid, {}, true},
      {paid, {part(1, 1)}, true},
      {paid, {part(1, 2)}, false},
      {paid, {part(1, 3)}, false},
      {paid, {part(1, 0)}, false},
      {paid, {part(1, -1)}, false},
      {paid, {part(2, 1)}, false},
      {partly_refunded, {}, false},
      {partly_refunded, {part(1, 1)}, true},
      {partly_refunded, {part(1, 2)}, false},
      {refunded, {}, false},
      {refunded, {part(1, 1)}, false},
      {refunded, {part(1, 2)}, true},
  };
  for (const Row& row : rows) {
    Order order = changed(held, row.state);
    order.returned = row.returned;
    EXPECT_EQ(name_of_broken(order), row.may_be ? "" : "has other units than its state says")
        << word(row.state) << " " << (row.returned.empty() ? 0 : row.returned[0].quantity.units);
  }
}

TEST(OrdersGoForwardTest, RevisionsRiseAndHoldsAreNotMadeShorter_E4) {
  Order order = changed(held, held);
  order.revision = 1;
  EXPECT_EQ(name_of_broken(order), "is changed without a new revision");
  order = changed(held, held);
  order.expires_at = noon - std::chrono::milliseconds(1);
  EXPECT_EQ(name_of_broken(order), "has a shorter hold than before");
  order.expires_at.reset();
  EXPECT_EQ(name_of_broken(order), "has a shorter hold than before");
  order = changed(held, held);
  order.loaded.reset();
  EXPECT_EQ(name_of_broken(order), "is changed and was never loaded");
  order.row_state = RowState::inserted;
  EXPECT_EQ(name_of_broken(order), "");
}

// table: what a paid order may say that is shipped (E22).
TEST(OrdersGoForwardTest, TheStateSaysWhereTheUnitsAre_E22) {
  struct Row {
    OrderState state;
    std::vector<Allocation> returned;
    std::vector<Allocation> shipped;
    bool may_be;
  };
  const Row rows[] = {
      {held, {}, {part(1, 1)}, false},
      {paid, {}, {part(1, 1)}, false},
      {partly_refunded, {part(1, 1)}, {part(1, 1)}, false},
      {refunded, {part(1, 2)}, {part(1, 1)}, false},
      {partly_shipped, {}, {}, false},
      {partly_shipped, {}, {part(1, 1)}, true},
      {partly_shipped, {}, {part(1, 2)}, false},
      {partly_shipped, {part(1, 1)}, {part(1, 1)}, false},
      {shipped, {}, {}, false},
      {shipped, {}, {part(1, 1)}, false},
      {shipped, {}, {part(1, 2)}, true},
      {shipped, {}, {part(1, 3)}, false},
      {shipped, {}, {part(2, 2)}, false},
      {shipped, {}, {part(1, 0)}, false},
      {shipped, {part(1, 1)}, {part(1, 1)}, true},
      {shipped, {part(1, 2)}, {}, false},
  };
  for (const Row& row : rows) {
    Order order = changed(held, row.state);
    order.returned = row.returned;
    order.shipped = row.shipped;
    EXPECT_EQ(name_of_broken(order), row.may_be ? "" : "has other units than its state says")
        << word(row.state);
  }
}

}  // namespace
}  // namespace gavel::rules
