// Sales that close by themselves (E23), over a lane that is stepped by hand, on every form of a store.
#include "jobs/closing.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::jobs {
namespace {

using namespace std::chrono_literals;

class ClosingTest : public ::testing::TestWithParam<judge::StoreForm> {
 protected:
  void SetUp() override {
    ends_at_ = world_->clock().now() + 10s;
    say(judge::put_sku("put", "tee"), "created");
    say(judge::receive("in", "tee", 10), "received");
  }

  void say(const rules::Command& command, const std::string& begins) {
    const std::string verdict = court_.say(command);
    EXPECT_TRUE(verdict.starts_with(begins)) << verdict;
  }

  // A sale of so many tees that ends with the others, open unless it is to stay a draft.
  void sale(const std::string& name, std::int64_t units, bool opens) {
    say(judge::create_activity("make-" + name, name, {{"tee", units}}, {.closes_at = ends_at_}), "created");
    if (opens) say(judge::open_activity("open-" + name, name), "opened");
  }

  // How many were offered; the lane then decides them.
  std::size_t step() {
    const auto offered = closing_.step();
    EXPECT_TRUE(offered);
    lane_.step();
    return offered.value_or(0);
  }

  std::string state_of(const std::string& name) {
    return std::string(word(reader_->activity(rules::ActivityCode(name)).value()->state));
  }
  std::int64_t free_units() {
    const auto rows = reader_->stock(rules::SkuCode("tee")).value();
    for (const judge::StockRow& row : *rows) {
      if (row.pool == "-") return row.item.available().units;
    }
    return -1;
  }

  std::unique_ptr<Log> open_log() {
    Log::Options options;
    options.into = [this](std::string_view line) { lines_.emplace_back(line); };
    return *Log::open(options, world_->clock());
  }

  std::unique_ptr<judge::StoreWorld> world_ = GetParam().make();
  std::unique_ptr<judge::Store> store_ = world_->open_store();
  std::unique_ptr<judge::Reader> reader_ = world_->open_reader();
  judge::JudgeDriver court_{*store_};
  std::vector<std::string> lines_;
  std::unique_ptr<Log> log_ = open_log();
  Time ends_at_;
  pipeline::Lane lane_{court_.judge(), stage::Limits{100, 10}, world_->clock(), *log_,
                       [](const std::string&) {}};
  pipeline::Lanes lanes_{lane_};
  Closing closing_{*reader_, lanes_, world_->clock(), *log_};
};

TEST_P(ClosingTest, ASaleGivesItsUnsoldUnitsBackAtItsEnd_E23_F026) {
  sale("drop", 5, true);
  say(judge::reserve("one", "ann", {{"tee", 2}}, {.activity = "drop"}), "reserved");
  say(judge::confirm("pay", judge::order_of("one")), "confirmed");
  world_->clock().advance(9'999ms);
  EXPECT_EQ(step(), 0U);
  EXPECT_EQ(state_of("drop"), "open");
  world_->clock().advance(1ms);
  EXPECT_EQ(step(), 1U);
  EXPECT_EQ(state_of("drop"), "closed");
  EXPECT_EQ(free_units(), 8);
  EXPECT_EQ(step(), 0U);
  EXPECT_TRUE(judge::audit(*reader_).value().clean());
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find(R"("event":"sale_closed","activity":"drop")"), std::string::npos) << lines_[0];
}

// All is sold, so that no unit moves: the state alone is stored.
TEST_P(ClosingTest, ASaleThatIsSoldOutClosesToo_E23) {
  sale("drop", 1, true);
  say(judge::reserve("one", "ann", {{"tee", 1}}, {.activity = "drop"}), "reserved");
  say(judge::confirm("pay", judge::order_of("one")), "confirmed");
  world_->clock().advance(10s);
  EXPECT_EQ(step(), 1U);
  EXPECT_EQ(state_of("drop"), "closed");
  EXPECT_EQ(free_units(), 9);
}

TEST_P(ClosingTest, NoDraftIsClosedAndNoneIsOpenedLate_E23) {
  sale("drop", 5, false);
  world_->clock().advance(1h);
  EXPECT_EQ(step(), 0U);
  EXPECT_EQ(state_of("drop"), "draft");
  say(judge::open_activity("late", "drop"), "over");
}

TEST_P(ClosingTest, ManyEndAtOnce_E23) {
  for (int i = 0; i < 7; ++i) sale("drop" + std::to_string(i), 1, true);
  world_->clock().advance(10s);
  EXPECT_EQ(step(), 7U);
  EXPECT_EQ(free_units(), 10);
}

// Whoever asks without a key, before the end.
TEST_P(ClosingTest, TheJudgesTimeDecides_E23) {
  sale("drop", 5, true);
  rules::Command early = judge::close_activity("none", "drop");
  early.caller = rules::Caller("gavel");
  early.key.reset();
  EXPECT_EQ(court_.say(early), "illegal_transition state=open");
  world_->clock().advance(10s);
  EXPECT_EQ(court_.say(early), "closed");
  EXPECT_EQ(court_.say(early), "illegal_transition state=closed");
}

INSTANTIATE_TEST_SUITE_P(Stores, ClosingTest, testing::Values(judge::memory_form(), judge::sqlite_form()),
                         judge::name_of_form);

}  // namespace
}  // namespace gavel::jobs
