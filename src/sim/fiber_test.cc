#include "sim/fiber.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::sim {
namespace {

class FiberTest : public testing::Test {
 protected:
  void say(const std::string& word) { said_ += std::to_string(scheduler_.now().count()) + word + " "; }
  void run() {
    while (scheduler_.run_one()) {
    }
  }

  Scheduler scheduler_;
  ProcessState power_;
  std::string said_;
};

TEST_F(FiberTest, TwoMeetInsideOfTheirCalls) {
  Fiber one(scheduler_, power_, [&](Fiber& self) {
    say("one");
    self.rest(Micros(10));
    say("one");
  });
  Fiber other(scheduler_, power_, [&](Fiber& self) {
    say("other");
    self.rest(Micros(5));
    say("other");
  });
  run();
  EXPECT_EQ(said_, "0one 0other 5other 10one ");
}

TEST_F(FiberTest, ParkEndsByWakeOrByItsTime) {
  Fiber fiber(scheduler_, power_, [&](Fiber& self) {
    say(self.park(Micros(100)) ? "woken" : "late");
    say(self.park(Micros(100)) ? "woken" : "late");
    say(self.park() ? "woken" : "late");
  });
  scheduler_.at(Micros(30), [&] { fiber.wake(); });
  scheduler_.at(Micros(400), [&] { fiber.wake(); });
  run();
  EXPECT_EQ(said_, "30woken 130late 400woken ");
  EXPECT_TRUE(fiber.done());
}

TEST_F(FiberTest, WhatStandsStillGoesOnLater) {
  Fiber fiber(scheduler_, power_, [&](Fiber& self) {
    self.rest(Micros(10));
    say("on");
  });
  scheduler_.at(Micros(5), [&] { power_.pause_until(Micros(50)); });
  run();
  EXPECT_EQ(said_, "50on ");
}

TEST_F(FiberTest, WithoutPowerNothingWaitsAndTheFunctionRunsOut) {
  Fiber fiber(scheduler_, power_, [&](Fiber& self) {
    while (power_.on()) self.rest(Micros(1'000));
    self.rest(Micros(1'000));
    EXPECT_FALSE(self.park());
    say("out");
  });
  scheduler_.at(Micros(5), [&] {
    power_.cut();
    fiber.wake();
  });
  run();
  EXPECT_EQ(said_, "5out ");
  EXPECT_TRUE(fiber.done());
}

}  // namespace
}  // namespace gavel::sim
