// Payments of some lines, and units of paid orders that come back.
#include <gtest/gtest.h>

#include "rules/orders.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::minutes;

World paid_world() {
  World world;
  world.sku("tee", {3}).sku("cap", {2}).does(want("ann", "tee*3 cap*2")).does(confirm_of(1));
  return world;
}

// What the ledger says of one kind of entry, in order: "tee/0*2 (1)", the occurrence in brackets.
std::string entries(World& world, Action action) {
  std::string text;
  for (const Flow& flow : world.ledger) {
    if (flow.action != action) continue;
    const bool tee = flow.item == world.item("tee").id;
    text += (text.empty() ? "" : " ") + std::string(tee ? "tee/" : "other/") + std::to_string(flow.bucket) +
            "*" + std::to_string(flow.quantity.units) + " (" + std::to_string(flow.occurrence) + ")";
  }
  return text;
}

TEST(RefundsTest, ARefundGoesOnUntilNothingIsLeft_C6) {
  World world = paid_world();
  EXPECT_EQ(world.ask(refund_of(1, "tee*1")), "refunded state=partly_refunded order=#1");
  EXPECT_EQ(world.orders(), "#1 partly_refunded ann cap/0*2 tee/0*3-1");
  EXPECT_EQ(world.ask(refund_of(1, "tee*3")), "insufficient sku=tee available=2 order=#1");
  EXPECT_EQ(world.ask(refund_of(1, "tee*1 cap*2")), "refunded state=partly_refunded order=#1");
  EXPECT_EQ(world.ask(refund_of(1, "cap*1")), "insufficient sku=cap available=0 order=#1");
  EXPECT_EQ(world.ask(refund_of(1, "tee*1")), "refunded state=refunded order=#1");
  EXPECT_EQ(world.ask(refund_of(1, "tee*1")), "illegal_transition state=refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 3/0/0 g2\ncap: 2/0/0 g2");
  EXPECT_EQ(world.orders(), "#1 refunded ann cap/0*2-2 tee/0*3-3");
  EXPECT_EQ(entries(world, Action::refund), "tee/0*1 (1) other/0*2 (1) tee/0*1 (2) tee/0*1 (3)");
  EXPECT_EQ(world.order(1).revision, 4);
  EXPECT_EQ(world.order(1).settled_at, noon) << "it was settled when it was paid";
}

TEST(RefundsTest, OfSeveralLinesThatAskForTooMuchTheFirstIsNamed) {
  World world = paid_world();
  EXPECT_EQ(world.ask(refund_of(1, "tee*4 cap*3")), "insufficient sku=cap available=2 order=#1");
  EXPECT_EQ(world.orders(), "#1 paid ann cap/0*2 tee/0*3");
}

TEST(RefundsTest, AWholeRefundTakesWhatIsLeft) {
  World world = paid_world();
  world.does(refund_of(1, "tee*2"));
  EXPECT_EQ(world.ask(refund_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(world.orders(), "#1 refunded ann cap/0*2-2 tee/0*3-3");
}

TEST(RefundsTest, WhatIsNotRestockedIsWrittenOff_B037_B043) {
  World declined;
  declined.sku("tee", {1}).does(want("ann", "tee*1").at_once());
  EXPECT_EQ(declined.ask(write_off_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(declined.ask(cancel_of(1)), "illegal_transition state=refunded order=#1");
  EXPECT_EQ(declined.stock(), "tee: 0/0/0 g1");
  EXPECT_EQ(entries(declined, Action::write_off), "tee/0*1 (1)");

  for (const bool restocks : {true, false}) {
    World world;
    world.sku("tee", {20}).does(want("ann", "tee*5").at_once());
    world.does(restocks ? refund_of(1) : write_off_of(1));
    EXPECT_EQ(world.stock(), restocks ? "tee: 20/0/0 g1" : "tee: 15/0/0 g1");
  }
}

TEST(RefundsTest, APartIsRestockedAndAnotherIsNot) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*4").at_once());
  world.does(refund_of(1, "tee*1")).does(write_off_of(1, "tee*2"));
  EXPECT_EQ(world.stock(), "tee: 2/0/1 g1");
  EXPECT_EQ(world.orders(), "#1 partly_refunded ann tee/0*4-3");
}

TEST(RefundsTest, ACancelAfterARefundMovesNothing_B045) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*3")).does(confirm_of(1)).does(refund_of(1, "tee*1"));
  EXPECT_EQ(world.ask(cancel_of(1)), "illegal_transition state=partly_refunded order=#1");
  EXPECT_EQ(world.ask(expire_of(1)), "illegal_transition state=partly_refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 3/0/2 g1");
}

TEST(RefundsTest, UnitsGoBackToTheirBuckets) {
  World world;
  world.sku("tee", {2, 3, 2}).does(want("ann", "tee*6").at_once());
  world.does(refund_of(1, "tee*3"));
  EXPECT_EQ(world.stock(), "tee: 2/0/0 | 1/0/2 | 1/0/1 g1");
  EXPECT_EQ(world.orders(), "#1 partly_refunded ann tee/0*2-2 tee/1*3-1 tee/2*1");
  world.does(refund_of(1));
  EXPECT_EQ(world.stock(), "tee: 2/0/0 | 3/0/0 | 2/0/0 g1");
}

TEST(RefundsTest, AClaimStaysAndAClosedActivityKeepsNothing_B3) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*4").limit(2)).does(opening("sale"));
  world.does(want("ann", "tee*2").in("sale").at_once()).does(refund_of(1, "tee*1"));
  EXPECT_EQ(world.stock(), "tee: 1/0/0 g1\ntee@sale: 3/0/1 g2");
  EXPECT_EQ(world.quotas(), "ann tee 2/2 by #1");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#1");
  world.does(closing("sale")).does(refund_of(1));
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1\ntee@sale: 0/0/0 g2");
  EXPECT_EQ(world.ledger.back().source, "activity:sale");
  EXPECT_EQ(world.ledger.back().order, std::nullopt);

  // What is written off has nowhere to go.
  World gone;
  gone.sku("tee", {5}).does(sale("sale", "tee*4")).does(opening("sale"));
  gone.does(want("ann", "tee*2").in("sale").at_once()).does(closing("sale")).does(write_off_of(1));
  EXPECT_EQ(gone.stock(), "tee: 3/0/0 g1\ntee@sale: 0/0/0 g2");
}

TEST(RefundsTest, ChangedByOtherHandsItIsFrozen_B9) {
  struct Tampering {
    const char* what;
    void (*by)(World&);
  };
  const Tampering tamperings[] = {
      {"fewer sold than the order has", [](World& w) { w.bucket("tee@sale").sold = Quantity{1}; }},
      {"available beyond reason", [](World& w) { w.bucket("tee@sale").available = sound_units_max; }},
      {"the free stock behind it", [](World& w) { w.bucket("tee").reserved = Quantity{-1}; }},
      {"more has returned than was taken",
       [](World& w) {
         w.order(1).state = OrderState::partly_refunded;
         w.order(1).returned = {{w.item("tee@sale").id, 0, Quantity{3}}};
       }},
  };
  for (const Tampering& tampering : tamperings) {
    SCOPED_TRACE(tampering.what);
    World world;
    world.sku("tee", {5}).does(sale("sale", "tee*4")).does(opening("sale"));
    world.does(want("ann", "tee*2").in("sale").at_once()).does(closing("sale"));
    tampering.by(world);
    world.tampered();
    EXPECT_EQ(world.ask(refund_of(1)), "frozen order=#1");
  }
}

TEST(PartialConfirmTest, TheRestReturnsInTheSameTransaction_E1) {
  World world;
  world.sku("tee", {2, 3}).sku("cap", {2}).does(want("ann", "tee*5 cap*2"));
  EXPECT_EQ(world.ask(confirm_of(1, "tee*3")), "confirmed order=#1");
  EXPECT_EQ(world.stock(), "tee: 0/0/2 | 2/0/1 g2\ncap: 2/0/0 g2");
  EXPECT_EQ(world.orders(), "#1 paid ann cap/0*2-2 tee/0*2 tee/1*3-2");
  EXPECT_EQ(world.ask(confirm_of(1)), "already_confirmed order=#1");
  EXPECT_EQ(world.ask(refund_of(1, "cap*1")), "insufficient sku=cap available=0 order=#1");
  EXPECT_EQ(world.ask(refund_of(1, "tee*1")), "refunded state=partly_refunded order=#1");
  EXPECT_EQ(world.ask(refund_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(world.orders(), "#1 refunded ann cap/0*2-2 tee/0*2-2 tee/1*3-3");
}

TEST(PartialConfirmTest, AllLinesAreTheWhole) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2"));
  EXPECT_EQ(world.ask(confirm_of(1, "tee*1 tee*1")), "confirmed order=#1");
  EXPECT_EQ(world.orders(), "#1 paid ann tee/0*2");
  EXPECT_EQ(world.stock(), "tee: 3/0/2 g1");
}

TEST(PartialConfirmTest, MoreThanIsHeldOrAfterItsTimeIsRefused) {
  World world;
  world.sku("tee", {5}).sku("cap", {1}).does(want("ann", "tee*2"));
  EXPECT_EQ(world.ask(confirm_of(1, "tee*3")), "insufficient sku=tee available=2 order=#1");
  EXPECT_EQ(world.ask(confirm_of(1, "cap*1 tee*1")), "unknown_sku sku=cap");
  EXPECT_EQ(world.ask(confirm_of(1, "hat*1")), "unknown_sku sku=hat");
  EXPECT_EQ(world.stock(), "tee: 3/2/0 g1\ncap: 1/0/0 g1");
  world.passes(minutes(15));
  EXPECT_EQ(world.ask(confirm_of(1, "tee*1")), "hold_expired order=#1");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1\ncap: 1/0/0 g1");
}

TEST(PartialConfirmTest, TheClaimOfTheRestComesBack_B3) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*4").limit(3)).does(opening("sale"));
  world.does(want("ann", "tee*3").in("sale")).does(closing("sale"));
  EXPECT_EQ(world.ask(confirm_of(1, "tee*1")), "confirmed order=#1");
  EXPECT_EQ(world.quotas(), "ann tee 1/3 by #1");
  EXPECT_EQ(world.stock(), "tee: 4/0/0 g1\ntee@sale: 0/0/1 g2");
}

// A payment of all moves units within the item alone; one of a part gives back, and needs what that needs.
TEST(PartialConfirmTest, TheRestIsNotGivenBackIntoBrokenNumbers_B9) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*4").limit(3)).does(opening("sale"));
  world.does(want("ann", "tee*3").in("sale")).does(closing("sale"));
  world.bucket("tee").sold = Quantity{-1};
  world.tampered();
  EXPECT_EQ(world.ask(confirm_of(1, "tee*1")), "frozen order=#1");
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
}

}  // namespace
}  // namespace gavel::rules
