#include "app/database.h"

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

// In one line, in place of a CHECK at the first id that is made.
TEST(DatabaseTest, AClockBefore1970OrAfter2261IsRefused_E25) {
  Options options;
  options.judge.kind = JudgeUrl::Kind::memory;
  options.lanes = 1;
  for (const Time wall : {earliest_wall_time - Duration(1), earliest_wall_time, latest_wall_time}) {
    const VirtualClock clock(wall);
    const auto opened = open_database(options, clock);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::invalid);
    EXPECT_EQ(opened.error().message, "the machine's clock shows " + gavel::to_text(wall) +
                                          ", which is not a time from 1970 to 2261; set the clock");
  }
  const VirtualClock clock(earliest_wall_time + Duration(1));
  EXPECT_TRUE(open_database(options, clock));
}

}  // namespace
}  // namespace gavel::app
