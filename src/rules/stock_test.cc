#include "rules/stock.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"
#include "rules/invariants.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

constexpr int worlds = 2'500;

Item item_with(const std::vector<std::int64_t>& available) {
  Item item{.id = ItemId{7}, .sku = SkuId{1}, .activity = free_pool, .buckets = {}, .loaded = {}};
  for (const std::int64_t units : available) item.buckets.push_back(Bucket{Quantity{units}, {}, {}, 0});
  item.loaded = item.buckets;
  return item;
}

Item random_item(Random& random) {
  std::vector<std::int64_t> available(1 + random.below(8));
  const std::uint64_t most = random.chance(1, 2) ? 5 : 1'000;
  for (std::int64_t& units : available) units = static_cast<std::int64_t>(random.below(most));
  return item_with(available);
}

// "0*3 2*1": how much of which bucket.
std::string text_of(const std::vector<Allocation>& parts) {
  std::string text;
  for (const Allocation& part : parts) {
    if (!text.empty()) text += " ";
    text += std::to_string(part.bucket) + "*" + std::to_string(part.quantity.units);
  }
  return text;
}

std::vector<std::int64_t> availables(const Item& item) {
  std::vector<std::int64_t> units;
  for (const Bucket& bucket : item.buckets) units.push_back(bucket.available.units);
  return units;
}

std::int64_t sum_of(const std::vector<Allocation>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t sum, const Allocation& part) { return sum + part.quantity.units; });
}

// Each part is of this item and of a bucket of its own, in order, and holds something.
void expect_proper(const Item& item, const std::vector<Allocation>& parts) {
  BucketNo last = -1;
  for (const Allocation& part : parts) {
    EXPECT_EQ(part.item, item.id);
    EXPECT_GT(part.bucket, last);
    EXPECT_LT(part.bucket, static_cast<BucketNo>(item.buckets.size()));
    EXPECT_GT(part.quantity, no_units);
    last = part.bucket;
  }
}

Reason because_of(std::optional<OrderId> order) {
  return Reason{Caller("shop"), RequestKey("k"), order, "order", noon};
}

TEST(StockTest, ChooseTakesFromTheHomeBucketElseFromAsFewAsWillDo_A5_A6_A7) {
  struct Row {
    std::vector<std::int64_t> available;
    std::int64_t quantity;
    BucketNo home;
    std::string taken;
  };
  const Row rows[] = {
      {{5}, 5, 0, "0*5"},
      {{2, 3}, 2, 1, "1*2"},
      {{2, 3}, 3, 0, "1*3"},         // Home has too few, another has them all.
      {{1, 9, 4, 4}, 4, 0, "2*4"},   // The smallest that has them all, so that large orders stay possible.
      {{0, 4, 9}, 4, 0, "1*4"},      //
      {{1, 2, 3}, 5, 0, "1*2 2*3"},  // Larger than any: the fullest first.
      {{3, 3, 3}, 9, 1, "0*3 1*3 2*3"},  //
      {{3, 3, 3}, 7, 2, "0*3 1*3 2*1"},  //
      {{0, 3, 0, 3}, 6, 0, "1*3 3*3"},   //
  };
  for (const Row& row : rows) {
    EXPECT_EQ(text_of(choose(item_with(row.available), Quantity{row.quantity}, row.home)), row.taken);
  }
}

TEST(StockTest, ChooseTakesExactlyWhatIsAskedFromAsFewBucketsAsPossible_A6) {
  Random random(1);
  for (int world = 0; world < worlds; ++world) {
    const Item item = random_item(random);
    const std::int64_t available = item.available().units;
    if (available == 0) continue;
    const Quantity quantity{1 +
                            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(available)))};
    const auto home = static_cast<BucketNo>(random.below(item.buckets.size()));
    const std::vector<Allocation> taken = choose(item, quantity, home);

    expect_proper(item, taken);
    EXPECT_EQ(sum_of(taken), quantity.units);
    for (const Allocation& part : taken) {
      EXPECT_LE(part.quantity, item.buckets[static_cast<std::size_t>(part.bucket)].available);
    }
    std::vector<std::int64_t> fullest = availables(item);
    std::ranges::sort(fullest, std::greater<>());
    std::size_t fewest = 0;
    for (std::int64_t sum = 0; sum < quantity.units; ++fewest) sum += fullest[fewest];
    EXPECT_EQ(taken.size(), fewest) << text_of(taken);
    if (item.buckets[static_cast<std::size_t>(home)].available >= quantity) {
      EXPECT_EQ(taken.front().bucket, home);
    }
  }
}

TEST(StockTest, SpreadGivesEqualSharesAndTheRemainderFromTheFirst_A3) {
  struct Row {
    std::vector<std::int64_t> available;
    std::int64_t quantity;
    std::string parts;
  };
  const Row rows[] = {
      {{0}, 7, "0*7"},
      {{0, 0, 0, 0}, 100, "0*25 1*25 2*25 3*25"},
      {{0, 0, 0}, 100, "0*34 1*33 2*33"},
      {{0, 0, 0, 0}, 6, "0*2 1*2 2*1 3*1"},
      {{0, 0, 0}, 2, "0*1 1*1"},
      {{4, 4, 4}, 1, "0*1"},
      {{5, 0, 0}, 2, "1*1 2*1"},         // Later receipts even out.
      {{5, 0, 0}, 10, "1*5 2*5"},        //
      {{5, 0, 0}, 11, "0*1 1*5 2*5"},    //
      {{0, 1}, 2, "0*2"},                //
      {{2, 0, 1, 9}, 4, "0*1 1*2 2*1"},  //
  };
  for (const Row& row : rows) {
    EXPECT_EQ(text_of(spread(item_with(row.available), Quantity{row.quantity})), row.parts);
  }
}

TEST(StockTest, SpreadLosesNothingAndLeavesBucketsAsEvenAsCanBe_A3) {
  Random random(2);
  for (int world = 0; world < worlds; ++world) {
    const Item item = random_item(random);
    const Quantity quantity{1 + static_cast<std::int64_t>(random.below(2'000))};
    const std::vector<Allocation> parts = spread(item, quantity);
    expect_proper(item, parts);
    EXPECT_EQ(sum_of(parts), quantity.units);

    // One by one, each unit to the emptiest bucket: nothing is more even.
    std::vector<std::int64_t> even = availables(item);
    for (std::int64_t i = 0; i < quantity.units; ++i) ++*std::ranges::min_element(even);
    std::vector<std::int64_t> after = availables(item);
    for (const Allocation& part : parts) after[static_cast<std::size_t>(part.bucket)] += part.quantity.units;
    std::ranges::sort(even);
    std::ranges::sort(after);
    EXPECT_EQ(after, even) << text_of(parts);
  }
}

TEST(StockTest, HomeIsTheSameForAUserOnEveryMachineAndSpreadsUsers_A5) {
  // Worked out apart from the code: FNV-1a of 64 bits, the finisher of MurmurHash3, modulo the number of
  // buckets.
  const std::tuple<std::string, std::size_t, BucketNo> rows[] = {
      {"ann", 1, 0}, {"ann", 2, 1}, {"ann", 64, 19}, {"bob", 2, 0}, {"bob", 64, 32}, {"user-000017", 16, 6},
  };
  for (const auto& [user, buckets, home] : rows) EXPECT_EQ(home_bucket(UserId(user), buckets), home) << user;

  // Names with a counter at either end, and numbers alone; a fair die stays within four standard deviations.
  const std::function<std::string(int)> namings[] = {
      [](int i) { return "user-" + std::to_string(i); },
      [](int i) { return std::to_string(i) + ".user.of.the.shop"; },
      [](int i) { return std::to_string(1'000'000'007 * static_cast<std::int64_t>(i)); },
  };
  for (const auto& naming : namings) {
    for (const std::size_t buckets : {2U, 3U, 8U, 16U, 20U, 64U}) {
      std::vector<int> counts(buckets);
      const int users = 1'000 * static_cast<int>(buckets);
      for (int i = 0; i < users; ++i)
        ++counts[static_cast<std::size_t>(home_bucket(UserId(naming(i)), buckets))];
      EXPECT_GT(*std::ranges::min_element(counts), 870) << naming(1) << " over " << buckets;
      EXPECT_LT(*std::ranges::max_element(counts), 1'130) << naming(1) << " over " << buckets;
    }
  }
}

TEST(StockTest, APostIsOneRowOfTheLedgerChainedToTheOneBefore_C4) {
  World world;
  world.sku("tee", {5, 0});
  const ItemId tee = world.item("tee").id;
  post(world.state, tee, 0, Action::reserve, Quantity{3}, because_of(order_id(1)));
  post(world.state, tee, 0, Action::confirm, Quantity{1}, because_of(order_id(1)));
  post(world.state, tee, 0, Action::cancel, Quantity{1}, because_of(order_id(1)));
  post(world.state, tee, 0, Action::expire, Quantity{1}, because_of(order_id(1)));
  post(world.state, tee, 0, Action::sell, Quantity{2}, because_of(order_id(2)));
  post(world.state, tee, 0, Action::move_out, Quantity{1}, because_of(std::nullopt));
  post(world.state, tee, 1, Action::move_in, Quantity{1}, because_of(std::nullopt));
  post(world.state, tee, 1, Action::receive, Quantity{9}, because_of(std::nullopt));

  std::string text;
  for (const Flow& flow : world.state.flows) {
    text += std::to_string(flow.bucket) + " seq " + std::to_string(flow.seq) + " " +
            std::string(word(flow.action)) + " " + std::to_string(flow.quantity.units) + ": " +
            std::to_string(flow.before.units) + " to " + std::to_string(flow.after.units) + "\n";
    EXPECT_EQ(flow.item, tee);
    EXPECT_EQ(flow.caller, Caller("shop"));
    EXPECT_EQ(flow.key, RequestKey("k"));
    EXPECT_EQ(flow.source, "order");
    EXPECT_EQ(flow.at, noon);
    EXPECT_EQ(flow.occurrence, 1);
    EXPECT_EQ(parse_action(word(flow.action)), flow.action);
  }
  EXPECT_EQ(text,
            "0 seq 2 reserve 3: 5 to 2\n"
            "0 seq 3 confirm 1: 2 to 2\n"
            "0 seq 4 cancel 1: 2 to 3\n"
            "0 seq 5 expire 1: 3 to 4\n"
            "0 seq 6 sell 2: 4 to 2\n"
            "0 seq 7 move_out 1: 2 to 1\n"
            "1 seq 1 move_in 1: 0 to 1\n"
            "1 seq 2 receive 9: 1 to 10\n");
  EXPECT_EQ(world.stock(), "tee: 1/0/3 | 10/0/0 g1");
  EXPECT_EQ(parse_action("steal"), std::nullopt);
}

TEST(StockTest, AMoveIsPairsThatSumToZeroAndChangesNoTotal_C3) {
  Random random(3);
  for (int round = 0; round < worlds; ++round) {
    State state;
    for (const std::int64_t id : {1, 2}) {
      Item item = random_item(random);
      item.id = ItemId{id};
      state.items.emplace(item.id, item);
    }
    const Quantity from = state.item(ItemId{1}).available();
    const Quantity to = state.item(ItemId{2}).available();
    const Quantity quantity{
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(from.units) + 1))};
    move(state, ItemId{1}, ItemId{2}, quantity, because_of(std::nullopt));

    EXPECT_EQ(state.item(ItemId{1}).available(), from - quantity);
    EXPECT_EQ(state.item(ItemId{2}).available(), to + quantity);
    EXPECT_EQ(state.flows.empty(), quantity == no_units);
    EXPECT_EQ(first_broken(state), std::nullopt);
    for (const Flow& flow : state.flows) {
      EXPECT_EQ(flow.action, flow.item == ItemId{1} ? Action::move_out : Action::move_in);
    }
  }
}

TEST(StockTest, ANumberThatNoRuleCanHaveMadeIsUnsoundAndNeverOverflows_B9) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(is_unsound(item_with({})));
  EXPECT_FALSE(is_unsound(item_with({0, 3})));
  EXPECT_FALSE(is_unsound(item_with({total_units_max.units})));
  EXPECT_TRUE(is_unsound(item_with({huge})));
  EXPECT_TRUE(is_unsound(item_with({huge, huge, 2})));
  EXPECT_TRUE(is_unsound(item_with({lowest, 0})));
  EXPECT_TRUE(is_unsound(item_with({lowest, lowest})));
  EXPECT_TRUE(is_unsound(item_with({9, -1})));
  Item item = item_with({1});
  item.buckets[0].reserved = Quantity{-1};
  EXPECT_TRUE(is_unsound(item));
  item.buckets[0].reserved = Quantity{huge};
  EXPECT_TRUE(is_unsound(item));
  item.buckets[0].reserved = no_units;
  item.buckets[0].sold = Quantity{-1};
  EXPECT_TRUE(is_unsound(item));
  item.buckets[0].sold = Quantity{huge};
  EXPECT_TRUE(is_unsound(item));
}

TEST(StockDeathTest, NothingBecomesNegativeAndNothingMovesNothing) {
  World world;
  world.sku("tee", {5});
  const ItemId tee = world.item("tee").id;
  const auto posts = [&](Action action, std::int64_t units) {
    post(world.state, tee, 0, action, Quantity{units}, because_of(std::nullopt));
  };
  EXPECT_DEATH(posts(Action::sell, 6), "CHECK failed");
  EXPECT_DEATH(posts(Action::confirm, 1), "CHECK failed");
  EXPECT_DEATH(posts(Action::receive, 0), "CHECK failed");
  EXPECT_DEATH(posts(Action::receive, -1), "CHECK failed");
  EXPECT_DEATH(choose(world.item("tee"), Quantity{6}, 0), "CHECK failed");
  EXPECT_DEATH(move(world.state, tee, tee, Quantity{6}, because_of(std::nullopt)), "CHECK failed");
}

}  // namespace
}  // namespace gavel::rules
