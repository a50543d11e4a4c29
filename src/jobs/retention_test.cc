// Retention over a lane that is stepped by hand (A28): what nobody can ask for again is deleted, in bounded
// batches, and nothing else is touched.
#include "jobs/retention.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/uuid.h"
#include "judge/audit/audit.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"
#include "stage/stage.h"

namespace gavel::jobs {
namespace {

using namespace std::chrono_literals;

constexpr const char* uuid7_key = "01a3185c-5000-7000-8000-0000000000aa";

class RetentionTest : public ::testing::TestWithParam<judge::StoreForm> {
 protected:
  void SetUp() override {
    world_ = GetParam().make();
    store_ = world_->open_store();
    reader_ = world_->open_reader();
    court_ = std::make_unique<judge::JudgeDriver>(*store_);
    start(retention_rows_max);
  }

  void start(std::size_t rows_max, std::size_t queue_max = 5000) {
    retention_.reset();
    lane_ = std::make_unique<pipeline::Lane>(court_->judge(), stage::Limits{queue_max, 1000}, world_->clock(),
                                             *log_, [](const std::string&) {});
    lanes_ = std::make_unique<pipeline::Lanes>(*lane_);
    retention_ =
        std::make_unique<Retention>(*reader_, *lanes_, world_->clock(), *log_, rules::Policy{}, rows_max);
  }

  // A receipt of one under each key.
  void receive(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) EXPECT_EQ(court_->say(judge::receive(key, "tee", 1)), "received");
  }

  std::size_t step() {
    const auto looked_at = retention_->step();
    EXPECT_TRUE(looked_at.has_value());
    return looked_at.value_or(0);
  }

  // The keys that have a row of their own.
  std::string keys() {
    const auto rows = reader_->request_ages(std::nullopt, 1000).value().requests;
    std::string text;
    for (const judge::RequestAge& row : rows)
      text += (text.empty() ? "" : " ") + std::string(row.id.second.text());
    return text;
  }

  std::size_t findings() { return judge::audit(*reader_).value().findings.size(); }

  const std::unique_ptr<Log> log_ = Log::silent();
  std::unique_ptr<judge::StoreWorld> world_;
  std::unique_ptr<judge::Store> store_;
  std::unique_ptr<judge::Reader> reader_;
  std::unique_ptr<judge::JudgeDriver> court_;
  std::unique_ptr<pipeline::Lane> lane_;
  std::unique_ptr<pipeline::Lanes> lanes_;
  std::unique_ptr<Retention> retention_;
};

TEST_P(RetentionTest, OldRequestsGoAndOrdersAndTheLedgerStay) {
  court_->say(judge::put_sku("put", "tee"));
  receive({"a", "b"});
  court_->say(judge::reserve(uuid7_key, "ann", {{"tee", 1}}));
  court_->say(judge::confirm("pay", judge::order_of(uuid7_key)));
  world_->clock().advance(49h);
  receive({"c"});
  EXPECT_EQ(step(), 5U);
  EXPECT_EQ(retention_->outstanding(), 0U) << "it was 49 hours ago, and not longer";
  world_->clock().advance(retention_rests);
  EXPECT_EQ(step(), 5U);
  EXPECT_EQ(retention_->outstanding(), 4U);
  EXPECT_EQ(keys(), "a b c pay put");
  lane_->step();
  EXPECT_EQ(retention_->outstanding(), 0U);
  EXPECT_EQ(retention_->forgotten(), 4U);
  EXPECT_EQ(keys(), "c");
  EXPECT_EQ(findings(), 0U);
  // The order answers for its key as before.
  EXPECT_EQ(court_->say(judge::reserve(uuid7_key, "ann", {{"tee", 1}})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#" + std::string(uuid7_key));
  EXPECT_EQ(judge::audit(*reader_).value().flows, 5);
}

TEST_P(RetentionTest, ARoundIsTakenInStepsAndThenTheJobRests) {
  court_->say(judge::put_sku("put", "tee"));
  receive({"a", "b", "c", "d"});
  world_->clock().advance(50h);
  start(2);
  EXPECT_EQ(step(), 2U);
  EXPECT_EQ(step(), 0U) << "the first ones have no verdict yet";
  lane_->step();
  EXPECT_EQ(keys(), "c d put");
  EXPECT_EQ(step(), 2U);
  lane_->step();
  EXPECT_EQ(step(), 1U);
  lane_->step();
  EXPECT_EQ(keys(), "");
  receive({"e"});
  world_->clock().advance(retention_rests - 1ms);
  EXPECT_EQ(step(), 0U) << "the round is over";
  world_->clock().advance(1ms);
  EXPECT_EQ(step(), 1U);
  EXPECT_EQ(retention_->outstanding(), 0U) << "it is young";
  EXPECT_EQ(retention_->forgotten(), 5U);
}

TEST_P(RetentionTest, WhatFindsTheLaneFullIsOfferedAgain) {
  court_->say(judge::put_sku("put", "tee"));
  receive({"a", "b", "c"});
  world_->clock().advance(50h);
  start(retention_rows_max, 2);
  EXPECT_EQ(step(), 4U);
  EXPECT_EQ(retention_->outstanding(), 2U);
  lane_->step();
  EXPECT_EQ(keys(), "c put");
  EXPECT_EQ(step(), 2U);
  lane_->step();
  EXPECT_EQ(keys(), "");
}

// A wall clock that was ahead when the job looked makes it ask too early, and nothing is lost by that.
TEST_P(RetentionTest, TheJudgesTimeDecides) {
  court_->say(judge::put_sku("put", "tee"));
  world_->clock().advance(48h + 30min);
  world_->clock().jump(1h);
  EXPECT_EQ(step(), 1U);
  EXPECT_EQ(retention_->outstanding(), 1U);
  world_->clock().jump(-1h);
  lane_->step();
  EXPECT_EQ(retention_->forgotten(), 0U);
  EXPECT_EQ(keys(), "put");
}

// A key that carries its time is refused when its record may be gone; another is a new one.
TEST_P(RetentionTest, ADeletionTurnsNoRetryIntoASecondAct) {
  court_->say(judge::put_sku("put", "tee"));
  Random random(1);
  const std::string ahead = to_text(make_uuid7(world_->clock().now() + 1h, random));
  receive({ahead});
  world_->clock().advance(49h);
  step();
  EXPECT_EQ(court_->say(judge::receive(ahead, "tee", 1)), "received") << "it is remembered for so long";
  world_->clock().advance(retention_rests);
  step();
  lane_->step();
  EXPECT_EQ(keys(), "");
  EXPECT_EQ(court_->say(judge::receive(ahead, "tee", 1)), "key_too_old");
  EXPECT_EQ(judge::audit(*reader_).value().flows, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, RetentionTest, testing::Values(judge::memory_form(), judge::sqlite_form()),
                         judge::name_of_form);

}  // namespace
}  // namespace gavel::jobs
