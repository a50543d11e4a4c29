// Buckets that change while units are sold, and buckets that even out (A3, A7, A16, I3).
#include <gtest/gtest.h>

#include "base/random.h"
#include "rules/invariants.h"
#include "rules/stock.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

// What the moves of the ledger say, as "tee 0 -3; tee 1 +3".
std::string moves(const World& world) {
  std::string text;
  for (const Flow& flow : world.ledger) {
    if (flow.action != Action::move_in && flow.action != Action::move_out) continue;
    const std::int64_t moved = flow.after.units - flow.before.units;
    text += (text.empty() ? "" : "; ") + std::to_string(flow.bucket) + (moved > 0 ? " +" : " ") +
            std::to_string(moved) + " " + flow.source;
  }
  return text;
}

TEST(BucketsTest, MoreBucketsShareWhatIsAvailable_A3) {
  World world;
  world.sku("tee", {5}).does(want("ann", "tee*1"));
  EXPECT_EQ(world.ask(put("tee", 3)), "changed");
  EXPECT_EQ(world.stock("tee"), "tee: 2/1/0 | 1/0/0 | 1/0/0 g1");
  EXPECT_EQ(moves(world), "0 -2 buckets; 1 +1 buckets; 2 +1 buckets");
  EXPECT_EQ(world.state.skus.at(SkuCode("tee")).bucket_count, 3);
}

TEST(BucketsTest, FewerBucketsKeepTheirRowsAndGetNothingNew_A3) {
  World world;
  world.sku("tee", {3, 3, 3}).does(want("ann", "tee*3"));
  const std::string hers = world.orders();
  EXPECT_EQ(world.ask(put("tee", 1)), "changed");
  EXPECT_EQ(world.item("tee").in_use(), 1U);
  EXPECT_EQ(world.item("tee").buckets.size(), 3U);
  EXPECT_EQ(world.bucket("tee", 0).available, Quantity{6});
  EXPECT_EQ(world.orders(), hers) << "her units stay where they are";
  world.does(receipt("tee", 5));
  EXPECT_EQ(world.bucket("tee", 0).available, Quantity{11});
  EXPECT_EQ(world.item("tee").available(), Quantity{11});
}

TEST(BucketsTest, WhatReturnsToABucketOutOfUseIsSoldFromThere_A7_B067) {
  World world;
  world.sku("tee", {0, 3}).does(want("ann", "tee*3")).does(put("tee", 1));
  EXPECT_EQ(world.stock("tee"), "tee: 0/0/0 | 0/3/0 g1");
  world.does(cancel_of(1));
  EXPECT_EQ(world.stock("tee"), "tee: 0/0/0 | 3/0/0 g2");
  EXPECT_EQ(world.ask(want("bob", "tee*1").at_once()), "sold order=#2");
  EXPECT_EQ(world.stock("tee"), "tee: 0/0/0 | 2/0/1 g2");
  EXPECT_EQ(world.ask(rebalance_of(world.item("tee").id)), "changed");
  EXPECT_EQ(world.stock("tee"), "tee: 2/0/0 | 0/0/1 g2") << "moving is no return: the generation stays";
}

TEST(BucketsTest, BucketsOutOfUseComeBackAsTheyAre_A3) {
  World world;
  world.sku("tee", {4, 4}).does(put("tee", 1)).does(put("tee", 2)).does(put("tee", 3));
  EXPECT_EQ(world.stock("tee"), "tee: 3/0/0 | 3/0/0 | 2/0/0 g1");
  EXPECT_EQ(world.item("tee").retired, 0);
}

TEST(BucketsTest, ATokenOfABucketOutOfUseIsHarmless_A3) {
  World world;
  world.sku("tee", {2, 2}).does(put("tee", 1));
  Command command = world.command("shop", "k", want("ann", "tee*1"));
  command.token = 1;
  world.load_due();
  EXPECT_EQ(decide(world.state, command, world.now, world.policy).outcome, Outcome::reserved);
  world.end_batch();
  EXPECT_EQ(world.stock("tee"), "tee: 3/1/0 | 0/0/0 g1");
}

TEST(BucketsTest, AnActivitysBucketsChangeWhileItSells_A3) {
  World world;
  world.sku("tee", {9}).does(sale("sale", "tee*6")).does(opening("sale"));
  world.does(want("ann", "tee*1").in("sale"));
  EXPECT_EQ(world.ask(change("sale", 2)), "changed state=open");
  EXPECT_EQ(world.stock("tee@sale"), "tee@sale: 3/1/0 | 2/0/0 g2");
  EXPECT_EQ(world.stock("tee"), "tee: 3/0/0 g1") << "the free stock has its own";
  world.does(closing("sale"));
  EXPECT_EQ(world.stock("tee"), "tee: 8/0/0 g1");
  EXPECT_EQ(world.ask(change("sale", 3)), "illegal_transition state=closed");
  EXPECT_EQ(world.ask(change("nope", 3)), "unknown_activity");
}

TEST(BucketsTest, ARebalanceIsForThoseThatNeedOne_A7) {
  struct Row {
    std::vector<std::int64_t> available;
    std::int32_t retired;
    bool uneven;
  };
  const Row rows[] = {
      {{5}, 0, false},    {{0}, 0, false},      {{1, 0}, 0, false},    {{2, 0}, 0, true},
      {{9, 1}, 0, false}, {{0, 0, 7}, 0, true}, {{1, 1, 0}, 0, false}, {{1, 0}, 1, false},
      {{1, 1}, 1, true},  {{0, 1}, 1, true},    {{3, 0, 0}, 2, false},
  };
  for (const Row& row : rows) {
    Item item;
    for (const std::int64_t units : row.available) item.buckets.push_back(Bucket{{units}, {}, {}, 0});
    item.retired = row.retired;
    EXPECT_EQ(is_uneven(item), row.uneven) << row.available.size() << " buckets, " << row.available[0];
  }
  World world;
  world.sku("tee", {1, 1});
  const ItemId tee = world.item("tee").id;
  EXPECT_EQ(world.ask(rebalance_of(tee)), "changed");
  EXPECT_EQ(moves(world), "");
  EXPECT_EQ(world.ask(rebalance_of(ItemId{99})), "frozen");
}

TEST(BucketsTest, WhatOtherHandsChangedIsFrozen_B9) {
  World world;
  world.sku("tee", {3, 0}).does(sale("sale", "tee*1"));
  world.bucket("tee").available = Quantity{-3};
  world.tampered();
  EXPECT_EQ(world.ask(put("tee", 3)), "frozen sku=tee");
  EXPECT_EQ(world.ask(put("tee", 2)), "changed") << "nothing moves";
  EXPECT_EQ(world.ask(rebalance_of(world.item("tee").id)), "frozen");
  EXPECT_EQ(world.ask(change("sale", 2)), "frozen sku=tee");
  EXPECT_EQ(world.ask(change("sale", std::nullopt, Mode::direct)), "changed state=draft");
}

// Whatever is there: nothing is lost or made, the shares are A3's, each move sums to zero, and the generation
// stays (A16).
TEST(BucketsTest, AChangeKeepsEveryUnit_A3_I3) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    World world;
    world.does(put("tee", 1 + static_cast<std::int32_t>(random.below(6))));
    world.does(receipt("tee", 1 + static_cast<std::int64_t>(random.below(40))));
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      world.ask(want("u" + std::to_string(i), "tee*" + std::to_string(1 + random.below(7))));
    }
    const std::int64_t generation = world.item("tee").generation;
    const Quantity available = world.item("tee").available();
    const Quantity total = world.item("tee").total();
    const auto count = 1 + static_cast<std::int32_t>(random.below(8));
    if (world.item("tee").in_use() == static_cast<std::size_t>(count)) continue;
    ASSERT_EQ(world.ask(put("tee", count)), "changed");
    const Item& item = world.item("tee");
    EXPECT_EQ(item.available(), available);
    EXPECT_EQ(item.total(), total);
    EXPECT_EQ(item.generation, generation);
    for (std::size_t i = 0; i < item.buckets.size(); ++i) {
      const auto no = static_cast<std::int64_t>(i);
      const std::int64_t share = available.units / count + (no < available.units % count ? 1 : 0);
      EXPECT_EQ(item.buckets[i].available.units, no < count ? share : 0);
    }
  }
}

}  // namespace
}  // namespace gavel::rules
