// Probes: gate and judge send a user to the same bucket (A5, A20).
#include "gate/probes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/stock.h"
#include "rules/world_test.h"

namespace gavel::gate {
namespace {

using rules::BucketNo;

TEST(Probes, AreTheHomeBucketAndTheTwoAfterItEachOnce) {
  const rules::UserId ann("ann");
  EXPECT_EQ(probes_of(ann, 1), (std::vector<BucketNo>{0}));
  EXPECT_EQ(probes_of(ann, 2).size(), 2U);
  for (const std::int32_t count : {3, 16, 64}) {
    const auto probes = probes_of(ann, count);
    ASSERT_EQ(probes.size(), 3U);
    EXPECT_EQ(probes[1], (probes[0] + 1) % count);
    EXPECT_EQ(probes[2], (probes[0] + 2) % count);
  }
}

// The bucket that the judge takes a unit from where no token names one and every bucket has plenty.
BucketNo judged_home(rules::World& world, const std::string& user) {
  const rules::Verdict verdict = world.decide_one(rules::want(user, "tee*1"));
  return world.state.orders.at(*verdict.order).taken.at(0).bucket;
}

TEST(Probes, BeginWhereTheJudgeBegins_A5_A20) {
  for (std::int32_t count = 1; count <= 64; ++count) {
    rules::World world;
    world.does(rules::put("tee", count)).does(rules::receipt("tee", 100 * count));
    for (int user = 0; user < 20; ++user) {
      const std::string name = "user-" + std::to_string(user);
      EXPECT_EQ(probes_of(rules::UserId(name), count).front(), judged_home(world, name))
          << name << " of " << count << " buckets";
    }
  }
}

TEST(Probes, BeginWhereTheJudgeBeginsAfterTheBucketCountChanged_A5_A20) {
  rules::World world;
  world.does(rules::put("tee", 8)).does(rules::receipt("tee", 10'000));
  for (const std::int32_t count : {16, 3, 64, 1, 5, 8}) {
    world.does(rules::put("tee", count));
    for (int user = 0; user < 20; ++user) {
      const std::string name = "user-" + std::to_string(user);
      EXPECT_EQ(probes_of(rules::UserId(name), count).front(), judged_home(world, name))
          << name << " of " << count << " buckets";
    }
  }
}

}  // namespace
}  // namespace gavel::gate
