#include "app/cli/progress.h"

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(Progress, Bar) {
  EXPECT_EQ(bar_of(0, 100, 4), "░░░░");
  EXPECT_EQ(bar_of(49, 100, 4), "█░░░");
  EXPECT_EQ(bar_of(99, 100, 4), "███░");
  EXPECT_EQ(bar_of(100, 100, 4), "████");
  EXPECT_EQ(bar_of(200, 100, 4), "████");
  EXPECT_EQ(bar_of(0, 0, 4), "████");
}

}  // namespace
}  // namespace gavel::app
