// Activities, SKUs and inbound stock.
// One noun: the rules of activities.
#include "rules/activities.h"

#include <functional>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Ten tees, of which the open sale has four; a user may have two.
World sale_world() {
  World world;
  world.sku("tee", {10}).does(sale("sale", "tee*4").limit(2)).does(opening("sale"));
  return world;
}

TEST(ActivitiesTest, TheLifeOfAnActivity_B12) {
  World world;
  world.sku("tee", {10}).sku("cap", {3, 3});
  EXPECT_EQ(world.ask(sale("sale", "tee*4 cap*5")), "created");
  EXPECT_EQ(world.stock(),
            "tee: 10/0/0 g1\ncap: 3/0/0 | 3/0/0 g1\ntee@sale: 0/0/0 g1\ncap@sale: 0/0/0 | 0/0/0 g1");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "not_open");
  EXPECT_EQ(world.ask(opening("sale")), "opened");
  EXPECT_EQ(world.stock(),
            "tee: 6/0/0 g1\ncap: 0/0/0 | 1/0/0 g1\ntee@sale: 4/0/0 g2\ncap@sale: 3/0/0 | 2/0/0 g2");
  EXPECT_EQ(world.ask(want("ann", "tee*1 cap*1").in("sale").at_once()), "sold order=#2");
  EXPECT_EQ(world.ask(closing("sale")), "closed");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "over");
  EXPECT_EQ(world.stock("tee"), "tee: 9/0/0 g1");
  EXPECT_EQ(world.stock("tee@sale"), "tee@sale: 0/0/1 g2");
  EXPECT_EQ(world.item("cap").available(), Quantity{5});
  EXPECT_EQ(world.item("cap@sale").total(), Quantity{1});
}

// Without a key the act is Gavel's own.
TEST(ActivitiesTest, GavelClosesAnOpenSaleAtItsEndAndNoneElse_E23_F026) {
  World world;
  world.sku("tee", {10})
      .does(sale("sale", "tee*4").until(noon + minutes(10)))
      .does(sale("draft", "tee*1").until(noon + minutes(10)));
  world.does(sale("endless", "tee*1")).does(opening("endless")).does(opening("sale"));
  const auto close = [&](std::string_view name) {
    Command command = world.command("gavel", "none", closing(name));
    command.key.reset();
    const Verdict verdict = decide(world.state, command, world.now, world.policy);
    world.end_batch();
    return World::brief(verdict);
  };
  world.passes(minutes(10) - Duration(1));
  EXPECT_EQ(close("sale"), "illegal_transition state=open");
  world.passes(Duration(1));
  EXPECT_EQ(close("draft"), "illegal_transition state=draft");
  EXPECT_EQ(close("endless"), "illegal_transition state=open");
  EXPECT_EQ(close("sale"), "closed");
  EXPECT_EQ(close("sale"), "illegal_transition state=closed");
  EXPECT_EQ(world.item("tee").available(), Quantity{9});
}

TEST(ActivitiesTest, EveryActInEveryState_B12) {
  struct Row {
    std::string state, open, close, create;
    std::function<void(World&)> bring;
  };
  const Row rows[] = {
      {"none", "unknown_activity", "unknown_activity", "created", [](World&) {}},
      {"draft", "opened", "closed", "illegal_transition state=draft",
       [](World& w) { w.does(sale("sale", "tee*1")); }},
      {"open", "illegal_transition state=open", "closed", "illegal_transition state=open",
       [](World& w) { w.does(sale("sale", "tee*1")).does(opening("sale")); }},
      {"closed", "illegal_transition state=closed", "illegal_transition state=closed",
       "illegal_transition state=closed",
       [](World& w) { w.does(sale("sale", "tee*1")).does(opening("sale")).does(closing("sale")); }},
      {"closed draft", "illegal_transition state=closed", "illegal_transition state=closed",
       "illegal_transition state=closed",
       [](World& w) { w.does(sale("sale", "tee*1")).does(closing("sale")); }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.state);
    const auto answer = [&](const Act& act) {
      World world;
      row.bring(world.sku("tee", {5}));
      return world.ask(act);
    };
    EXPECT_EQ(answer(opening("sale")), row.open);
    EXPECT_EQ(answer(closing("sale")), row.close);
    EXPECT_EQ(answer(sale("sale", "tee*1")), row.create);
  }
  EXPECT_EQ(parse_activity_state("draft"), ActivityState::draft);
  EXPECT_EQ(parse_activity_state("open"), ActivityState::open);
  EXPECT_EQ(parse_activity_state("closed"), ActivityState::closed);
  EXPECT_EQ(parse_activity_state("warmed"), ActivityState::warmed);
  EXPECT_EQ(parse_activity_state("verified"), ActivityState::verified);
  EXPECT_EQ(parse_activity_state("opened"), std::nullopt);
}

TEST(ActivitiesTest, TheWindowIsHalfOpen_B131) {
  struct Row {
    Duration from_noon;
    std::string verdict;
  };
  const Row rows[] = {
      {-tick, "not_open opens_at=12:00:00.000"},
      {Duration{0}, "sold order=#1"},
      {tick, "sold order=#1"},
      {hours(1) - tick, "sold order=#1"},
      {hours(1), "over"},
      {hours(1) + tick, "over"},
  };
  for (const Row& row : rows) {
    World world;
    world.now = noon - minutes(1);
    world.sku("tee", {5}).does(sale("sale", "tee*5").from(noon).until(noon + hours(1))).does(opening("sale"));
    world.now = noon + row.from_noon;
    EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale").at_once()), row.verdict) << row.from_noon.count();
  }
}

TEST(ActivitiesTest, ADraftPastItsEndIsOverAndIsNotOpened_B131) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*5").until(noon + hours(1)));
  world.passes(hours(1) - tick);
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "not_open");
  EXPECT_EQ(world.passes(tick).ask(want("ann", "tee*1").in("sale")), "over");
  EXPECT_EQ(world.ask(opening("sale")), "over");
  EXPECT_EQ(world.ask(closing("sale")), "closed");
  EXPECT_EQ(world.stock("tee"), "tee: 5/0/0 g1");
}

TEST(ActivitiesTest, TheAllotmentMovesByPairsThatSumToZero_C4) {
  World world;
  world.sku("tee", {3, 3, 3}).does(sale("sale", "tee*7").buckets(2)).does(opening("sale"));
  world.does(want("ann", "tee*1").in("sale").at_once()).does(closing("sale"));
  std::map<std::string, std::int64_t> sums;
  std::string text;
  for (const Flow& flow : world.ledger) {
    if (flow.action != Action::move_in && flow.action != Action::move_out) continue;
    EXPECT_EQ(flow.source, "activity:sale");
    EXPECT_EQ(flow.caller, Caller("shop"));
    EXPECT_TRUE(flow.key && !flow.order);
    sums[std::string(flow.key->text())] += flow.after.units - flow.before.units;
    text += std::to_string(flow.item.value) + "/" + std::to_string(flow.bucket) + " " +
            std::to_string(flow.after.units - flow.before.units) + "; ";
  }
  EXPECT_EQ(text, "1/0 -3; 1/1 -3; 1/2 -1; 2/0 4; 2/1 3; 2/0 -4; 2/1 -2; 1/0 3; 1/1 3; ");
  EXPECT_EQ(sums.size(), 2U);
  for (const auto& [key, sum] : sums) EXPECT_EQ(sum, 0) << key;
}

TEST(ActivitiesTest, AnOrderWithAnActivityDrawsOnlyFromItsItemAndOthersOnlyFromFreeStock) {
  World world = sale_world();
  world.does(sale("other", "tee*1")).does(opening("other"));
  EXPECT_EQ(world.ask(want("ann", "tee*2").in("sale")), "reserved expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.ask(want("bob", "tee*6")), "insufficient sku=tee available=5");
  EXPECT_EQ(world.ask(want("bob", "tee*5")), "reserved expires_at=12:15:00.000 order=#3");
  EXPECT_EQ(world.ask(want("bob", "tee*1")), "sold_out sku=tee");
  EXPECT_EQ(world.ask(want("cyd", "tee*2").in("other")), "insufficient sku=tee available=1");
  EXPECT_EQ(world.stock(), "tee: 0/5/0 g1\ntee@sale: 2/2/0 g2\ntee@other: 1/0/0 g2");
  world.sku("cap", {1});
  EXPECT_EQ(world.ask(want("ann", "cap*1").in("sale")), "unknown_sku sku=cap");
}

TEST(ActivitiesTest, WhatReturnsStaysWithAnOpenActivityAndMovesOnFromAClosedOne) {
  for (const bool closed : {false, true}) {
    World world = sale_world();
    world.does(want("ann", "tee*1").in("sale")).does(want("bob", "tee*2").in("sale"));
    world.does(want("cyd", "tee*1").in("sale"));
    if (closed) world.does(closing("sale"));
    world.does(cancel_of(1)).does(confirm_of(3)).passes(hold_time).does(expire_of(2));
    EXPECT_EQ(world.stock(),
              closed ? "tee: 9/0/0 g1\ntee@sale: 0/0/1 g2" : "tee: 6/0/0 g1\ntee@sale: 3/0/1 g3");
    EXPECT_EQ(world.quotas(), "ann tee 0/2 by #1\nbob tee 0/2 by #2\ncyd tee 1/2 by #3");
  }
}

TEST(ActivitiesTest, WhatMovesOnRaisesTheGenerationOfTheFreeItemAlone) {
  World world;
  world.sku("tee", {4}).does(sale("sale", "tee*4")).does(opening("sale"));
  world.does(want("ann", "tee*4").in("sale")).does(closing("sale"));
  EXPECT_EQ(world.stock(), "tee: 0/0/0 g1\ntee@sale: 0/4/0 g2");
  world.does(cancel_of(1));
  EXPECT_EQ(world.stock(), "tee: 4/0/0 g2\ntee@sale: 0/0/0 g2");
  EXPECT_EQ(world.ledger.back().action, Action::move_in);
  EXPECT_EQ(world.ledger.back().source, "activity:sale");
  EXPECT_EQ(world.ledger.back().order, std::nullopt);
}

TEST(ActivitiesTest, AnOpenActivityNeedsNothingOfItsFreeStockToSettleAnOrder) {
  World world = sale_world();
  world.does(want("ann", "tee*1").in("sale")).does(want("ann", "tee*1").in("sale"));
  world.state.items.erase(world.item("tee").id);
  world.state.skus.clear();
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(world.ask(cancel_of(2)), "cancelled order=#2");
}

TEST(ActivitiesTest, ALimitCountsAUsersUnitsOverAllOrders_B3_B055_B121) {
  World world = sale_world();
  world.does(sale("other", "tee*4").limit(1)).does(opening("other"));
  EXPECT_EQ(world.ask(want("ann", "tee*1 tee*2").in("sale")), "limit_reached sku=tee allowed=2 claimed=0");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "reserved expires_at=12:15:00.000 order=#2");
  EXPECT_EQ(world.ask(want("ann", "tee*2").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#2");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale").at_once()), "sold order=#4");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#4");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("other").at_once()), "sold order=#6");
  EXPECT_EQ(world.ask(want("ann", "tee*2").at_once()), "sold order=#7") << "free stock has no limit";
  EXPECT_EQ(world.ask(want("bob", "tee*2").in("sale").at_once()), "sold order=#8");
  EXPECT_EQ(world.quotas(), "ann tee 2/2 by #4\nbob tee 2/2 by #8\nann tee 1/1 by #6");
}

TEST(ActivitiesTest, ALimitIsPerSkuAndARefusalClaimsNothing_B3) {
  World world;
  world.sku("tee", {9}).sku("cap", {9}).does(sale("sale", "tee*5 cap*5").limit(2)).does(opening("sale"));
  EXPECT_EQ(world.ask(want("ann", "cap*2 tee*3").in("sale")), "limit_reached sku=tee allowed=2 claimed=0");
  EXPECT_EQ(world.quotas(), "");
  EXPECT_EQ(world.ask(want("ann", "cap*2 tee*2").in("sale")), "reserved expires_at=12:15:00.000 order=#2");
  EXPECT_EQ(world.quotas(), "ann tee 2/2 by #2\nann cap 2/2 by #2");
}

TEST(ActivitiesTest, CancelledAndExpiredOrdersGiveTheirClaimBackAndPaidOnesKeepIt_B3) {
  World world = sale_world();
  world.does(want("ann", "tee*1").in("sale")).does(want("ann", "tee*1").in("sale"));
  EXPECT_EQ(world.quotas(), "ann tee 2/2 by #2");
  world.does(cancel_of(1));
  EXPECT_EQ(world.quotas(), "ann tee 1/2 by #2");
  world.does(confirm_of(2)).does(want("ann", "tee*1").in("sale")).passes(hold_time).does(expire_of(3));
  EXPECT_EQ(world.quotas(), "ann tee 1/2 by #3");
  EXPECT_EQ(world.ask(want("ann", "tee*2").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#3");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "reserved expires_at=12:30:00.000 order=#5");
}

TEST(ActivitiesTest, AUsersOwnDueHoldsStandInHisWayNoMore_C9_B3) {
  World world = sale_world();
  world.does(want("ann", "tee*1").in("sale")).does(want("ann", "tee*1").in("sale"));
  world.does(want("bob", "tee*2").in("sale")).passes(hold_time - tick);
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#2");
  world.passes(tick);
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "reserved expires_at=12:30:00.000 order=#5");
  EXPECT_EQ(world.orders(),
            "#1 expired ann tee@sale/0*1\n#2 held ann tee@sale/0*1\n#3 held bob tee@sale/0*2\n"
            "#5 held ann tee@sale/0*1");
  world.due_orders_max = 1;
  EXPECT_EQ(world.ask(want("ann", "tee*2").in("sale")), "overloaded");
}

TEST(ActivitiesTest, AnothersDueHoldIsNotReleasedForAClaim_C9_B3) {
  World world = sale_world();
  world.does(want("bob", "tee*1").in("sale")).does(want("ann", "tee*2").in("sale")).passes(hold_time);
  world.does(want("ann", "tee*1").in("sale"));
  EXPECT_EQ(world.orders(),
            "#1 held bob tee@sale/0*1\n#2 expired ann tee@sale/0*2\n#3 held ann tee@sale/0*1");
}

TEST(ActivitiesTest, AHoldOfAnotherActivityFreesNoClaimOfThisOne_C9_B3) {
  World world = sale_world();
  world.does(want("ann", "tee*2").in("sale").at_once()).does(want("ann", "tee*2")).passes(hold_time);
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#1");
  EXPECT_EQ(world.order(2).state, OrderState::held);
}

TEST(ActivitiesTest, ClaimsChangedByOtherHandsFreezeAndNeverAbort_B9_B047) {
  struct Row {
    std::int64_t claimed, allowed;
    std::string reserve, confirm, cancel;
  };
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const std::string reserved = "reserved expires_at=12:15:00.000 order=#2";
  const Row rows[] = {
      {-1, 3, "frozen sku=tee", "confirmed order=#1", "frozen order=#1"},
      {-huge, 3, "frozen sku=tee", "confirmed order=#1", "frozen order=#1"},
      {0, 3, reserved, "confirmed order=#1", "frozen order=#1"},
      {1, 3, reserved, "confirmed order=#1", "frozen order=#1"},
      {2, 3, reserved, "confirmed order=#1", "cancelled order=#1"},
      {4, 3, "frozen sku=tee", "confirmed order=#1", "frozen order=#1"},
      {huge, 3, "frozen sku=tee", "confirmed order=#1", "frozen order=#1"},
      {2, 2, "frozen sku=tee", "confirmed order=#1", "frozen order=#1"},
      {2, 9, "frozen sku=tee", "confirmed order=#1", "frozen order=#1"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::to_string(row.claimed) + " of " + std::to_string(row.allowed));
    const auto answer = [&](Duration later, const Act& act) {
      World world;
      world.sku("tee", {9}).does(sale("sale", "tee*4").limit(3)).does(opening("sale"));
      world.does(want("ann", "tee*2").in("sale"));
      Quota& quota = world.state.quotas.begin()->second;
      quota.claimed = Quantity{row.claimed};
      quota.allowed = Quantity{row.allowed};
      world.tampered();
      return world.passes(later).ask(act);
    };
    EXPECT_EQ(answer(Duration{0}, want("ann", "tee*1").in("sale")), row.reserve);
    EXPECT_EQ(answer(Duration{0}, confirm_of(1)), row.confirm);
    EXPECT_EQ(answer(Duration{0}, cancel_of(1)), row.cancel);
    const bool frozen = row.cancel.starts_with("frozen");
    EXPECT_EQ(answer(hold_time, expire_of(1)), frozen ? row.cancel : "expired order=#1");
    EXPECT_EQ(answer(hold_time, confirm_of(1)), frozen ? row.cancel : "hold_expired order=#1");
  }
}

TEST(ActivitiesTest, ADueHoldThatClaimsMoreThanIsCountedStaysAndRefusesByTheCount_B9) {
  World world;
  world.sku("tee", {9}).does(sale("sale", "tee*9").limit(3)).does(opening("sale"));
  world.does(want("ann", "tee*2").in("sale"));
  world.state.quotas.begin()->second.claimed = Quantity{1};
  world.tampered();
  world.passes(hold_time);
  EXPECT_EQ(world.ask(want("ann", "tee*3").in("sale")),
            "limit_reached sku=tee allowed=3 claimed=1 claimed_by=#1");
  EXPECT_EQ(world.order(1).state, OrderState::held);
}

TEST(ActivitiesTest, AClaimThatWasDeletedHoldsNothingUp_B3) {
  World world = sale_world();
  world.does(want("ann", "tee*2").in("sale")).does(closing("sale"));
  world.state.quotas.clear();
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(world.stock(), "tee: 10/0/0 g1\ntee@sale: 0/0/0 g2");
}

TEST(ActivitiesTest, StockChangedByOtherHandsStopsOpeningAndClosing_B9) {
  for (const char* name : {"tee", "tee@sale"}) {
    for (const bool open : {false, true}) {
      SCOPED_TRACE(std::string(name) + (open ? " open" : " draft"));
      World world;
      world.sku("tee", {5}).does(sale("sale", "tee*3"));
      if (open) world.does(opening("sale")).does(want("ann", "tee*1").in("sale"));
      world.bucket(name).available = Quantity{-9};
      world.tampered();
      const std::string before = world.everything();
      EXPECT_EQ(world.ask(opening("sale")), "frozen sku=tee");
      EXPECT_EQ(world.ask(closing("sale")), "frozen sku=tee");
      EXPECT_EQ(world.everything(), before);
    }
  }
}

TEST(ActivitiesTest, BehindAClosedActivityUnsoundFreeStockStopsReleasesButNoPayment_B9) {
  World world = sale_world();
  world.does(want("ann", "tee*1").in("sale")).does(want("bob", "tee*1").in("sale")).does(closing("sale"));
  world.bucket("tee").sold = Quantity{-1};
  world.tampered();
  EXPECT_EQ(world.ask(cancel_of(1)), "frozen order=#1");
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(world.passes(hold_time).ask(expire_of(2)), "frozen order=#2");
}

TEST(ActivitiesTest, OpeningShortOfStockMovesNothing) {
  World world;
  world.sku("tee", {4}).sku("cap", {2}).sku("mug", {0});
  world.does(sale("a", "tee*5")).does(sale("b", "tee*4 mug*1")).does(sale("c", "cap*3 tee*9 mug*1"));
  world.does(sale("d", "cap*2 tee*4"));
  const std::string before = world.stock();
  EXPECT_EQ(world.ask(opening("a")), "insufficient sku=tee available=4");
  EXPECT_EQ(world.ask(opening("b")), "sold_out sku=mug");
  EXPECT_EQ(world.ask(opening("c")), "sold_out sku=mug") << "nothing left goes before too few";
  EXPECT_EQ(world.stock(), before);
  EXPECT_EQ(world.ask(opening("d")), "opened");
  EXPECT_EQ(world.ask(opening("a")), "sold_out sku=tee");
}

TEST(ActivitiesTest, OpeningTakesWhatDueHoldsSetFree_C9) {
  World world;
  world.sku("tee", {4}).does(sale("sale", "tee*4")).does(want("ann", "tee*1")).does(want("bob", "tee*2"));
  world.passes(hold_time);
  world.due_orders_max = 1;
  EXPECT_EQ(world.ask(opening("sale")), "overloaded");
  EXPECT_EQ(world.ask(opening("sale")), "opened");
  EXPECT_EQ(world.stock(), "tee: 0/0/0 g1\ntee@sale: 4/0/0 g2");
}

TEST(ActivitiesTest, UnknownAndDoubledSkus) {
  World world;
  world.sku("tee", {4});
  EXPECT_EQ(world.ask(sale("sale", "tee*1 cap*1")), "unknown_sku sku=cap");
  EXPECT_EQ(world.ask(sale("sale", "tee*1 tee*1")), "malformed explanation='lines: SKU tee is given twice'");
  EXPECT_EQ(world.ask(opening("sale")), "unknown_activity");
  EXPECT_EQ(world.ask(closing("sale")), "unknown_activity");
  EXPECT_EQ(world.ask(receipt("cap", 1)), "unknown_sku sku=cap");
}

TEST(ActivitiesTest, ASkuIsMadeOnceAndPutAgainUnchanged) {
  World world;
  EXPECT_EQ(world.ask(put("tee", 3)), "created");
  EXPECT_EQ(world.ask(put("tee", 3)), "changed");
  EXPECT_EQ(world.ask(put("cap")), "created");
  EXPECT_EQ(world.stock(), "tee: 0/0/0 | 0/0/0 | 0/0/0 g1\ncap: 0/0/0 g1");
  EXPECT_EQ(world.state.counters.next_sku, 3);
  EXPECT_EQ(world.state.counters.next_item, 3);
}

TEST(ActivitiesTest, ReceiptsSpreadAndTellOfStockThatIsBack_A3_A22) {
  World world;
  world.does(put("tee", 4)).does(receipt("tee", 6));
  EXPECT_EQ(world.stock(), "tee: 2/0/0 | 2/0/0 | 1/0/0 | 1/0/0 g2");
  world.does(want("ann", "tee*6").at_once());
  EXPECT_EQ(world.stock(), "tee: 0/0/2 | 0/0/2 | 0/0/1 | 0/0/1 g2");
  world.does(receipt("tee", 1));
  EXPECT_EQ(world.stock(), "tee: 1/0/2 | 0/0/2 | 0/0/1 | 0/0/1 g3");
  world.does(receipt("tee", 7));
  EXPECT_EQ(world.stock(), "tee: 2/0/2 | 2/0/2 | 2/0/1 | 2/0/1 g3");
}

TEST(ActivitiesTest, ATotalGrowsTo10To12AndNoFarther_C10_B125) {
  World world;
  world.sku("tee", {total_units_max.units - 1'000'000});
  const std::string refusal = "malformed explanation='quantity: the SKU's total would be above 10^12'";
  EXPECT_EQ(world.ask(receipt("tee", 999'999)), "received");
  EXPECT_EQ(world.ask(receipt("tee", 2)), refusal);
  EXPECT_EQ(world.ask(receipt("tee", 1)), "received");
  EXPECT_EQ(world.ask(receipt("tee", 1)), refusal);
  EXPECT_EQ(world.stock(), "tee: 1000000000000/0/0 g1");
  world.does(want("ann", "tee*1000000").at_once());
  EXPECT_EQ(world.ask(receipt("tee", 1)), refusal) << "units that were sold count";
  EXPECT_EQ(world.ask(want("ann", "tee*1")), "reserved expires_at=12:15:00.000 order=#2");
}

TEST(ActivitiesTest, WhatAClosedActivityGivesBackNeverFreezesAFullSku_C10) {
  World world;
  world.sku("tee", {total_units_max.units}).does(sale("sale", "tee*1000000000000")).does(opening("sale"));
  world.does(want("ann", "tee*1").in("sale")).does(receipt("tee", 1'000'000)).does(closing("sale"));
  EXPECT_EQ(world.stock("tee"), "tee: 1000000999999/0/0 g2");
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(world.ask(want("bob", "tee*1").at_once()), "sold order=#2");
  EXPECT_EQ(world.ask(receipt("tee", 1)),
            "malformed explanation='quantity: the SKU's total would be above 10^12'");
}

}  // namespace
}  // namespace gavel::rules
