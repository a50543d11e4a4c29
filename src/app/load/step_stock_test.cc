#include "app/load/step_stock.h"

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(StepStock, EveryUnitThatIsGoneWasAcknowledgedOrMayHaveBeen) {
  EXPECT_EQ(wrong_in({.orders = 30}, 30), "");
  EXPECT_EQ(wrong_in({.orders = 30}, 29), "30 orders were acknowledged and 29 units are gone");
  EXPECT_EQ(wrong_in({.orders = 30}, 31), "30 orders were acknowledged and 31 units are gone");
  EXPECT_EQ(wrong_in({.orders = 30, .doubtful = 2}, 32), "");
  EXPECT_EQ(wrong_in({.orders = 30, .doubtful = 2}, 29),
            "30 orders were acknowledged and 29 units are gone, with 2 requests in doubt");
  EXPECT_EQ(wrong_in({.orders = 30, .doubtful = 2}, 33),
            "30 orders were acknowledged and 33 units are gone, with 2 requests in doubt");
  EXPECT_EQ(wrong_in({.orders = 30, .units = StepCount::Units::come_back}, 12), "");
}

}  // namespace
}  // namespace gavel::app
