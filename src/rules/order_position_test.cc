#include "rules/order_position.h"

#include <gtest/gtest.h>

namespace gavel::rules {
namespace {

OrderPosition position(std::int64_t at, std::int64_t lane, std::int64_t n, std::int64_t i) {
  return {Time(Duration(at)), LaneId{lane}, n, i};
}

TEST(OrderPositionTest, GoesByTimeThenLaneThenBatchThenRow_G012) {
  const OrderPosition rows[] = {position(1, 9, 9, 9), position(2, 1, 9, 9), position(2, 2, 1, 9),
                                position(2, 2, 2, 0), position(2, 2, 2, 1), position(10, 1, 1, 0)};
  for (std::size_t i = 1; i < std::size(rows); ++i) EXPECT_LT(rows[i - 1], rows[i]) << i;
}

TEST(OrderPositionTest, TextIsReadBackEqual) {
  EXPECT_EQ(to_text(position(1764578191123, 4, 17, 0)), "1764578191123.4.17.0");
  for (const OrderPosition& one :
       {position(1764578191123, 4, 17, 0), position(-1, 1, 1, 99), position(0, 0, 0, 0)}) {
    EXPECT_EQ(parse_order_position(to_text(one)), one);
  }
  for (const char* wrong :
       {"", "1", "1.2.3", "1.2.3.", ".1.2.3", "1.2.3.4.5", "1.2.3.x", "1 .2.3.4", "1.2.3.4 ", "1..3.4",
        "9223372036854775808.1.1.1", "019383a1-7c00-7abc-8def-0123456789ab"}) {
    EXPECT_FALSE(parse_order_position(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace gavel::rules
