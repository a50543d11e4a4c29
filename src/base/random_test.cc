#include "base/random.h"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

namespace gavel {
namespace {

TEST(RandomTest, TheSequenceIsTheStandards) {
  // [rand.predef]: the 10,000th number of the default seed.
  Random random(5489);
  for (int i = 1; i < 10'000; ++i) random.next();
  EXPECT_EQ(random.next(), 9'981'545'732'273'789'042U);
}

std::string hundred_below_ten(std::uint64_t seed) {
  Random random(seed);
  std::string digits;
  for (int i = 0; i < 100; ++i) digits += static_cast<char>('0' + random.below(10));
  return digits;
}

TEST(RandomTest, ASeedIsRepeatedAndAnotherSeedDiffers) {
  EXPECT_EQ(hundred_below_ten(1), hundred_below_ten(1));
  EXPECT_NE(hundred_below_ten(1), hundred_below_ten(2));
  EXPECT_EQ(hundred_below_ten(42).substr(0, 20), "64021864075226928091");
}

TEST(RandomTest, BelowStaysInRange) {
  Random random(3);
  for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                    std::uint64_t{1} << 32, (std::uint64_t{1} << 63) + 1, UINT64_MAX}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(bound), bound);
  }
}

TEST(RandomTest, BelowIsEven) {
  // Chi-squared with 9 degrees of freedom: beyond 27.9 once in a thousand seeds, and this seed is fixed.
  Random random(4);
  std::array<double, 10> counts{};
  constexpr int draws = 100'000;
  for (int i = 0; i < draws; ++i) ++counts[random.below(counts.size())];
  double chi_squared = 0;
  for (const double count : counts)
    chi_squared += (count - draws / 10.0) * (count - draws / 10.0) / (draws / 10.0);
  EXPECT_LT(chi_squared, 27.9);
}

TEST(RandomTest, BelowDoesNotFavourSmallNumbersNearTheTop) {
  // Plain `next() % bound` would give two thirds below half of this bound.
  constexpr std::uint64_t bound = (std::uint64_t{3} << 62);
  Random random(5);
  int low = 0;
  for (int i = 0; i < 10'000; ++i) low += random.below(bound) < bound / 2 ? 1 : 0;
  EXPECT_NEAR(low, 5000, 200);
}

TEST(RandomTest, AChanceOfMInNHappensThatOften) {
  Random random(6);
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) taken += random.chance(1, 4) ? 1 : 0;
  EXPECT_NEAR(taken, 2500, 200);
  EXPECT_FALSE(random.chance(0, 4));
  EXPECT_TRUE(random.chance(4, 4));
}

TEST(RandomTest, TheSystemGivesDifferentSeeds) {
  EXPECT_NE(Random::from_system().next(), Random::from_system().next());
}

TEST(RandomDeathTest, NothingIsBelowZero) {
  Random random(8);
  EXPECT_DEATH(random.below(0), "CHECK failed: bound > 0");
}

}  // namespace
}  // namespace gavel
