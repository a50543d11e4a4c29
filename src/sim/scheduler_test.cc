#include "sim/scheduler.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::sim {
namespace {

TEST(Scheduler, EventsRunInOrderOfTimeAndThenOfArrival) {
  Scheduler scheduler;
  std::string order;
  scheduler.at(Micros(20), [&] { order += "c"; });
  scheduler.at(Micros(10), [&] { order += "a"; });
  scheduler.at(Micros(10), [&] { order += "b"; });
  EXPECT_TRUE(scheduler.run_one());
  EXPECT_EQ(scheduler.now(), Micros(10));
  while (scheduler.run_one()) {
  }
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(scheduler.now(), Micros(20));
}

TEST(Scheduler, AnEventOfThePresentRunsAfterTheOneThatMadeIt) {
  Scheduler scheduler;
  std::string order;
  scheduler.at(Micros(5), [&] {
    scheduler.at(Micros(1), [&] { order += "b"; });  // A time that is past is now.
    order += "a";
  });
  scheduler.run_until(Micros(7));
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(scheduler.now(), Micros(7));
}

TEST(Scheduler, AfterALeapEverythingComesInItsOrderAndSoMuchLater) {
  Scheduler scheduler;
  std::string order;
  scheduler.at(Micros(20), [&] { order += "b"; });
  scheduler.at(Micros(10), [&] {
    scheduler.leap(Micros(1'000));
    order += "a";
  });
  EXPECT_TRUE(scheduler.run_one());
  EXPECT_EQ(scheduler.now(), Micros(1'010));
  scheduler.at(Micros(15), [&] { order += "now"; });
  scheduler.run_until(Micros(1'019));
  EXPECT_EQ(order, "anow");
  scheduler.run_until(Micros(1'020));
  EXPECT_EQ(order, "anowb");
}

}  // namespace
}  // namespace gavel::sim
