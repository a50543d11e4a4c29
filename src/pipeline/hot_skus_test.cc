// A bounded number of SKUs have series, the hottest, and what is told of each only grows.
#include "pipeline/hot_skus.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::pipeline {
namespace {

using rules::Outcome;
using rules::SkuCode;

class HotSkusTest : public ::testing::Test {
 protected:
  void order(const std::vector<std::string>& codes, Outcome outcome, int times = 1) {
    std::vector<rules::Line> lines;
    for (const std::string& code : codes) lines.push_back({SkuCode(code), rules::Quantity{1}});
    rules::Reserve reserve{.user = rules::UserId("u"),
                           .lines = rules::Lines(std::move(lines)),
                           .activity = std::nullopt,
                           .hold = std::nullopt,
                           .payment = rules::Payment::later};
    const rules::Command command{rules::Caller("shop"), std::nullopt, rules::OrderId{}, reserve};
    for (int i = 0; i < times; ++i) skus_.add(command, outcome);
  }

  // "cup reserved 1, tee sold_out 2"
  std::string told() const {
    std::string text;
    for (const Sample& sample : skus_.samples()) {
      text += (text.empty() ? "" : ", ") + sample.labels[0].second + " " + sample.labels[1].second + " " +
              std::to_string(static_cast<int>(sample.value));
    }
    return text;
  }

  VirtualClock clock_{*parse_time("2026-01-01T00:00:00Z")};
  HotSkus skus_{clock_};
};

TEST_F(HotSkusTest, AnOrderCountsForEachOfItsSkusOnce) {
  order({"tee", "cup", "tee"}, Outcome::reserved);
  order({"tee"}, Outcome::sold_out, 2);
  skus_.add({rules::Caller("shop"), std::nullopt, rules::OrderId{}, rules::Cancel{rules::OrderId{}}},
            Outcome::cancelled);
  EXPECT_EQ(told(), "cup reserved 1, tee reserved 1, tee sold_out 2");
}

TEST_F(HotSkusTest, TheRestIsSummed) {
  for (std::size_t i = 0; i < hot_skus_max + 5; ++i)
    order({"sku" + std::to_string(100 + i)}, Outcome::reserved);
  EXPECT_EQ(skus_.samples().size(), hot_skus_max + 1);
  EXPECT_NE(told().find("(others) reserved 5"), std::string::npos) << told();
}

// Two series of one name would be none.
TEST_F(HotSkusTest, ASkuThatIsCalledLikeTheRestIsSummedWithIt_E27) {
  order({"(others)"}, Outcome::reserved, 3);
  order({"tee"}, Outcome::reserved);
  EXPECT_EQ(told(), "tee reserved 1, (others) reserved 3");
}

TEST_F(HotSkusTest, AHotterOneTakesTheColdestsPlaceAndBeginsThere) {
  for (std::size_t i = 0; i < hot_skus_max; ++i)
    order({"sku" + std::to_string(100 + i)}, Outcome::reserved, 10);
  order({"sku100"}, Outcome::reserved, 90);
  order({"late"}, Outcome::reserved, 20);
  EXPECT_EQ(told().find("late"), std::string::npos) << "not twice as hot as the coldest";
  order({"late"}, Outcome::reserved, 3);
  EXPECT_NE(told().find("late reserved 3"), std::string::npos) << told();
  EXPECT_NE(told().find("(others) reserved 20"), std::string::npos) << "what was counted there stays there";
  EXPECT_NE(told().find("sku100 reserved 100"), std::string::npos);
  EXPECT_EQ(skus_.samples().size(), hot_skus_max + 1);
}

TEST_F(HotSkusTest, WhatCooledDownMakesRoom) {
  for (std::size_t i = 0; i < hot_skus_max; ++i)
    order({"sku" + std::to_string(100 + i)}, Outcome::reserved, 10);
  for (int i = 0; i < 5; ++i) {
    clock_.advance(heat_halves_every);
    order({"sku100"}, Outcome::reserved);
  }
  order({"late"}, Outcome::reserved);
  EXPECT_NE(told().find("late reserved 1"), std::string::npos) << told();
}

// However many SKUs there are, what is kept is bounded.
TEST_F(HotSkusTest, KeepsNoMoreThanItWatches) {
  for (std::size_t i = 0; i < 3 * watched_skus_max; ++i)
    order({"sku" + std::to_string(i)}, Outcome::reserved);
  EXPECT_EQ(skus_.samples().size(), hot_skus_max + 1);
  double sum = 0;
  for (const Sample& sample : skus_.samples()) sum += sample.value;
  EXPECT_EQ(sum, 3 * static_cast<double>(watched_skus_max)) << "nothing is lost between them";
}

}  // namespace
}  // namespace gavel::pipeline
