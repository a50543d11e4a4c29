// Fewer units than orders have: how a shortage comes about, what pays it, and that nothing is sold meanwhile.
#include <gtest/gtest.h>

#include "rules/stock.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// The last rows of the ledger, "cancel 3 fall_short 1"; a bucket other than the first as "cancel 3/1".
std::string last_rows(const World& world, std::size_t count) {
  std::string text;
  for (std::size_t i = world.ledger.size() - count; i < world.ledger.size(); ++i) {
    const Flow& flow = world.ledger[i];
    text += (text.empty() ? "" : " ") + std::string(word(flow.action)) + " " +
            std::to_string(flow.quantity.units);
    if (flow.bucket != 0) text += "/" + std::to_string(flow.bucket);
  }
  return text;
}

// Five units, three of which ann holds; then two are counted.
World short_by_one() {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*3"));
  EXPECT_EQ(world.ask(count_of("tee", 2, 2)), "counted version=4 shortage=1");
  EXPECT_EQ(world.stock(), "tee: 0/3/0-1 g1");
  EXPECT_EQ(last_rows(world, 2), "adjust_out 2 fall_short 1");
  EXPECT_EQ(world.ledger.back().source, "count");
  return world;
}

TEST(ShortageTest, ACountBelowWhatIsHeldIsAShortageAndACancellationPaysIt_B091) {
  World world = short_by_one();
  EXPECT_EQ(world.ask(want("bob", "tee*1")), "sold_out sku=tee");
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(world.stock(), "tee: 2/0/0 g2");
  EXPECT_EQ(last_rows(world, 2), "cancel 3 make_good 1");
  EXPECT_EQ(world.ledger.back().source, "shortage");
  EXPECT_FALSE(world.ledger.back().order);
}

TEST(ShortageTest, EveryHoldMayStillBePaid) {
  World world = short_by_one();
  EXPECT_EQ(world.ask(confirm_of(1)), "confirmed order=#1");
  EXPECT_EQ(world.stock(), "tee: 0/0/3-1 g1");
  EXPECT_EQ(world.ask(adjust_of("tee", -1)), "insufficient sku=tee available=0") << "the shelf is empty";
}

// table: one row per way in which a unit comes.
TEST(ShortageTest, WhateverComesPaysFirst) {
  struct Row {
    const char* name;
    Act act;
    const char* stock;
    const char* rows;
  };
  const Row rows[] = {
      {"inbound", receipt("tee", 1), "tee: 0/3/0 g1", "receive 1 make_good 1"},
      {"inbound, more", receipt("tee", 4), "tee: 3/3/0 g2", "receive 1 make_good 1 receive 3"},
      {"found", adjust_of("tee", 1), "tee: 0/3/0 g1", "adjust_in 1 make_good 1"},
      {"found, more", adjust_of("tee", 3), "tee: 2/3/0 g2", "adjust_in 1 make_good 1 adjust_in 2"},
      {"counted anew", count_of("tee", 3, 4), "tee: 0/3/0 g1", "adjust_in 1 make_good 1"},
      {"a part is paid", confirm_of(1, "tee*1"), "tee: 1/0/1 g2", "confirm 1 cancel 2 make_good 1"},
      {"a part is given up", change_of(1, "tee*1"), "tee: 1/1/0 g2", "cancel 2 make_good 1"},
  };
  for (const Row& row : rows) {
    World world = short_by_one();
    const std::size_t before = world.ledger.size();
    world.does(row.act);
    EXPECT_EQ(world.stock(), row.stock) << row.name;
    EXPECT_EQ(last_rows(world, world.ledger.size() - before), row.rows) << row.name;
  }
}

TEST(ShortageTest, WhatExpiresPaysBeforeItIsOffered_C9) {
  World world;
  world.sku("tee", {3}).does(want("ann", "tee*2").held_for(seconds(1))).does(want("bob", "tee*1"));
  EXPECT_EQ(world.ask(count_of("tee", 2, 3)), "counted version=4 shortage=1");
  world.passes(seconds(1));
  EXPECT_EQ(world.ask(want("eve", "tee*2")), "insufficient sku=tee available=1");
  EXPECT_EQ(world.ask(want("eve", "tee*1")), "reserved expires_at=12:15:01.000 order=#4");
  EXPECT_EQ(world.stock(), "tee: 0/2/0 g2");
  EXPECT_EQ(world.ask(expire_of(1)), "expired order=#1") << "once";
}

// Holds past their time are nobody's: a count releases them before anything is short.
TEST(ShortageTest, DueHoldsGoFirst_C9) {
  World world;
  world.sku("tee", {4}).does(want("ann", "tee*2")).does(want("bob", "tee*2").held_for(minutes(30)));
  world.passes(minutes(15));
  EXPECT_EQ(world.ask(count_of("tee", 1, 3)), "counted version=6 shortage=1");
  EXPECT_EQ(world.stock(), "tee: 0/2/0-1 g1");
  EXPECT_EQ(last_rows(world, 3), "expire 2 adjust_out 2 fall_short 1");
}

TEST(ShortageTest, UnitsInAnotherBucketMoveToWhereItIsShort_A3) {
  World world;
  world.sku("tee", {2, 2}).does(want("ann", "tee*4"));
  EXPECT_EQ(world.ask(count_of("tee", 1, 4)), "counted version=5 shortage=3");
  EXPECT_EQ(world.stock(), "tee: 0/2/0-3 | 0/2/0 g1");
  EXPECT_EQ(world.ask(cancel_of(1)), "cancelled order=#1");
  EXPECT_EQ(last_rows(world, 6), "cancel 2 make_good 2 cancel 2/1 move_out 1/1 move_in 1 make_good 1");
  EXPECT_EQ(world.stock(), "tee: 0/0/0 | 1/0/0 g2");
}

TEST(ShortageTest, InboundStockIsSpreadOverTheBucketsAsIfThereWereNone_A3) {
  World world;
  world.sku("tee", {1, 1}).does(want("ann", "tee*2"));
  world.does(count_of("tee", 0, 4)).does(receipt("tee", 8));
  EXPECT_EQ(world.stock(), "tee: 3/1/0 | 3/1/0 g2");
}

TEST(ShortageTest, BucketsMayChangeMeanwhile_A3) {
  World world;
  world.sku("tee", {1, 1}).does(want("ann", "tee*2"));
  world.does(count_of("tee", 1, 4)).does(put("tee", 1)).does(cancel_of(1));
  EXPECT_EQ(world.item("tee").available(), Quantity{1});
  EXPECT_EQ(world.item("tee").shortage(), no_units);
}

// Who buys at once has his units when they are free, and they are not.
TEST(ShortageTest, ASaleThatClosesPays_B12) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*2")).does(want("ann", "tee*3")).does(opening("sale"));
  EXPECT_EQ(world.ask(count_of("tee", 1, 3)), "counted version=4 shortage=2");
  EXPECT_EQ(world.ask(want("bob", "tee*1").in("sale")), "reserved expires_at=12:15:00.000 order=#2")
      << "what was set aside is there";
  EXPECT_EQ(world.ask(closing("sale")), "closed");
  EXPECT_EQ(world.stock(), "tee: 0/3/0-1 g1\ntee@sale: 0/1/0 g2");
  EXPECT_EQ(world.ask(cancel_of(2)), "cancelled order=#2");
  EXPECT_EQ(world.stock(), "tee: 0/3/0 g1\ntee@sale: 0/0/0 g2");
}

// A count is of the shelf, which a shortage of paid orders has left: it says nothing of what they were given.
TEST(ShortageTest, ACountDoesNotForgetWhatPaidOrdersAreOwed_E6) {
  World world = short_by_one();
  world.does(confirm_of(1));
  EXPECT_EQ(world.ask(count_of("tee", 0, 5)), "counted version=5 shortage=1");
  EXPECT_EQ(world.ask(count_of("tee", 1, 5)), "counted version=7") << "the unit that was found is theirs";
  EXPECT_EQ(world.stock(), "tee: 0/0/3 g1");
}

TEST(ShortageTest, ARefundPays) {
  World world = short_by_one();
  world.does(confirm_of(1));
  EXPECT_EQ(world.ask(refund_of(1, "tee*2")), "refunded state=partly_refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 1/0/1 g2");
  EXPECT_EQ(last_rows(world, 2), "refund 2 make_good 1");
}

// What was never there cannot be broken: the last unit that is owed is given up and not written off.
TEST(ShortageTest, OnlyWhatIsThereIsWrittenOff_C3) {
  World world = short_by_one();
  world.does(confirm_of(1));
  EXPECT_EQ(world.ask(write_off_of(1, "tee*1")), "refunded state=partly_refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 0/0/2-1 g1");
  EXPECT_EQ(world.ask(write_off_of(1)), "refunded state=refunded order=#1");
  EXPECT_EQ(world.stock(), "tee: 0/0/0 g1");
  EXPECT_EQ(last_rows(world, 3), "write_off 1 refund 1 make_good 1");
  World all = short_by_one();
  all.does(count_of("tee", 0, 4)).does(confirm_of(1)).does(write_off_of(1));
  EXPECT_EQ(last_rows(all, 2), "refund 3 make_good 3");
}

// B9: numbers that no rule makes are nobody's to sell.
TEST(ShortageTest, AShortageThatNobodyCanHaveMadeFreezes_B9) {
  for (const Quantity shortage : {Quantity{-1}, Quantity{4}, Quantity{sound_units_max.units + 1}}) {
    World world = short_by_one();
    world.bucket("tee").shortage = shortage;
    world.tampered();
    EXPECT_TRUE(is_unsound(world.item("tee")));
    EXPECT_EQ(world.ask(receipt("tee", 1)), "frozen sku=tee");
    EXPECT_EQ(world.ask(count_of("tee", 1, 4)), "frozen sku=tee");
  }
  World world = short_by_one();
  world.bucket("tee").available = Quantity{1};
  world.tampered();
  EXPECT_EQ(world.ask(want("bob", "tee*1")), "frozen sku=tee") << "available and short at once";
}

TEST(ShortageDeathTest, NobodyTakesMoreThanIsOnHand) {
  World world = short_by_one();
  const Reason reason{Caller("shop"), std::nullopt, std::nullopt, "count", noon};
  const ItemId item = world.item("tee").id;
  EXPECT_DEATH(withdraw(world.state, item, Quantity{3}, reason), "CHECK failed");
  EXPECT_DEATH(post(world.state, item, 0, Action::make_good, Quantity{1}, reason), "CHECK failed");
}

}  // namespace
}  // namespace gavel::rules
