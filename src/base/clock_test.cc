#include "base/clock.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gavel {
namespace {

constexpr Time start{Duration(1'645'557'742'000)};

std::string rendered(const Clock& clock) {
  return to_text(clock.now()) + " steady " + std::to_string(clock.steady().count());
}

TEST(ClockTest, VirtualTimeStandsStillUntilItIsMoved) {
  VirtualClock clock(start);
  EXPECT_EQ(rendered(clock), "2022-02-22T19:22:22.000Z steady 0");
  clock.advance(Duration(1500));
  EXPECT_EQ(rendered(clock), "2022-02-22T19:22:23.500Z steady 1500");
  clock.jump(Duration(-10'000));
  EXPECT_EQ(rendered(clock), "2022-02-22T19:22:13.500Z steady 1500");
  clock.jump(Duration(60'000));
  clock.advance(Duration(0));
  EXPECT_EQ(rendered(clock), "2022-02-22T19:23:13.500Z steady 1500");
}

TEST(ClockTest, ManyThreadsAdvanceOneClock) {
  VirtualClock clock(start);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&clock] {
      for (int n = 0; n < 1000; ++n) clock.advance(Duration(1));
    });
  }
  threads.clear();
  EXPECT_EQ(rendered(clock), "2022-02-22T19:22:26.000Z steady 4000");
}

TEST(ClockDeathTest, SteadyTimeNeverGoesBack) {
  VirtualClock clock(start);
  EXPECT_DEATH(clock.advance(Duration(-1)), "CHECK failed");
}

TEST(ClockTest, AfterARebootSteadyTimeBeginsAnew) {
  VirtualClock clock(start);
  clock.advance(Duration(1500));
  const std::string boot = clock.boot();
  clock.reboot();
  EXPECT_EQ(rendered(clock), "2022-02-22T19:22:23.500Z steady 0");
  EXPECT_NE(clock.boot(), boot);
}

TEST(ClockTest, TheMachineSaysWhichOfItsStartsThisIs) {
  EXPECT_FALSE(RealClock().boot().empty());
  EXPECT_EQ(RealClock().boot(), RealClock().boot());
}

TEST(ClockTest, RealTimePasses) {
  const RealClock clock;
  EXPECT_GT(clock.now(), parse_time("2024-01-01T00:00:00Z"));
  const Duration before = clock.steady();
  std::this_thread::sleep_for(Duration(20));
  EXPECT_GE(clock.steady() - before, Duration(19));
  EXPECT_LT(clock.steady() - before, Duration(20'000));
}

}  // namespace
}  // namespace gavel
