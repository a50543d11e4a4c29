#include "base/check.h"

#include <gtest/gtest.h>

namespace gavel {
namespace {

TEST(CheckTest, GoesOnWhenTheConditionHoldsAndEvaluatesItOnce) {
  int evaluated = 0;
  CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, AbortsWithConditionFileAndLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int units = -1;
  EXPECT_EXIT(CHECK(units >= 0), testing::KilledBySignal(SIGABRT),
              "^gavel: CHECK failed: units >= 0 at .*check_test\\.cc:[0-9]+\n$");
}

}  // namespace
}  // namespace gavel
