// Held orders that last longer, and held orders that become larger or smaller.
#include <gtest/gtest.h>

#include "rules/orders.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// ann holds two of five for a minute.
World held_world() {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2").held_for(minutes(1)));
  return world;
}

// "reserve tee/0*1 (2) change", the occurrence in brackets, of one order.
std::string entries(World& world, std::int64_t order) {
  std::string text;
  for (const Flow& flow : world.ledger) {
    if (flow.order != order_id(order)) continue;
    const Item& item = world.state.item(flow.item);
    text += (text.empty() ? "" : ", ") + std::string(word(flow.action)) + " " +
            world.state.sku_of(item.sku).code.text() + "/" + std::to_string(flow.bucket) + "*" +
            std::to_string(flow.quantity.units) + " (" + std::to_string(flow.occurrence) + ") " + flow.source;
  }
  return text;
}

TEST(ExtendTest, AHoldLastsLongerFromTheJudgesTimeOn_E4) {
  World world = held_world();
  world.passes(seconds(30));
  EXPECT_EQ(world.ask(extend_of(1)), "extended expires_at=12:01:30.000 order=#1");
  EXPECT_EQ(world.ask(extend_of(1, seconds(90))), "extended expires_at=12:02:00.000 order=#1");
  EXPECT_EQ(world.order(1).first_expires_at, noon + minutes(1));
  EXPECT_EQ(world.order(1).extensions, 2);
  EXPECT_EQ(world.order(1).revision, 2);
  world.passes(seconds(89));
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(entries(world, 1), "reserve tee/0*2 (1) order, confirm tee/0*2 (1) order");
}

TEST(ExtendTest, AHoldIsNeverMadeShorter_E4) {
  World world = held_world();
  EXPECT_EQ(world.ask(extend_of(1, seconds(1))), "extended expires_at=12:01:00.000 order=#1");
  EXPECT_EQ(world.ask(extend_of(1)), "extended expires_at=12:01:00.000 order=#1");
  EXPECT_EQ(world.order(1).extensions, 0) << "it lasted as long already";
  EXPECT_EQ(world.order(1).revision, 0);
}

TEST(ExtendTest, ThreeTimesTheFirstHoldIsTheMost_E4_B029) {
  World world = held_world();
  EXPECT_EQ(world.ask(extend_of(1, hours(24))), "extended expires_at=12:03:00.000 order=#1");
  world.passes(seconds(10));
  // What was asked for is there.
  EXPECT_EQ(world.ask(extend_of(1, seconds(170))), "extended expires_at=12:03:00.000 order=#1");
  EXPECT_EQ(world.ask(extend_of(1, seconds(171))), "hold_capped expires_at=12:03:00.000 order=#1");
  EXPECT_EQ(world.order(1).extensions, 1);
  world.passes(seconds(170) - tick);
  EXPECT_EQ(world.ask(extend_of(1)), "hold_capped expires_at=12:03:00.000 order=#1");
  world.passes(tick);
  EXPECT_EQ(world.ask(extend_of(1)), "hold_expired order=#1");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1");
}

TEST(ExtendTest, NoHoldLastsLongerThanTheLongestOne) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*1").held_for(hours(20)));
  world.does(want("bob", "tee*1").held_for(hours(24))).passes(hours(19));
  EXPECT_EQ(world.ask(extend_of(1, hours(24))).substr(0, 9), "extended ");
  EXPECT_EQ(world.order(1).expires_at, noon + hours(24));
  EXPECT_EQ(World::brief(world.decide_one(extend_of(2, hours(24)))).substr(0, 12), "hold_capped ");
}

TEST(ExtendTest, ThePolicySaysHowLongAndHowOften) {
  World world = held_world();
  world.policy.extend_default = seconds(70);
  world.policy.hold_lengths_max = 1;
  EXPECT_EQ(world.ask(extend_of(1)), "hold_capped expires_at=12:01:00.000 order=#1");
  world.policy.hold_lengths_max = 2;
  EXPECT_EQ(world.ask(extend_of(1)), "extended expires_at=12:01:10.000 order=#1");
}

TEST(ExtendTest, AClosedOrderSaysHowItWasClosed_E1) {
  World world;
  world.sku("tee", {9});
  for (const char* user : {"ann", "bob", "cyd", "dan"}) world.does(want(user, "tee*1"));
  world.does(confirm_of(1)).does(cancel_of(2)).does(confirm_of(3)).does(refund_of(3)).passes(minutes(15));
  EXPECT_EQ(world.ask(extend_of(1)), "already_confirmed order=#1");
  EXPECT_EQ(world.ask(extend_of(2)), "already_cancelled order=#2");
  EXPECT_EQ(world.ask(extend_of(3)), "illegal_transition state=refunded order=#3");
  EXPECT_EQ(world.ask(extend_of(4)), "hold_expired order=#4");
  EXPECT_EQ(world.ask(extend_of(9)), "unknown_order");
}

TEST(ChangeTest, WhatRisesIsTakenAndWhatFallsReturns_E5) {
  World world;
  world.sku("tee", {3, 4}).sku("cap", {2}).sku("mug", {2}).does(want("ann", "cap*2 tee*3"));
  EXPECT_EQ(world.ask(change_of(1, "tee*5 mug*1")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.orders(), "#1 held ann tee/0*2 tee/1*3 mug/0*1");
  EXPECT_EQ(world.stock(), "tee: 1/2/0 | 1/3/0 g1\ncap: 2/0/0 g2\nmug: 1/1/0 g1");
  EXPECT_EQ(entries(world, 1),
            "reserve cap/0*2 (1) order, reserve tee/1*3 (1) order, cancel cap/0*2 (1) change, "
            "reserve mug/0*1 (1) change, reserve tee/0*2 (1) change");
  EXPECT_EQ(world.ask(change_of(1, "tee*1 mug*1")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.orders(), "#1 held ann tee/1*1 mug/0*1");
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(world.stock(), "tee: 3/0/0 | 3/0/1 g1\ncap: 2/0/0 g2\nmug: 1/0/1 g1");
  EXPECT_EQ(world.order(1).revision, 3);
}

TEST(ChangeTest, ABucketThatGivesAndTakesIsCountedOn_C4) {
  World world = held_world();
  for (const char* lines : {"tee*3", "tee*1", "tee*2"}) world.does(change_of(1, lines));
  EXPECT_EQ(entries(world, 1),
            "reserve tee/0*2 (1) order, reserve tee/0*1 (2) change, cancel tee/0*2 (1) change, "
            "reserve tee/0*1 (3) change");
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(world.ledger.back().occurrence, 2);
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1");
}

TEST(ChangeTest, TheSameQuantitiesChangeNothing_B087) {
  World world = held_world();
  const std::string before = world.everything();
  EXPECT_EQ(world.ask(change_of(1, "tee*1 tee*1")), "changed expires_at=12:01:00.000 order=#1");
  EXPECT_EQ(world.everything(), before);
  EXPECT_EQ(world.order(1).revision, 0);
}

TEST(ChangeTest, AllOfItOrNothing_E5) {
  World world;
  world.sku("tee", {3}).sku("cap", {2}).sku("mug", {0}).does(want("ann", "cap*2 tee*1"));
  const std::string before = world.everything();
  EXPECT_EQ(world.ask(change_of(1, "cap*1 tee*4")), "insufficient sku=tee available=2 order=#1");
  EXPECT_EQ(world.ask(change_of(1, "tee*4 mug*1")), "sold_out sku=mug order=#1");
  EXPECT_EQ(world.ask(change_of(1, "cap*3")), "sold_out sku=cap order=#1");
  EXPECT_EQ(world.ask(change_of(1, "cap*1 hat*1")), "unknown_sku sku=hat");
  EXPECT_EQ(world.everything(), before);
}

TEST(ChangeTest, AClosedOrderSaysHowItWasClosed_E5_B039) {
  World world;
  world.sku("tee", {9});
  for (const char* user : {"ann", "bob", "cyd", "dan"}) world.does(want(user, "tee*1"));
  world.does(confirm_of(1)).does(cancel_of(2)).does(confirm_of(3)).does(refund_of(3)).passes(minutes(15));
  EXPECT_EQ(world.ask(change_of(1, "tee*2")), "already_confirmed order=#1");
  EXPECT_EQ(world.ask(change_of(2, "tee*2")), "already_cancelled order=#2");
  EXPECT_EQ(world.ask(change_of(3, "tee*2")), "illegal_transition state=refunded order=#3");
  EXPECT_EQ(world.ask(change_of(4, "tee*2")), "hold_expired order=#4");
  EXPECT_EQ(world.ask(change_of(9, "tee*2")), "unknown_order");
}

TEST(ChangeTest, TheUnitsOfADueHoldAreFreeForIt_C9) {
  World world;
  world.sku("tee", {3}).does(want("bob", "tee*2").held_for(seconds(1))).does(want("ann", "tee*1"));
  EXPECT_EQ(world.ask(change_of(2, "tee*3")), "sold_out sku=tee order=#2");
  world.passes(seconds(1));
  EXPECT_EQ(world.ask(change_of(2, "tee*3")), "changed expires_at=12:15:00.000 order=#2");
  EXPECT_EQ(world.orders(), "#1 expired bob tee/0*2\n#2 held ann tee/0*3");

  World unseen;
  unseen.sku("tee", {3}).does(want("bob", "tee*1").held_for(seconds(1)));
  unseen.does(want("cyd", "tee*1").held_for(seconds(1))).does(want("ann", "tee*1")).passes(seconds(1));
  unseen.due_orders_max = 1;
  EXPECT_EQ(unseen.ask(change_of(3, "tee*3")), "overloaded order=#3");
}

TEST(ChangeTest, TheLimitCountsWhatTheOrderHas_B3) {
  World world;
  world.sku("tee", {9}).does(sale("sale", "tee*9").limit(3)).does(opening("sale"));
  world.does(want("ann", "tee*1").in("sale")).does(want("ann", "tee*1").in("sale").held_for(seconds(1)));
  EXPECT_EQ(world.ask(change_of(1, "tee*3")), "limit_reached sku=tee allowed=3 claimed=2 claimed_by=#2");
  EXPECT_EQ(world.ask(change_of(1, "tee*2")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.quotas(), "ann tee 3/3 by #1");
  EXPECT_EQ(world.ask(change_of(1, "tee*1")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.quotas(), "ann tee 2/3 by #1");
  world.passes(seconds(1));
  EXPECT_EQ(world.ask(change_of(1, "tee*3")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.quotas(), "ann tee 3/3 by #1");
}

TEST(ChangeTest, OfASaleThatIsOverWhatFallsReturnsToTheFreeStock) {
  World world;
  world.sku("tee", {9}).does(sale("sale", "tee*5").limit(4)).does(opening("sale"));
  world.does(want("ann", "tee*3").in("sale")).does(closing("sale"));
  EXPECT_EQ(world.ask(change_of(1, "tee*4")), "over order=#1");
  EXPECT_EQ(world.ask(change_of(1, "tee*3")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.ask(change_of(1, "tee*1")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.stock(), "tee: 8/0/0 g1\ntee@sale: 0/1/0 g2");
  EXPECT_EQ(world.quotas(), "ann tee 1/4 by #1");
  EXPECT_EQ(world.ledger.back().source, "activity:sale");
}

TEST(ChangeTest, AnOrderOfAnActivityTakesFromItAlone) {
  World world;
  world.sku("tee", {9}).sku("cap", {9}).does(sale("sale", "tee*5")).does(opening("sale"));
  world.does(want("ann", "tee*3").in("sale"));
  EXPECT_EQ(world.ask(change_of(1, "tee*3 cap*1")), "unknown_sku sku=cap");
  EXPECT_EQ(world.ask(change_of(1, "tee*5")), "changed expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.stock("tee@sale"), "tee@sale: 0/5/0 g2");
}

// A token of the gate steers to its bucket, and is not believed (A1, A5).
TEST(TakingTest, ATokenNamesTheFirstBucketAndNothingElse) {
  const std::pair<std::optional<BucketNo>, std::string> rows[] = {
      {std::nullopt, "#1 held ann tee/1*1"},
      {0, "#1 held ann tee/0*1"},
      {1, "#1 held ann tee/1*1"},
      {2, "#1 held ann tee/2*1"},
      {3, "#1 held ann tee/1*1"},
      {-1, "#1 held ann tee/1*1"},
      {64, "#1 held ann tee/1*1"},
  };
  for (const auto& [token, orders] : rows) {
    World world;
    world.sku("tee", {3, 3, 3});
    Command command = world.command("shop", "k", want("ann", "tee*1"));
    command.token = token;
    EXPECT_EQ(decide(world.state, command, world.now, world.policy).outcome, Outcome::reserved);
    world.end_batch();
    EXPECT_EQ(world.orders(), orders) << token.value_or(-99);
  }
}

// What it has may be moved, but what it would take besides was changed behind Gavel's back.
TEST(ChangeTest, NothingIsTakenFromBrokenNumbers_B9) {
  World world;
  world.sku("tee", {5}).sku("cap", {5}).does(want("ann", "tee*2"));
  world.bucket("cap").sold = Quantity{-1};
  world.tampered();
  EXPECT_EQ(world.ask(change_of(1, "tee*2 cap*1")), "frozen sku=cap order=#1");
  EXPECT_EQ(world.ask(change_of(1, "tee*1")), "changed expires_at=12:15:00.000 order=#1");
  world.bucket("tee").reserved = no_units;
  world.tampered();
  EXPECT_EQ(world.ask(change_of(1, "tee*2")), "frozen order=#1");
  EXPECT_EQ(world.ask(extend_of(1)), "frozen order=#1");
}

}  // namespace
}  // namespace gavel::rules
