// How often stock returned, told as batches are seen, beside the order of all batches told at once.
#include "judge/audit/generation.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel::judge {
namespace {

// What a batch did to the item: units that became available, in each of some buckets.
struct Act {
  BatchId batch;
  std::map<rules::BucketNo, std::int64_t> moved;
  std::map<rules::BucketNo, std::int64_t> seqs = {};
};

// Acts in the order of their commits; lanes take turns, or each begins when the one before has ended.
std::vector<Act> random_acts(Random& random, int lanes, rules::BucketNo buckets, bool turns) {
  std::vector<Act> acts;
  std::map<std::int64_t, std::int64_t> last;
  std::map<rules::BucketNo, std::int64_t> seqs, available;
  const int count = 4 + static_cast<int>(random.below(20));
  for (int i = 0; i < count; ++i) {
    const auto lane = 1 + static_cast<std::int64_t>(turns ? random.below(static_cast<std::uint64_t>(lanes))
                                                          : static_cast<std::uint64_t>(i * lanes / count));
    Act act{{{lane}, ++last[lane]}, {}};
    const std::size_t touched = 1 + random.below(static_cast<std::uint64_t>(buckets));
    while (act.moved.size() < touched) {
      const auto bucket = static_cast<rules::BucketNo>(random.below(static_cast<std::uint64_t>(buckets)));
      if (act.moved.contains(bucket)) continue;
      const std::int64_t units = available[bucket] > 0 && random.below(2) == 0
                                     ? -available[bucket]
                                     : static_cast<std::int64_t>(random.below(3));
      act.moved[bucket] = units;
      act.seqs[bucket] = ++seqs[bucket];
      available[bucket] += units;
    }
    acts.push_back(std::move(act));
  }
  return acts;
}

// How often stock returned in this order.
std::int64_t returns_of(const std::vector<Act>& acts) {
  std::int64_t available = 0;
  std::int64_t returns = 0;
  for (const Act& act : acts) {
    const bool was_empty = available == 0;
    for (const auto& [bucket, units] : act.moved) available += units;
    if (was_empty && available > 0) ++returns;
  }
  return returns;
}

// As the audit sees them, lane by lane.
Returns::Count count_of(std::vector<Act> acts, std::size_t steps_held) {
  std::ranges::sort(acts, {}, &Act::batch);
  Returns returns;
  for (const Act& act : acts) {
    for (const auto& [bucket, units] : act.moved) {
      const rules::Flow flow{.item = {1},
                             .bucket = bucket,
                             .seq = act.seqs.at(bucket),
                             .action = rules::Action::receive,
                             .quantity = {},
                             .before = {},
                             .after = {},
                             .order = {},
                             .occurrence = 1,
                             .caller = rules::Caller("shop"),
                             .key = {},
                             .source = "inbound",
                             .at = {}};
      returns.add(act.batch, flow, units, steps_held);
    }
  }
  return returns.count();
}

// Whether all batches, held at once, leave one order alone.
bool has_one_order(std::vector<Act> acts) {
  std::ranges::sort(acts, {}, &Act::batch);
  std::vector<BatchLinks<rules::BucketNo>> batches;
  for (const Act& act : acts) {
    batches.push_back({act.batch});
    for (const auto& [bucket, seq] : act.seqs) batches.back().add(bucket, seq);
  }
  return order_of_batches(batches).has_value();
}

TEST(Returns, AreExactlyKnownWhereverTheBatchesHaveOneOrder_G013) {
  Random random(7);
  int open = 0;
  for (int round = 0; round < 4'000; ++round) {
    const int lanes = 1 + static_cast<int>(random.below(3));
    const auto buckets = 1 + static_cast<rules::BucketNo>(random.below(3));
    const std::vector<Act> acts = random_acts(random, lanes, buckets, random.below(2) == 0);
    const std::int64_t real = returns_of(acts);
    const Returns::Count count = count_of(acts, 0);
    EXPECT_LE(count.least, real);
    EXPECT_GE(count.most, real);
    if (has_one_order(acts)) {
      EXPECT_EQ(count.least, real) << round;
      EXPECT_EQ(count.most, real) << round;
    } else {
      ++open;
    }
  }
  EXPECT_GT(open, 100);
}

// Lanes that follow one another, as those of one process and its restarts do, need no step to be held.
TEST(Returns, OfLanesThatFollowOneAnotherNeedNoMemory_G013) {
  Random random(8);
  int exact = 0;
  int bounded = 0;
  for (int round = 0; round < 2'000; ++round) {
    const bool turns = random.below(2) == 0;
    const std::vector<Act> acts = random_acts(random, 2, 2, turns);
    const std::int64_t real = returns_of(acts);
    const Returns::Count count = count_of(acts, steps_held_max);
    EXPECT_LE(count.least, real);
    EXPECT_GE(count.most, real);
    if (!turns && has_one_order(acts)) {
      EXPECT_EQ(count.most, real) << round;
      ++exact;
    } else if (count.least < count.most) {
      ++bounded;
    }
  }
  EXPECT_GT(exact, 500);
  EXPECT_GT(bounded, 100);
}

}  // namespace
}  // namespace gavel::judge
