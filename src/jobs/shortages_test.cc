// The figures of what is short (E7), on every form of a store.
#include "jobs/shortages.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::jobs {
namespace {

class ShortagesTest : public ::testing::TestWithParam<judge::StoreForm> {
 protected:
  void SetUp() override {
    world_ = GetParam().make();
    store_ = world_->open_store();
    reader_ = world_->open_reader();
    court_ = std::make_unique<judge::JudgeDriver>(*store_);
  }

  void say(const rules::Command& command, const std::string& begins) {
    const std::string verdict = court_->say(command);
    EXPECT_TRUE(verdict.starts_with(begins)) << verdict;
  }

  std::unique_ptr<judge::StoreWorld> world_;
  std::unique_ptr<judge::Store> store_;
  std::unique_ptr<judge::Reader> reader_;
  std::unique_ptr<judge::JudgeDriver> court_;
};

TEST_P(ShortagesTest, TheySumUpOverAllItemsUntilTheyArePaid_E7) {
  MetricsRegistry metrics;
  Shortages shortages(*reader_);
  watch(metrics, shortages);
  ASSERT_TRUE(shortages.step());
  EXPECT_EQ(shortages.units(), 0);
  constexpr int skus = 103;  // More than a page.
  for (int i = 0; i < skus; ++i) {
    const std::string name = "sku" + std::to_string(i);
    say(judge::put_sku("put" + name, name), "created");
    say(judge::receive("in" + name, name, 2), "received");
    say(judge::reserve("order" + name, "ann", {{name, 2}}), "reserved");
    say(judge::adjust("lost" + name, name, -2), "adjusted");
  }
  EXPECT_EQ(shortages.units(), 0) << "until it looks again";
  ASSERT_TRUE(shortages.step());
  EXPECT_EQ(shortages.units(), 2 * skus);
  EXPECT_EQ(shortages.items(), skus);
  say(judge::receive("more", "sku7", 1), "received");
  say(judge::receive("enough", "sku8", 5), "received");
  ASSERT_TRUE(shortages.step());
  EXPECT_EQ(shortages.units(), 2 * skus - 3);
  EXPECT_EQ(shortages.items(), skus - 1);
  const std::string text = metrics.text();
  EXPECT_NE(text.find("gavel_jobs_shortage_units 203\n"), std::string::npos) << text;
  EXPECT_NE(text.find("gavel_jobs_shortage_items 102\n"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Stores, ShortagesTest, testing::Values(judge::memory_form(), judge::sqlite_form()),
                         judge::name_of_form);

}  // namespace
}  // namespace gavel::jobs
