// No transaction writes more rows than it may, whatever the commands of a batch ask for (A20, G003).
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/loading.h"
#include "judge/rows_bound.h"
#include "judge/testing/comparison.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/random_script.h"

namespace gavel::judge {
namespace {

class BatchBound : public testing::Test {
 protected:
  // Has `count` SKUs "s1", "s2", …, each with `units` units in each of `buckets` buckets.
  void stock(int count, std::int32_t buckets, std::int64_t units) {
    for (int i = 1; i <= count; ++i) {
      const std::string sku = "s" + std::to_string(i);
      say(put_sku("put-" + sku, sku, buckets));
      say(receive("in-" + sku, sku, units * buckets));
      skus_.push_back(sku);
    }
  }

  // All of them, `units` each.
  rules::Command order(const std::string& key, std::int64_t units,
                       std::optional<std::chrono::seconds> hold = {}) {
    Lines lines;
    for (const std::string& sku : skus_) lines.emplace_back(sku, units);
    return reserve(key, "ann", lines, {.hold = hold});
  }

  std::string say(const rules::Command& command) { return driver_.say(command); }

  // How many commands each transaction decided, "3+2+1", and the rows that each has written at most.
  std::string batches_of(const std::vector<rules::Command>& commands, std::size_t rows_max) {
    std::string text;
    rows_ = 0;
    std::size_t in_batch = 0;
    const auto log = Log::silent();
    Judge judge(
        *store_, *log, Random(1), [](Duration) {}, {}, {.batch_rows_max = rows_max}, {},
        [&](const rules::State& state) { rows_ = std::max(rows_, rows_written(state, 0)); });
    outcomes_.clear();
    for (std::size_t at = 0; at < commands.size(); at += in_batch) {
      const auto verdicts = judge.apply(std::span(commands).subspan(at));
      EXPECT_TRUE(verdicts) << verdicts.error().message;
      if (!verdicts) break;
      in_batch = verdicts->size();
      text += (text.empty() ? "" : "+") + std::to_string(in_batch);
      for (const rules::Verdict& verdict : *verdicts) ++outcomes_[std::string(rules::word(verdict.outcome))];
    }
    return text;
  }

  void expect_clean() {
    const auto reader = world_.open_reader();
    EXPECT_EQ(findings_of(*reader), "");
  }

  MemoryWorld world_;
  std::unique_ptr<Store> store_ = world_.open_store();
  JudgeDriver driver_{*store_};
  std::vector<std::string> skus_;
  std::map<std::string, int> outcomes_;
  std::size_t rows_ = 0;
};

// Each order takes all units of an item with 8 buckets: 8 entries, and 8 rows of buckets.
TEST_F(BatchBound, ActsOnOrdersThatTookFromManyBuckets_A20_G003) {
  stock(7, 8, 1);
  std::vector<rules::Command> orders;
  std::vector<rules::Command> cancels;
  for (const std::string& sku : skus_) {
    orders.push_back(reserve("k" + sku, "ann", {{sku, 8}}));
    cancels.push_back(cancel("c" + sku, order_of("k" + sku)));
  }
  EXPECT_EQ(batches_of(orders, 16'384), "7");
  EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"reserved", 7}}));
  EXPECT_EQ(batches_of(cancels, 130), "2+2+2+1") << "its order is read, and says what it took";
  EXPECT_EQ(rows_, 2 * 8 * rows_of_entry);
  EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"cancelled", 7}}));
  expect_clean();
}

TEST_F(BatchBound, NoMoreOrdersAreLoadedThanOneBatchMayChange_A20_G003) {
  stock(140, 3, 1);
  std::vector<rules::Command> orders;
  std::vector<rules::Command> cancels;
  for (const std::string& sku : skus_) {
    orders.push_back(reserve("k" + sku, "ann", {{sku, 3}}));
    cancels.push_back(cancel("c" + sku, order_of("k" + sku)));
  }
  ASSERT_TRUE(driver_.apply(orders));
  const auto loaded = load_batch(*store_, cancels, {8192, 600});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->commands, 128U) << "they took 384 parts, and half of 600 are enough";
  EXPECT_EQ(loaded->state.orders.size(), 128U);
  store_->rollback();
  batches_of(cancels, 600);
  EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"cancelled", 140}}));
  expect_clean();
}

TEST_F(BatchBound, LargeOrdersAmongSmallOnes_A20_G003) {
  stock(3, 64, 100);
  std::vector<rules::Command> commands;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "k" + std::to_string(i);
    commands.push_back(i % 10 == 9 ? order(key, 640) : reserve(key, "bob", {{"s1", 1}}));
  }
  const std::size_t rows_max = rows_of_command + 3 * (1 + rows_of_entry * 64) + 100;
  EXPECT_NE(batches_of(commands, rows_max), "40");
  EXPECT_LE(rows_, rows_max);
  EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"reserved", 40}}));
  expect_clean();
}

// A command by itself may need more than a transaction should write: it goes alone.
TEST_F(BatchBound, WhatIsLargerThanTheBoundGoesAlone_A20) {
  stock(2, 4, 10);
  const std::vector commands{reserve("a", "ann", {{"s1", 1}}), order("b", 4),
                             reserve("c", "ann", {{"s1", 1}})};
  EXPECT_EQ(batches_of(commands, 1), "1+1+1");
  EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"reserved", 3}}));
  expect_clean();
}

TEST_F(BatchBound, LinesAreCountedBeforeAnythingIsLoaded_A20) {
  std::vector<rules::Command> commands;
  for (int i = 0; i < 900; ++i)
    commands.push_back(reserve("k" + std::to_string(i), "ann", {{"none1", 1}, {"none2", 1}, {"none3", 1}}));
  EXPECT_EQ(batches_of(commands, 6'000), "500+400") << "a quarter of it are lines";
  EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"unknown_sku", 900}}));
}

// What is due belongs to whoever asks (C9), in as many transactions as it takes; nobody is told that it is
// sold out, nor to come again.
TEST_F(BatchBound, DueHoldsAreReleasedWithinTheBound_C9_A20) {
  stock(5, 8, 1);
  std::vector<rules::Command> holds;
  std::vector<rules::Command> orders;
  for (const std::string& sku : skus_) {
    holds.push_back(reserve("h" + sku, "ann", {{sku, 8}}, {.hold = std::chrono::seconds(1)}));
    orders.push_back(reserve("k" + sku, "bob", {{sku, 8}}));
  }
  for (const std::size_t rows_max : {150U, 40U}) {
    ASSERT_TRUE(driver_.apply(holds));
    world_.clock().advance(Duration(1'500));
    EXPECT_EQ(batches_of(orders, rows_max), rows_max == 150 ? "2+2+1" : "1+1+1+1+1");
    EXPECT_EQ(outcomes_, (std::map<std::string, int>{{"reserved", 5}}));
    for (std::size_t i = 0; i < skus_.size(); ++i) {
      say(cancel("c" + std::to_string(rows_max) + skus_[i], orders[i].new_order_id));
      holds[i].key = rules::RequestKey("again" + skus_[i]);
      holds[i].new_order_id = order_of("again" + skus_[i]);
      orders[i].key = rules::RequestKey("more" + skus_[i]);
      orders[i].new_order_id = order_of("more" + skus_[i]);
    }
  }
  expect_clean();
}

// The bound is one, for every command that a script can draw.
TEST(RowsBound, IsNeverBelowWhatIsWritten_A20) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MemoryWorld world;
    const auto store = world.open_store();
    JudgeDriver driver(*store);
    for (const Step& step : random_script(seed, 200, world.clock().now())) {
      world.clock().advance(step.wait);
      auto loaded = load_batch(*store, std::span(&step.command, 1), {8192, 16'384});
      ASSERT_TRUE(loaded) << loaded.error().message;
      ASSERT_EQ(loaded->commands, 1U);
      const std::size_t at_most = RowsBound(loaded->state).of(step.command);
      rules::decide(loaded->state, step.command, loaded->now, {});
      EXPECT_LE(rows_written(loaded->state, 1), at_most) << text_of(step.command);
      store->rollback();
      ASSERT_TRUE(driver.apply({step.command}));
    }
  }
}

}  // namespace
}  // namespace gavel::judge
