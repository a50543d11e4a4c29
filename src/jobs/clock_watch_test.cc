// What is told of a wall clock that differs from the judge's time (E25), on every form of a store.
#include "jobs/clock_watch.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::jobs {
namespace {

using namespace std::chrono_literals;

class ClockWatchTest : public ::testing::TestWithParam<judge::StoreForm> {
 protected:
  void SetUp() override {
    Log::Options options;
    options.into = [this](std::string_view line) { lines_.emplace_back(line); };
    log_ = *Log::open(options, world_->clock());
    watch_ = std::make_unique<ClockWatch>(*reader_, world_->clock(), *log_);
    watch(metrics_, *watch_);
    judge::JudgeDriver court(*store_);
    EXPECT_EQ(court.say(judge::put_sku("put", "tee")), "created");
  }

  // The event that the step logged, if it logged one.
  std::string step() {
    lines_.clear();
    EXPECT_TRUE(watch_->step());
    if (lines_.empty()) return "";
    const std::string& line = lines_.front();
    const std::size_t from = line.find("\"event\":\"") + 9;
    return line.substr(from, line.find('"', from) - from);
  }

  std::string gauge() {
    const std::string text = metrics_.text();
    const std::size_t from = text.find("\ngavel_jobs_clock_difference_seconds ") + 37;
    return text.substr(from, text.find('\n', from) - from);
  }

  std::unique_ptr<judge::StoreWorld> world_ = GetParam().make();
  std::unique_ptr<judge::Store> store_ = world_->open_store();
  std::unique_ptr<judge::Reader> reader_ = world_->open_reader();
  std::vector<std::string> lines_;
  std::unique_ptr<Log> log_;
  MetricsRegistry metrics_;
  std::unique_ptr<ClockWatch> watch_;
};

TEST_P(ClockWatchTest, TellsADifferenceBeyond5Seconds_E25_F028_G001) {
  struct Row {
    Duration by;
    std::string gauge;
    std::string warning;
  };
  EXPECT_EQ(step(), "");
  for (const Row& row : {Row{-1h, "-3600", "3600 s behind"}, {8h, "28800", "28800 s ahead of"}}) {
    world_->clock().jump(row.by);
    EXPECT_EQ(step(), "clock_differs");
    EXPECT_NE(lines_[0].find("\"difference_ms\":" + std::to_string(row.by.count())), std::string::npos);
    EXPECT_EQ(gauge(), row.gauge);
    ASSERT_TRUE(watch_->warning());
    EXPECT_NE(watch_->warning()->find("the wall clock is " + row.warning + " the judge's time"),
              std::string::npos)
        << *watch_->warning();
    world_->clock().jump(-row.by);
    EXPECT_EQ(step(), "clock_agrees");
    EXPECT_FALSE(watch_->warning());
  }
}

TEST_P(ClockWatchTest, ASmallDifferenceIsShownAndNotTold_E25) {
  world_->clock().jump(-5s);
  EXPECT_EQ(step(), "");
  EXPECT_EQ(gauge(), "-5");
  EXPECT_FALSE(watch_->warning());
  world_->clock().jump(-1ms);
  EXPECT_EQ(step(), "clock_differs");
}

TEST_P(ClockWatchTest, WhatLastsIsLoggedEveryTenMinutes_E25) {
  world_->clock().jump(-1h);
  EXPECT_EQ(step(), "clock_differs");
  world_->clock().advance(clock_logged_every - 1ms);
  EXPECT_EQ(step(), "");
  EXPECT_TRUE(watch_->warning());
  world_->clock().advance(1ms);
  EXPECT_EQ(step(), "clock_differs");
}

INSTANTIATE_TEST_SUITE_P(Stores, ClockWatchTest, testing::Values(judge::memory_form(), judge::sqlite_form()),
                         judge::name_of_form);

}  // namespace
}  // namespace gavel::jobs
