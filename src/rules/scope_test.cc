// Whose orders an account may act upon (A9).
#include <string>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

std::string ask_for_all(World& world, const std::string& key, const Act& act) {
  Command command = world.command("desk", key, act);
  command.scope = Scope::all;
  world.load_due();
  const Verdict verdict = decide(world.state, command, world.now, world.policy);
  world.end_batch();
  return World::brief(verdict);
}

TEST(ScopeTest, AnOrderOfAnotherAccountIsUnknownToEveryActAndNothingChanges_A9_G002) {
  World world;
  world.sku("tee", {9});
  EXPECT_EQ(world.ask_as("web", "k1", want("ann", "tee*1")), "reserved expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.ask_as("web", "k2", want("ann", "tee*2").at_once()), "sold order=#2");
  const std::string before = world.everything();
  int n = 0;
  for (const Act& act :
       {confirm_of(1), confirm_of(1, "tee*1"), confirm_of(1, "hat*1"), cancel_of(1), extend_of(1),
        change_of(1, "tee*2"), refund_of(1), refund_of(2), ship_of(2), write_off_of(2), cancel_of(2)}) {
    const Verdict verdict = world.decide_one("app", "s" + std::to_string(++n), act);
    EXPECT_EQ(World::brief(verdict), "unknown_order") << word(act);
    EXPECT_EQ(verdict.record, Record::no);
    EXPECT_EQ(world.everything(), before) << word(act);
  }
  EXPECT_EQ(world.ask_as("web", "k3", confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(world.ask_as("web", "k4", refund_of(2)), "refunded state=refunded order=#2");
}

TEST(ScopeTest, OperatorsActUponEverybodysOrders_A9) {
  World world;
  world.sku("tee", {9});
  world.ask_as("web", "k1", want("ann", "tee*1"));
  EXPECT_EQ(ask_for_all(world, "d1", confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(ask_for_all(world, "d2", refund_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(world.order(1).account, Caller("web")) << "it stays the order of who made it";
}

TEST(ScopeTest, ARefusedOrderNamesItsAccountToo_A9) {
  World world;
  world.sku("tee", {0});
  const std::string key = "01a1aa33-1000-7000-8000-000000000001";
  world.now = time_of(*parse_uuid(key));
  EXPECT_EQ(world.ask_as("web", key, want("ann", "tee*1")), "sold_out sku=tee");
  EXPECT_EQ(world.state.orders.at(OrderId{*parse_uuid(key)}).account, Caller("web"));
}

TEST(ScopeTest, ALimitCountsOverAllAccountsAndTellsOfOnesOwnOrdersAlone_A9_B3) {
  World world;
  world.sku("tee", {9}).does(sale("sale", "tee*5").limit(2)).does(opening("sale"));
  world.ask_as("web", "k1", want("ann", "tee*1").in("sale"));
  EXPECT_EQ(world.ask_as("app", "k1", want("ann", "tee*2").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=1");
  EXPECT_EQ(world.ask_as("web", "k2", want("ann", "tee*2").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#1");
  EXPECT_EQ(ask_for_all(world, "d1", want("ann", "tee*2").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#1");
  EXPECT_EQ(world.ask_as("app", "k2", want("ann", "tee*1").in("sale")).substr(0, 8), "reserved");
  // The latest claim is the app's; a change of an order by operators leaves the claim with its account.
  EXPECT_EQ(world.ask_as("web", "k3", want("ann", "tee*1").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=2");
}

TEST(ScopeTest, WhatOperatorsAddToAnOrderIsClaimedByItsAccount_A9_B3) {
  World world;
  world.sku("tee", {9}).does(sale("sale", "tee*5").limit(2)).does(opening("sale"));
  world.ask_as("web", "k1", want("ann", "tee*1").in("sale"));
  EXPECT_EQ(ask_for_all(world, "d1", change_of(1, "tee*2")).substr(0, 7), "changed");
  EXPECT_EQ(world.ask_as("web", "k2", want("ann", "tee*1").in("sale")),
            "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#1");
}

}  // namespace
}  // namespace gavel::rules
