#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

TEST(ShippingTest, PaidUnitsLieHereUntilTheyAreShipped_E22) {
  World world;
  world.sku("tee", {5}).sku("cap", {2}).does(want("ann", "tee*3 cap*1")).does(confirm_of(1));
  EXPECT_EQ(world.stock(), "tee: 2/0/3 g1\ncap: 1/0/1 g1");
  EXPECT_EQ(world.ask(ship_of(1, "tee*2")), "shipped state=partly_shipped order=#1");
  EXPECT_EQ(world.stock(), "tee: 2/0/1/2 g1\ncap: 1/0/1 g1");
  EXPECT_EQ(world.orders(), "#1 partly_shipped ann cap/0*1 tee/0*3>2");
  EXPECT_EQ(world.ask(ship_of(1)), "shipped state=shipped order=#1");
  EXPECT_EQ(world.stock(), "tee: 2/0/0/3 g1\ncap: 1/0/0/1 g1");
  EXPECT_EQ(world.orders(), "#1 shipped ann cap/0*1>1 tee/0*3>3");
}

// One row per outcome, in precedence order; nothing changes.
TEST(ShippingTest, WhatCannotBeShippedIsRefused_E22) {
  World world;
  world.sku("tee", {9}).sku("cap", {9}).sku("hat", {9}).does(want("ann", "tee*3 cap*1"));
  EXPECT_EQ(world.ask(ship_of(1)), "illegal_transition state=held order=#1");
  world.does(confirm_of(1)).does(ship_of(1, "tee*2"));
  const std::string before = world.everything();
  EXPECT_EQ(world.ask(ship_of(99)), "unknown_order");
  EXPECT_EQ(world.ask(ship_of(1, "hat*1")), "unknown_sku sku=hat");
  EXPECT_EQ(world.ask(ship_of(1, "tee*2")), "insufficient sku=tee available=1 order=#1");
  EXPECT_EQ(world.ask(ship_of(1, "cap*2 tee*1")), "insufficient sku=cap available=1 order=#1");
  EXPECT_EQ(world.everything(), before);
  world.does(ship_of(1, "tee*1"));
  EXPECT_EQ(world.ask(ship_of(1, "tee*1")), "already_shipped order=#1");
  EXPECT_EQ(world.ask(ship_of(1, "cap*1 tee*1")), "insufficient sku=tee available=0 order=#1");
  world.does(ship_of(1));
  EXPECT_EQ(world.ask(ship_of(1)), "already_shipped order=#1");
  EXPECT_EQ(world.ask(ship_of(1, "tee*1")), "already_shipped order=#1");
  world.does(refund_of(1));
  EXPECT_EQ(world.ask(ship_of(1)), "illegal_transition state=refunded order=#1");
}

TEST(ShippingTest, AShippedOrderIsConfirmedAlready_E22) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2")).does(confirm_of(1)).does(ship_of(1, "tee*1"));
  EXPECT_EQ(world.ask(confirm_of(1)), "already_confirmed order=#1");
  world.does(ship_of(1));
  EXPECT_EQ(world.ask(confirm_of(1)), "already_confirmed order=#1");
  EXPECT_EQ(world.ask(cancel_of(1)), "already_confirmed order=#1");
}

TEST(ShippingTest, BrokenNumbersAreNotShipped_B9) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2").at_once());
  world.bucket("tee").sold = Quantity{1};
  world.tampered();
  EXPECT_EQ(world.ask(ship_of(1)), "frozen order=#1");
}

// A unit that leaves was there, whatever a count had said before it.
TEST(ShippingTest, WhatIsShippedWasNotMissing_E7_E22) {
  World world;
  world.sku("tee", {3}).does(want("ann", "tee*2")).does(want("bob", "tee*1").at_once());
  world.does(adjust_of("tee", -2, "lost"));
  EXPECT_EQ(world.stock(), "tee: 0/2/1-2 g1");
  world.does(ship_of(2));
  EXPECT_EQ(world.stock(), "tee: 0/2/0/1-2 g1");
  world.does(confirm_of(1));
  EXPECT_EQ(world.ask(ship_of(1, "tee*1")), "shipped state=partly_shipped order=#1");
  EXPECT_EQ(world.stock(), "tee: 0/0/1/2-1 g1");
  EXPECT_EQ(world.ledger.at(world.ledger.size() - 3).source, "ship");
  EXPECT_EQ(world.ledger.at(world.ledger.size() - 2).action, Action::make_good);
}

TEST(RefundOfShippedTest, TakesWhatLiesHereFirst_E22) {
  World world;
  world.sku("tee", {9}).does(want("ann", "tee*4").at_once()).does(ship_of(1, "tee*2"));
  EXPECT_EQ(world.ask(refund_of(1, "tee*1")), "refunded state=partly_shipped order=#1");
  EXPECT_EQ(world.stock(), "tee: 6/0/1/2 g1");
  EXPECT_EQ(world.ask(refund_of(1, "tee*2")), "refunded state=shipped order=#1");
  EXPECT_EQ(world.stock(), "tee: 8/0/0/1 g1");
  EXPECT_EQ(world.orders(), "#1 shipped ann tee/0*4-3>1");
  EXPECT_EQ(world.ask(write_off_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 8/0/0 g1");
  EXPECT_EQ(world.ledger.back().action, Action::write_off_shipped);
}

TEST(RefundOfShippedTest, TakesFromWhereItIsTold_E22) {
  World world;
  world.sku("tee", {9}).does(want("ann", "tee*4").at_once());
  EXPECT_EQ(world.ask(refund_from(RefundFrom::buyer, 1)), "illegal_transition state=paid order=#1");
  world.does(ship_of(1, "tee*2"));
  EXPECT_EQ(world.ask(refund_from(RefundFrom::buyer, 1, "tee*3")),
            "insufficient sku=tee available=2 order=#1");
  EXPECT_EQ(world.ask(refund_from(RefundFrom::shelf, 1, "tee*3")),
            "insufficient sku=tee available=2 order=#1");
  EXPECT_EQ(world.ask(refund_from(RefundFrom::buyer, 1)), "refunded state=partly_refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 7/0/2 g1");
  EXPECT_EQ(world.ledger.back().action, Action::take_back);
  world.does(ship_of(1, "tee*1"));
  EXPECT_EQ(world.ask(refund_from(RefundFrom::shelf, 1)), "refunded state=shipped order=#1");
  EXPECT_EQ(world.ask(refund_from(RefundFrom::shelf, 1)), "illegal_transition state=shipped order=#1");
  EXPECT_EQ(world.stock(), "tee: 8/0/0/1 g1");
}

TEST(RefundOfShippedTest, WhatComesBackToAClosedSaleMovesOn_E22) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*4")).does(opening("sale"));
  world.does(want("ann", "tee*3").in("sale").at_once()).does(ship_of(1, "tee*2")).does(closing("sale"));
  EXPECT_EQ(world.stock(), "tee: 2/0/0 g1\ntee@sale: 0/0/1/2 g2");
  EXPECT_EQ(world.ask(refund_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(world.stock("tee"), "tee: 5/0/0 g1");
}

TEST(RefundOfShippedTest, NothingComesBackIntoBrokenNumbers_B9) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2").at_once()).does(ship_of(1));
  world.bucket("tee").shipped = Quantity{1};
  world.tampered();
  EXPECT_EQ(world.ask(refund_of(1)), "frozen order=#1");
}

}  // namespace
}  // namespace gavel::rules
