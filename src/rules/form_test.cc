// What a command may look like, before anybody asks what it is about.
#include <limits>

#include <gtest/gtest.h>

#include "rules/decide.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::seconds;

Act with_lines(std::size_t count) {
  std::vector<Line> lines(count, Line{SkuCode("tee"), Quantity{1}});
  Want result = want("ann", "");
  result.act.lines = Lines(std::move(lines));
  return result;
}

Act sale_of_lines(int count) {
  Sale result = sale("sale", "");
  for (int i = 0; i < count; ++i) {
    result.act.lines.push_back(ActivityLine{SkuCode("s" + std::to_string(i)), Quantity{1}, std::nullopt});
  }
  return result;
}

// table: what a command may not look like, beside the nearest that may.
TEST(FormTest, TheFormOfACommandIsBoundedOnBothSides_C10_B125) {
  const std::string line = "quantity: must be 1 to 1000000";
  const std::string together = "quantity: the lines of one SKU must be at most 1000000 together";
  const std::string difference = "difference: must be -1000000 to 1000000 and not 0";
  const std::string hold = "hold_seconds: must be 1 to 86400";
  const std::string extension = "seconds: must be 1 to 86400";
  const std::string buckets = "buckets: must be 1 to 64";
  const std::string allotment = "allotment: must be 1 to 1000000000000";
  const std::string limit = "limit_per_user: must be 1 to 1000000";
  const std::string window = "closes_at: must be later than opens_at";
  const std::pair<Act, std::string> forms[] = {
      {want("ann", ""), "lines: must not be empty"},
      {with_lines(100), ""},
      {with_lines(101), "lines: at most 100"},
      {want("ann", "tee*0"), line},
      {want("ann", "tee*-1"), line},
      {want("ann", "tee*1000000"), ""},
      {want("ann", "tee*1000001"), line},
      {want("ann", "tee*2147483648"), line},
      {want("ann", "tee*9223372036854775807 tee*9223372036854775807"), line},
      {want("ann", "tee*999999 cap*1000000 tee*1"), ""},
      {want("ann", "tee*999999 tee*2"), together},
      {want("ann", "tee*1").held_for(seconds(0)), hold},
      {want("ann", "tee*1").held_for(seconds(1)), ""},
      {want("ann", "tee*1").held_for(seconds(86'400)), ""},
      {want("ann", "tee*1").held_for(seconds(86'401)), hold},
      {put("tee", 0), buckets},
      {put("tee", 1), ""},
      {put("tee", 64), ""},
      {put("tee", 65), buckets},
      {receipt("tee", 0), line},
      {receipt("tee", 1'000'000), ""},
      {receipt("tee", 1'000'001), line},
      {adjust_of("tee", 0), difference},
      {adjust_of("tee", 1), ""},
      {adjust_of("tee", -1), ""},
      {adjust_of("tee", 1'000'000), ""},
      {adjust_of("tee", -1'000'000), ""},
      {adjust_of("tee", 1'000'001), difference},
      {adjust_of("tee", -1'000'001), difference},
      {adjust_of("tee", std::numeric_limits<std::int64_t>::max()), difference},
      {adjust_of("tee", -std::numeric_limits<std::int64_t>::max()), difference},
      {count_of("tee", 0, 0), ""},
      {count_of("tee", -1, 0), "counted: must be 0 to 1000000000000"},
      {count_of("tee", 1'000'000'000'000, 0), ""},
      {count_of("tee", 1'000'000'000'001, 0), "counted: must be 0 to 1000000000000"},
      {count_of("tee", 1, -1), "version: must not be negative"},
      {sale("sale", ""), "lines: must not be empty"},
      {sale_of_lines(100), ""},
      {sale_of_lines(101), "lines: at most 100"},
      {sale("sale", "tee*1 cap*1 tee*2"), "lines: SKU tee is given twice"},
      {sale("sale", "tee*0"), allotment},
      {sale("sale", "tee*1000000000000"), ""},
      {sale("sale", "tee*1000000000001"), allotment},
      {sale("sale", "tee*1").buckets(0), buckets},
      {sale("sale", "tee*1").buckets(64), ""},
      {sale("sale", "tee*1").buckets(65), buckets},
      {sale("sale", "tee*1").limit(0), limit},
      {sale("sale", "tee*1").limit(1'000'000), ""},
      {sale("sale", "tee*1").limit(1'000'001), limit},
      {sale("sale", "tee*1").from(noon).until(noon), window},
      {sale("sale", "tee*1").from(noon).until(noon + tick), ""},
      {sale("sale", "tee*1").from(noon + tick).until(noon), window},
      {sale("sale", "tee*1").holding(seconds(0)), hold},
      {sale("sale", "tee*1").holding(seconds(86'400)), ""},
      {sale("sale", "tee*1").holding(seconds(86'401)), hold},
      {confirm_of(1), ""},
      {confirm_of(1, "tee*1000000"), ""},
      {confirm_of(1, "tee*0"), line},
      {confirm_of(1, "tee*1000000 tee*1"), together},
      {cancel_of(1), ""},
      {extend_of(1), ""},
      {extend_of(1, seconds(0)), extension},
      {extend_of(1, seconds(1)), ""},
      {extend_of(1, seconds(86'400)), ""},
      {extend_of(1, seconds(86'401)), extension},
      {change_of(1, ""), "lines: must not be empty"},
      {change_of(1, "tee*1000000"), ""},
      {change_of(1, "tee*0"), line},
      {change_of(1, "tee*1000000 tee*1"), together},
      {forget_of("shop", "k"), ""},
      {refund_of(1), ""},
      {refund_of(1, "tee*999999 tee*1"), ""},
      {write_off_of(1, "tee*-1"), line},
      {refund_of(1, "tee*1000000 tee*1"), together},
      {Refund{order_id(1), Lines(std::vector<Line>(101, Line{SkuCode("tee"), Quantity{1}})), Restock::yes},
       "lines: at most 100"},
      {expire_of(1), ""},
      {opening("sale"), ""},
      {closing("sale"), ""},
  };
  World world;
  for (const auto& [act, wrong] : forms) {
    const Command command = world.command("shop", "k", act);
    EXPECT_EQ(malformation(command).value_or(""), wrong) << word(act);
    if (!wrong.empty()) {
      EXPECT_EQ(world.ask_with("k", act), "malformed explanation='" + wrong + "'");
    }
  }
  EXPECT_TRUE(world.state.requests.empty());
}

}  // namespace
}  // namespace gavel::rules
