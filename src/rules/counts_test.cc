// Differences that operators state, and counts of what is on hand.
#include <functional>

#include <gtest/gtest.h>

#include "rules/activities.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(AdjustTest, ADifferenceIsALedgerEntryWithItsReason_C13_B049) {
  World world;
  world.sku("tee", {2, 3});
  EXPECT_EQ(world.ask(adjust_of("tee", 4, "found behind a shelf")), "adjusted version=4");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 | 4/0/0 g1");
  EXPECT_EQ(world.ledger.back().action, Action::adjust_in);
  EXPECT_EQ(world.ledger.back().source, "adjust:found behind a shelf");
  EXPECT_EQ(world.ask(adjust_of("tee", -6, "water")), "adjusted version=6");
  EXPECT_EQ(world.stock(), "tee: 0/0/0 | 3/0/0 g1");
  EXPECT_EQ(world.ledger.back().action, Action::adjust_out);
}

TEST(AdjustTest, ItTakesAtMostWhatIsOnHand_E7) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2")).does(want("bob", "tee*1").at_once());
  EXPECT_EQ(world.ask(adjust_of("tee", -5)), "insufficient sku=tee available=4");
  EXPECT_EQ(world.stock(), "tee: 2/2/1 g1") << "sold units have left the shelf";
  EXPECT_EQ(world.ask(adjust_of("tee", -4)), "adjusted version=5 shortage=2");
  EXPECT_EQ(world.stock(), "tee: 0/2/1-2 g1");
  EXPECT_EQ(world.ask(adjust_of("tee", -1)), "insufficient sku=tee available=0");
}

TEST(AdjustTest, DueHoldsAreAvailable_C9) {
  World world;
  world.sku("tee", {3}).does(want("ann", "tee*1")).does(want("bob", "tee*1")).passes(minutes(15));
  world.due_orders_max = 1;
  EXPECT_EQ(world.ask(adjust_of("tee", -3)), "overloaded");
  EXPECT_EQ(world.ask(adjust_of("tee", -3)), "adjusted version=6");
  EXPECT_EQ(world.stock(), "tee: 0/0/0 g1");
}

TEST(AdjustTest, ATotalHasItsBound_C10) {
  World world;
  world.sku("tee", {total_units_max.units - 1});
  EXPECT_EQ(world.ask(adjust_of("tee", 2)),
            "malformed explanation='difference: the SKU\'s total would be above 10^12'");
  EXPECT_EQ(world.ask(count_of("tee", total_units_max.units, 1)), "counted version=2");
  EXPECT_EQ(world.ask(adjust_of("tee", 1)),
            "malformed explanation='difference: the SKU\'s total would be above 10^12'");
  world.does(want("ann", "tee*1").at_once());
  EXPECT_EQ(world.ask(count_of("tee", total_units_max.units, 3)),
            "malformed explanation='counted: the SKU\'s total would be above 10^12'");
  // A total above it, which closed activities can bring about, may still be corrected downwards.
  EXPECT_EQ(world.ask(adjust_of("tee", -1)), "adjusted version=4");
}

TEST(CountTest, WhatWasCountedIsAvailableAndReserved_E6) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*2")).does(want("bob", "tee*1").at_once());
  EXPECT_EQ(world.ask(count_of("tee", 4, 3)), "counted version=3");
  EXPECT_EQ(world.ledger.back().action, Action::sell) << "nothing differs, nothing moves";
  EXPECT_EQ(world.ask(count_of("tee", 6, 3)), "counted version=4");
  EXPECT_EQ(world.stock(), "tee: 4/2/1 g1");
  EXPECT_EQ(world.ask(count_of("tee", 2, 4)), "counted version=5");
  EXPECT_EQ(world.stock(), "tee: 0/2/1 g1");
  EXPECT_EQ(world.ledger.back().source, "count");
  EXPECT_EQ(world.ask(count_of("tee", 1, 5)), "counted version=6 shortage=1");
  EXPECT_EQ(world.stock(), "tee: 0/2/1-1 g1");
  EXPECT_EQ(world.ask(count_of("tee", 1, 6)), "counted version=6 shortage=1")
      << "nothing differs, nothing moves";
}

TEST(CountTest, AStaleCountIsRefusedWithThePresentVersion_E6_B093_B095_B099) {
  World world;
  world.sku("tee", {50, 50}).does(want("ann", "tee*2").at_once());
  EXPECT_EQ(world.ask(count_of("tee", 100, 2)), "version_conflict version=3");
  EXPECT_EQ(world.item("tee").available(), Quantity{98});
  EXPECT_EQ(world.ask(count_of("tee", 100, 4)), "version_conflict version=3");
  EXPECT_EQ(world.ask(count_of("tee", 97, 3)), "counted version=4");

  World dated;
  dated.sku("tee", {10}).does(want("ann", "tee*8").at_once());
  EXPECT_EQ(dated.ask(count_of("tee", 7, 1)), "version_conflict version=2");
  EXPECT_EQ(dated.stock(), "tee: 2/0/8 g1");
}

// The version is of the stock as it is found; a hold that the count itself releases is no change.
TEST(CountTest, DueHoldsAreReleasedWhereTooLittleIsAvailable_C9) {
  World world;
  world.sku("tee", {3}).does(want("ann", "tee*2").held_for(seconds(1))).passes(seconds(1));
  EXPECT_EQ(world.ask(count_of("tee", 1, 2)), "counted version=4");
  EXPECT_EQ(world.stock(), "tee: 1/0/0 g1");
}

// Whether it is a shortage depends on holds that were not looked at: nothing is said of it yet.
TEST(CountTest, DueHoldsThatWereNotSeenPutItOff_C9_E7) {
  World world;
  world.sku("tee", {3}).does(want("ann", "tee*1")).does(want("bob", "tee*2")).passes(minutes(15));
  world.due_orders_max = 1;
  EXPECT_EQ(world.ask(count_of("tee", 0, 3)), "overloaded");
  EXPECT_EQ(world.item("tee").shortage(), no_units);
}

TEST(CountTest, AnActivitysStockIsNotCounted) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*3")).does(opening("sale"));
  EXPECT_EQ(world.ask(count_of("tee", 5, 2)), "counted version=3");
  EXPECT_EQ(world.stock(), "tee: 5/0/0 g1\ntee@sale: 3/0/0 g2");
}

}  // namespace
}  // namespace gavel::rules
