// Lines: what was sent comes to one line for each SKU, or to one fault.
#include "rules/lines.h"

#include <string>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

std::string text_of(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += (text.empty() ? "" : " ") + line.sku.text() + "*" + std::to_string(line.quantity.units);
  }
  return text + (lines.fault() ? "! " + std::string(*lines.fault()) : "");
}

// table: as sent, and as they are afterwards.
TEST(LinesTest, AreMergedInOrderOfTheirCodesAndBounded_C10) {
  const std::string bounds = "! quantity: must be 1 to 1000000";
  const std::string together = "! quantity: the lines of one SKU must be at most 1000000 together";
  const std::pair<std::string, std::string> rows[] = {
      {"", ""},
      {"tee*3", "tee*3"},
      {"tee*3 tee*3", "tee*6"},
      {"tee*3 cap*1 tee*3", "cap*1 tee*6"},
      {"tee*1 mug*2 cap*3 mug*4 cap*5 ace*6", "ace*6 cap*8 mug*6 tee*1"},
      {"b*1 a*1 b*1 a*1 b*1", "a*2 b*3"},
      {"a*1000000 b*1000000", "a*1000000 b*1000000"},
      {"a*999999 b*1 a*1", "a*1000000 b*1"},
      {"a*1000000 b*1 a*1", together},
      {"a*0", bounds},
      {"b*1 a*-1", bounds},
      {"a*1000001", bounds},
      {"a*9223372036854775807 a*9223372036854775807", bounds},
  };
  for (const auto& [sent, expected] : rows) EXPECT_EQ(text_of(lines_of(sent)), expected) << sent;
}

TEST(LinesTest, AHundredMayBeSentWhateverTheyComeTo_C10) {
  const std::vector<Line> most(order_lines_max, Line{SkuCode("tee"), Quantity{1}});
  std::vector<Line> more = most;
  more.push_back(Line{SkuCode("cap"), Quantity{1}});
  EXPECT_EQ(text_of(Lines(most)), "tee*100");
  EXPECT_EQ(text_of(Lines(more)), "! lines: at most 100");
}

TEST(LinesTest, EqualRequestsHaveEqualLines) {
  EXPECT_EQ(lines_of("tee*1 cap*2 tee*3"), lines_of("cap*2 tee*4"));
  EXPECT_NE(lines_of("tee*1"), lines_of("tee*2"));
  EXPECT_NE(lines_of("tee*0"), lines_of(""));  // A fault is not the same as no lines.
}

}  // namespace
}  // namespace gavel::rules
