#include "app/load/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel::app {
namespace {

FineTime us(std::int64_t count) { return std::chrono::microseconds(count); }

TEST(LatencyHistogram, IsExactBelow256MicrosecondsAndWithinAHundredthAbove) {
  LatencyHistogram none;
  EXPECT_EQ(none.ms(0.99), 0);
  Random random(1);
  for (const std::int64_t most : {200, 5'000, 3'000'000, 60'000'000}) {
    LatencyHistogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 0; i < 2'000; ++i) {
      all.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))));
      histogram.add(us(all.back()));
    }
    std::ranges::sort(all);
    for (const double share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * 2'000)) - 1;
      const double exact = static_cast<double>(all[rank]) / 1000;
      EXPECT_GE(histogram.ms(share), exact) << most << " " << share;
      EXPECT_LE(histogram.ms(share), most <= 256 ? exact : exact * 1.008 + 0.001) << most << " " << share;
    }
    EXPECT_EQ(histogram.longest_ms(), static_cast<double>(all.back()) / 1000);
    EXPECT_EQ(histogram.count(), 2'000);
  }
}

TEST(LatencyHistogram, TakesAnyLatency) {
  LatencyHistogram histogram;
  histogram.add(us(-5));
  EXPECT_EQ(histogram.ms(1), 0);
  histogram.add(std::chrono::hours(100));
  EXPECT_NEAR(histogram.ms(1), 68'719'476.735, 0.001);
  EXPECT_EQ(histogram.count(), 2);
}

TEST(LatencyHistogram, AddsUp) {
  LatencyHistogram one, other, both;
  for (int i = 1; i <= 100; ++i) {
    one.add(us(i));
    other.add(us(10'000 * i));
    both.add(us(i));
    both.add(us(10'000 * i));
  }
  one.add(other);
  EXPECT_EQ(one.count(), 200);
  EXPECT_EQ(one.longest_ms(), both.longest_ms());
  for (const double share : {0.1, 0.5, 0.9, 1.0}) EXPECT_EQ(one.ms(share), both.ms(share)) << share;
}

}  // namespace
}  // namespace gavel::app
