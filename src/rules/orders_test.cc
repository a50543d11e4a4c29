// Orders: reserve, sell, confirm, cancel, expire, and holds whose time is past.
#include "rules/orders.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

World tee_world(std::initializer_list<std::int64_t> available) {
  World world;
  world.sku("tee", available);
  return world;
}

TEST(OrdersTest, AnOrderHoldsUntilItIsPaidOrGivenBack_C1) {
  World world = tee_world({10});
  EXPECT_EQ(world.ask(want("ann", "tee*4")), "reserved expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.ask(want("bob", "tee*3")), "reserved expires_at=12:15:00.000 order=#2");
  EXPECT_EQ(world.ask(want("cyd", "tee*2").at_once()), "sold order=#3");
  EXPECT_EQ(world.stock(), "tee: 1/7/2 g1");
  EXPECT_EQ(world.passes(minutes(1)).ask(confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(world.ask(cancel_of(2)), "cancelled order=#2");
  EXPECT_EQ(world.stock(), "tee: 4/0/6 g1");
  EXPECT_EQ(world.orders(), "#1 paid ann tee/0*4\n#2 cancelled bob tee/0*3\n#3 paid cyd tee/0*2");
  EXPECT_EQ(world.order(1).settled_at, noon + minutes(1));
  EXPECT_EQ(world.order(3).settled_at, std::nullopt);
  EXPECT_EQ(world.order(3).expires_at, std::nullopt);

  std::string ledger;
  for (const Flow& flow : world.ledger) {
    ledger += std::string(word(flow.action)) + " " + std::to_string(flow.quantity.units) + " " + flow.source +
              (flow.order ? " " + World::brief(to_text(flow.order->uuid)) : "") + "\n";
  }
  EXPECT_EQ(ledger,
            "receive 10 inbound\nreserve 4 order #1\nreserve 3 order #2\nsell 2 order #3\n"
            "confirm 4 order #1\ncancel 3 order #2\n");
}

TEST(OrdersTest, TheLastUnitsGoOnce_B001_B003_B005_B065) {
  World world = tee_world({5});
  EXPECT_EQ(world.ask(want("ann", "tee*3")), "reserved expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.ask(want("bob", "tee*3")), "insufficient sku=tee available=2");
  EXPECT_EQ(world.ask(want("bob", "tee*2")), "reserved expires_at=12:15:00.000 order=#3");
  EXPECT_EQ(world.ask(want("cyd", "tee*1")), "sold_out sku=tee");
  EXPECT_EQ(world.stock(), "tee: 0/5/0 g1");

  World counter = tee_world({4, 3, 3});
  int reserved = 0;
  int sold_out = 0;
  for (int i = 0; i < 50; ++i) {
    const Verdict verdict = counter.decide_one(want("user-" + std::to_string(i), "tee*1"));
    reserved += verdict.outcome == Outcome::reserved;
    sold_out += verdict.outcome == Outcome::sold_out;
  }
  EXPECT_EQ(reserved, 10);
  EXPECT_EQ(sold_out, 40);
}

TEST(OrdersTest, LinesOfOneSkuCountTogether_B015_B017) {
  World five = tee_world({5});
  EXPECT_EQ(five.ask(want("ann", "tee*3 tee*3")), "insufficient sku=tee available=5");
  EXPECT_EQ(five.ask(want("ann", "tee*3 tee*2").at_once()), "sold order=#2");
  EXPECT_EQ(five.stock(), "tee: 0/0/5 g1");
  EXPECT_EQ(five.orders(), "#2 paid ann tee/0*5");
  World one = tee_world({1});
  EXPECT_EQ(one.ask(want("ann", "tee*1 tee*1")), "insufficient sku=tee available=1");
  EXPECT_EQ(one.stock(), "tee: 1/0/0 g1");
}

TEST(OrdersTest, AnOrderLargerThanABucketIsServedAcrossThem_A7) {
  World world = tee_world({2, 3, 2});
  EXPECT_EQ(world.ask(want("ann", "tee*6")), "reserved expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.stock(), "tee: 0/2/0 | 0/3/0 | 1/1/0 g1");
  EXPECT_EQ(world.ask(want("bob", "tee*2")), "insufficient sku=tee available=1");
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(world.stock(), "tee: 2/0/0 | 3/0/0 | 2/0/0 g1");
}

TEST(OrdersTest, EmptyBucketsRefuseNobodyWhileOthersHaveUnits_A7_B069) {
  World world = tee_world({0, 0, 0, 0, 0, 100, 0, 0});
  for (int i = 0; i < 100; ++i) world.does(want("user-" + std::to_string(i), "tee*1").at_once());
  EXPECT_EQ(world.ask(want("ann", "tee*1")), "sold_out sku=tee");
}

TEST(OrdersTest, AnOrderStartsAtTheHomeBucketOfItsUser_A5) {
  World world = tee_world({9, 9, 9});  // ann and bob are at home in bucket 1, dan in 2.
  world.does(want("ann", "tee*2")).does(want("bob", "tee*1")).does(want("dan", "tee*4"));
  EXPECT_EQ(world.stock(), "tee: 9/0/0 | 6/3/0 | 5/4/0 g1");
}

TEST(OrdersTest, SeveralSkusAreAllOrNothing_C7) {
  World world;
  world.sku("tee", {5}).sku("cap", {2}).sku("mug", {0});
  EXPECT_EQ(world.ask(want("ann", "tee*5 cap*3")), "insufficient sku=cap available=2");
  EXPECT_EQ(world.ask(want("ann", "tee*6 cap*3")), "insufficient sku=cap available=2");
  EXPECT_EQ(world.ask(want("ann", "cap*3 mug*1 tee*5")), "sold_out sku=mug");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1\ncap: 2/0/0 g1\nmug: 0/0/0 g1");
  EXPECT_EQ(world.ask(want("ann", "tee*5 cap*2")), "reserved expires_at=12:15:00.000 order=#4");
  EXPECT_EQ(world.orders(), "#4 held ann cap/0*2 tee/0*5");
  EXPECT_EQ(world.ask(confirm_of(4)), "confirmed order=#4");
  EXPECT_EQ(world.stock(), "tee: 0/0/5 g1\ncap: 0/0/2 g1\nmug: 0/0/0 g1");
}

TEST(OrdersTest, AHoldLastsAsAskedElseAsTheActivitySaysElseByDefault) {
  World world = tee_world({9});
  world.does(sale("quick", "tee*2").holding(seconds(30))).does(opening("quick"));
  world.does(sale("plain", "tee*2")).does(opening("plain"));
  world.policy.hold_default = minutes(2);
  EXPECT_EQ(world.ask(want("ann", "tee*1").held_for(seconds(1)).in("quick")),
            "reserved expires_at=12:00:01.000 order=#1");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("quick")), "reserved expires_at=12:00:30.000 order=#2");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("plain")), "reserved expires_at=12:02:00.000 order=#3");
  EXPECT_EQ(world.ask(want("ann", "tee*1")), "reserved expires_at=12:02:00.000 order=#4");
  EXPECT_EQ(world.ask(want("ann", "tee*1").held_for(seconds(1))),
            "reserved expires_at=12:00:01.000 order=#5");
}

// Brings order #1 into a state.
const std::pair<OrderState, std::function<void(World&)>> states[] = {
    {OrderState::refused,
     [](World& w) {
       w.ask_with(key_of(noon), want("ann", "tee*99"));
       Order order = w.state.orders.begin()->second;
       w.state.orders.clear();
       order.id = order_id(1);
       w.state.orders.emplace(order.id, order);
     }},
    {OrderState::held, [](World& w) { w.does(want("ann", "tee*2")); }},
    {OrderState::paid, [](World& w) { w.does(want("ann", "tee*2")).does(confirm_of(1)); }},
    {OrderState::cancelled, [](World& w) { w.does(want("ann", "tee*2")).does(cancel_of(1)); }},
    {OrderState::expired,
     [](World& w) { w.does(want("ann", "tee*2")).passes(hold_time).does(expire_of(1)); }},
    {OrderState::partly_refunded,
     [](World& w) { w.does(want("ann", "tee*2").at_once()).does(refund_of(1, "tee*1")); }},
    {OrderState::refunded, [](World& w) { w.does(want("ann", "tee*2").at_once()).does(refund_of(1)); }},
};

TEST(OrdersTest, EveryActInEveryStateAndNoOtherTransition_C5_C6_B023_B035_B041) {
  const std::string table = R"(
refused  confirm: illegal_transition state=refused order=#1; 5/0/0
refused  cancel: illegal_transition state=refused order=#1; 5/0/0
refused  refund: illegal_transition state=refused order=#1; 5/0/0
refused  expire: illegal_transition state=refused order=#1; 5/0/0
held  confirm: confirmed order=#1; 3/0/2
held  cancel: cancelled order=#1; 5/0/0
held  refund: illegal_transition state=held order=#1; 3/2/0
held  expire: illegal_transition state=held order=#1; 3/2/0
paid  confirm: already_confirmed order=#1; 3/0/2
paid  cancel: already_confirmed order=#1; 3/0/2
paid  refund: refunded state=refunded order=#1; 5/0/0
paid  expire: illegal_transition state=paid order=#1; 3/0/2
cancelled  confirm: already_cancelled order=#1; 5/0/0
cancelled  cancel: already_cancelled order=#1; 5/0/0
cancelled  refund: illegal_transition state=cancelled order=#1; 5/0/0
cancelled  expire: illegal_transition state=cancelled order=#1; 5/0/0
expired  confirm: hold_expired order=#1; 5/0/0
expired  cancel: hold_expired order=#1; 5/0/0
expired  refund: illegal_transition state=expired order=#1; 5/0/0
expired  expire: expired order=#1; 5/0/0
partly_refunded  confirm: illegal_transition state=partly_refunded order=#1; 4/0/1
partly_refunded  cancel: illegal_transition state=partly_refunded order=#1; 4/0/1
partly_refunded  refund: refunded state=refunded order=#1; 5/0/0
partly_refunded  expire: illegal_transition state=partly_refunded order=#1; 4/0/1
refunded  confirm: illegal_transition state=refunded order=#1; 5/0/0
refunded  cancel: illegal_transition state=refunded order=#1; 5/0/0
refunded  refund: illegal_transition state=refunded order=#1; 5/0/0
refunded  expire: illegal_transition state=refunded order=#1; 5/0/0
)";
  std::string text = "\n";
  for (const auto& [state, bring] : states) {
    for (const Act& act : {confirm_of(1), cancel_of(1), refund_of(1), expire_of(1)}) {
      World world = tee_world({5});
      bring(world);
      EXPECT_EQ(world.order(1).state, state);
      const std::size_t flows = world.ledger.size();
      const std::string verdict = world.ask(act);
      const std::string stock = world.stock();
      text += std::string(word(state)) + "  " + std::string(word(act)) + ": " + verdict + "; " +
              stock.substr(5, stock.find(" g") - 5) + "\n";
      EXPECT_EQ(world.ledger.size() - flows, world.order(1).state == state ? 0U : 1U);
      EXPECT_TRUE(world.order(1).state == state || may_follow(state, world.order(1).state));
    }
  }
  EXPECT_EQ(text, table);
}

TEST(OrdersTest, WhatMayFollowWhat_C5) {
  using enum OrderState;
  const OrderState all[] = {refused, held, paid, cancelled, expired, partly_refunded, refunded};
  std::string arrows;
  for (const OrderState from : all) {
    EXPECT_EQ(parse_order_state(word(from)), from);
    for (const OrderState to : all) {
      if (may_follow(from, to)) arrows += std::string(word(from)) + " to " + std::string(word(to)) + "; ";
    }
  }
  EXPECT_EQ(arrows,
            "held to paid; held to cancelled; held to expired; paid to partly_refunded; paid to refunded; "
            "partly_refunded to partly_refunded; partly_refunded to refunded; ");
  EXPECT_EQ(parse_order_state("open"), std::nullopt);
}

TEST(OrdersTest, PaymentAndExpiryMeetAtTheMillisecond_C5_I12) {
  struct Row {
    Duration after;
    std::string confirm, cancel, expire;
  };
  const Row rows[] = {
      {-tick, "confirmed order=#1", "cancelled order=#1", "illegal_transition state=held order=#1"},
      {Duration{0}, "hold_expired order=#1", "hold_expired order=#1", "expired order=#1"},
      {tick, "hold_expired order=#1", "hold_expired order=#1", "expired order=#1"},
  };
  const auto at = [](Duration after, const Act& act) {
    World world = tee_world({5});
    world.does(want("ann", "tee*2")).passes(hold_time + after);
    return world.ask(act);
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.after.count());
    EXPECT_EQ(at(row.after, confirm_of(1)), row.confirm);
    EXPECT_EQ(at(row.after, cancel_of(1)), row.cancel);
    EXPECT_EQ(at(row.after, expire_of(1)), row.expire);
  }
}

TEST(OrdersTest, APaymentThatComesTooLateReleasesTheHoldOnce_C5_C6) {
  World world = tee_world({5});
  world.does(want("ann", "tee*2")).passes(hold_time);
  EXPECT_EQ(world.ask(confirm_of(1)), "hold_expired order=#1");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1");
  EXPECT_EQ(world.ask(expire_of(1)), "expired order=#1");
  EXPECT_EQ(world.ask(cancel_of(1)), "hold_expired order=#1");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1");
  const Flow& released = world.ledger.back();
  EXPECT_EQ(released.action, Action::expire);
  EXPECT_EQ(released.caller, Caller("gavel"));
  EXPECT_EQ(released.key, std::nullopt);
  EXPECT_EQ(released.source, "hold_expired");
  EXPECT_EQ(released.at, noon + hold_time);
}

TEST(OrdersTest, DueHoldsAreFreeForWhoeverFindsTooLittle_C9_B031) {
  World world = tee_world({4});
  world.does(want("ann", "tee*1").held_for(seconds(2)));
  world.does(want("bob", "tee*1").held_for(seconds(1)));
  world.does(want("cyd", "tee*1").held_for(seconds(3)));
  world.passes(seconds(2));
  // One is there: nobody's hold is touched.
  EXPECT_EQ(world.ask(want("dan", "tee*1").at_once()), "sold order=#4");
  EXPECT_EQ(world.stock(), "tee: 0/3/1 g1");
  // The oldest due hold alone makes room.
  EXPECT_EQ(world.ask(want("dan", "tee*1").at_once()), "sold order=#5");
  EXPECT_EQ(world.orders().substr(0, 54), "#1 held ann tee/0*1\n#2 expired bob tee/0*1\n#3 held cyd");
  EXPECT_EQ(world.stock(), "tee: 0/2/2 g1");
  // What is not due stays; what was released in vain stays released.
  EXPECT_EQ(world.ask(want("dan", "tee*2").at_once()), "insufficient sku=tee available=1");
  EXPECT_EQ(world.stock(), "tee: 1/1/2 g2");
  EXPECT_EQ(world.passes(seconds(1) - tick).ask(want("dan", "tee*2").at_once()),
            "insufficient sku=tee available=1");
  EXPECT_EQ(world.passes(tick).ask(want("dan", "tee*2").at_once()), "sold order=#8");
}

TEST(OrdersTest, AHoldSettledInTheSameBatchIsNotReleasedAgain_C9) {
  World world = tee_world({2});
  world.does(want("ann", "tee*2")).passes(hold_time);
  world.load_due();
  std::string verdicts;
  for (const Act& act : {Act(want("bob", "tee*1").at_once()), Act(want("cyd", "tee*2").at_once()),
                         cancel_of(1), Act(want("dan", "tee*1").at_once())}) {
    const std::string key = "b" + std::to_string(verdicts.size());
    verdicts +=
        World::brief(decide(world.state, world.command("shop", key, act), world.now, world.policy)) + "\n";
  }
  world.end_batch();
  EXPECT_EQ(verdicts,
            "sold order=#2\ninsufficient sku=tee available=1\nhold_expired order=#1\nsold order=#4\n");
  EXPECT_EQ(world.stock(), "tee: 0/0/2 g1") << "nothing was left before or after";
}

TEST(OrdersTest, DueHoldsThatWereNotLoadedNeverMakeAWrongRefusal_C9) {
  World world = tee_world({4});
  for (const char* user : {"ann", "bob", "cyd", "dan"}) world.does(want(user, "tee*1"));
  world.passes(hold_time);
  world.due_orders_max = 2;
  EXPECT_EQ(world.ask(want("eve", "tee*3")), "overloaded");
  EXPECT_EQ(world.stock(), "tee: 2/2/0 g2") << "what was released stays so: each retry comes farther";
  EXPECT_EQ(world.ask(want("eve", "tee*9")), "insufficient sku=tee available=4");
  EXPECT_EQ(world.ask(want("eve", "tee*3")), "reserved expires_at=12:30:00.000 order=#7");
}

TEST(OrdersTest, OverloadedIsGivenWhereTheVerdictDependsOnWhatWasNotLoaded_C9) {
  World world;
  world.sku("cap", {2}).sku("tee", {0}).sku("mug", {1});
  world.does(want("ann", "cap*1")).does(want("bob", "cap*1")).passes(hold_time);
  world.due_orders_max = 1;
  // Nothing of cap, or nothing of tee: which one is not known.
  EXPECT_EQ(world.ask(want("eve", "cap*2 tee*1")), "overloaded");
  EXPECT_EQ(world.ask(want("eve", "cap*2")), "reserved expires_at=12:30:00.000 order=#4");
  world.passes(hold_time).does(want("ann", "mug*1")).does(want("bob", "cap*1")).does(want("cyd", "cap*1"));
  world.passes(hold_time);
  // Too few of cap stands back behind nothing left of another; of mug that is not known.
  EXPECT_EQ(world.ask(want("eve", "cap*9 tee*1")), "overloaded");
  EXPECT_EQ(world.ask(want("eve", "cap*9 tee*1")), "sold_out sku=tee");
}

struct Tampering {
  std::string what;
  std::function<void(World&)> by;
};

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

TEST(OrdersTest, NumbersChangedByOtherHandsFreezeAndNeverAbort_B9_B047) {
  const Tampering tamperings[] = {
      {"available below nothing", [](World& w) { w.bucket("tee").available = Quantity{-3}; }},
      {"available beyond reason", [](World& w) { w.bucket("tee").available = Quantity{huge}; }},
      {"available beyond reason, though it can be added",
       [](World& w) { w.bucket("tee").available = sound_units_max; }},
      {"reserved below nothing", [](World& w) { w.bucket("tee").reserved = Quantity{-1}; }},
      {"reserved beyond reason", [](World& w) { w.bucket("tee").reserved = Quantity{huge}; }},
      {"sold below nothing", [](World& w) { w.bucket("tee").sold = Quantity{-1}; }},
      {"sold beyond reason", [](World& w) { w.bucket("tee").sold = Quantity{huge}; }},
  };
  for (const Tampering& tampering : tamperings) {
    SCOPED_TRACE(tampering.what);
    World world;
    world.sku("tee", {5}).sku("cap", {5}).does(want("ann", "tee*2 cap*1")).does(want("bob", "cap*1"));
    world.does(sale("sale", "tee*1"));
    tampering.by(world);
    world.tampered();
    const std::string before = world.everything();
    EXPECT_EQ(world.ask(want("cyd", "tee*1")), "frozen sku=tee");
    EXPECT_EQ(world.ask(want("cyd", "tee*1").at_once()), "frozen sku=tee");
    EXPECT_EQ(world.ask(receipt("tee", 1)), "frozen sku=tee");
    EXPECT_EQ(world.ask(opening("sale")), "frozen sku=tee");
    EXPECT_EQ(world.ask(confirm_of(1)), "frozen order=#1");
    EXPECT_EQ(world.ask(cancel_of(1)), "frozen order=#1");
    world.passes(hold_time);
    EXPECT_EQ(world.ask(confirm_of(1)), "frozen order=#1");
    EXPECT_EQ(world.ask(cancel_of(1)), "frozen order=#1");
    EXPECT_EQ(world.ask(expire_of(1)), "frozen order=#1");
    EXPECT_EQ(world.everything(), before);
    // Another SKU goes on (B073), and a release for it passes over the order that cannot be moved.
    EXPECT_EQ(world.ask(want("dan", "cap*5")), "insufficient sku=cap available=4");
    EXPECT_EQ(world.ask(want("dan", "cap*4").at_once()), "sold order=#6");
  }
}

TEST(OrdersTest, AHoldThatLostItsTimeIsNeverDueAndNeverAborts) {
  World world = tee_world({2});
  world.does(want("ann", "tee*2")).order(1).expires_at.reset();
  world.passes(hold_time);
  EXPECT_EQ(world.ask(want("bob", "tee*1")), "sold_out sku=tee");
  EXPECT_EQ(world.ask(expire_of(1)), "illegal_transition state=held order=#1");
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
}

TEST(OrdersTest, ACounterBelowItsHoldsFreezesOnlyTheLastOfThem_B047) {
  World world = tee_world({5});
  world.does(want("ann", "tee*2")).does(want("bob", "tee*2"));
  world.bucket("tee").reserved = Quantity{3};
  world.tampered();
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(world.ask(confirm_of(2)), "frozen order=#2");
  EXPECT_EQ(world.ask(want("cyd", "tee*3").at_once()), "sold order=#3");
}

}  // namespace
}  // namespace gavel::rules
