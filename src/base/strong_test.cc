#include "base/strong.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace gavel {
namespace {

using Sku = Code<struct SkuTag>;
using User = Code<struct UserTag>;
using OrderNumber = Number<struct OrderTag>;
using LaneNumber = Number<struct LaneTag>;

static_assert(!std::is_convertible_v<Sku, User> && !std::is_constructible_v<User, Sku>);
static_assert(!std::is_convertible_v<OrderNumber, LaneNumber> &&
              !std::is_convertible_v<std::int64_t, OrderNumber>);
static_assert(!std::is_convertible_v<const char*, Sku>, "a literal is named as what it is meant to be");
static_assert(!std::is_default_constructible_v<Sku>, "there is no empty code");

using Account = Code<struct AccountTag, is_narrow_code>;

TEST(StrongTest, WhatIsACode_E27) {
  const std::string edge = std::string(125, 'x') + "汉";  // 128 bytes.
  const std::pair<std::string, bool> rows[] = {
      {"a", true},
      {"SKU-1:eu_west.2", true},
      {"a b", true},
      {" ", true},
      {"24\" / 61 cm & 'co' + #1 (100%)", true},
      {"Tür", true},
      {"手机壳", true},
      {"😀", true},
      {"auth0|5f7c", true},
      {"ann+shop@example.org", true},
      {";=*,/%", true},
      {"\xef\xbb\xbf", true},  // No control character.
      {"\u2028", true},
      {std::string(128, 'x'), true},
      {std::string(129, 'x'), false},
      {edge, true},
      {"x" + edge, false},
      {edge.substr(0, 127), false},  // The last character is cut.
      {"", false},
      {"a\n", false},
      {"\ta", false},
      {std::string("a\0", 2), false},
      {"a\x1f", false},
      {"a\x7f", false},
      {"a\xc2\x80", false},
      {"a\xc2\x9f", false},
      {"a\xc2\xa0", true},
      {"\xc3\xa9", true},
      {"\xc3", false},
      {"\xff", false},
      {"\xed\xa0\x80", false},
      {"\xc0\xaf", false},
  };
  for (const auto& [text, expected] : rows) {
    EXPECT_EQ(is_code(text), expected) << testing::PrintToString(text);
    const auto sku = Sku::parse(text);
    ASSERT_EQ(sku.has_value(), expected) << testing::PrintToString(text);
    EXPECT_EQ(sku ? sku->text() : text, text);
  }
}

TEST(StrongTest, WhatIsANarrowCode) {
  const std::pair<std::string, bool> rows[] = {
      {"azAZ09_.:-", true},
      {std::string(64, 'x'), true},
      {std::string(65, 'x'), false},
      {"", false},
      {"a b", false},
      {"a\n", false},
      {std::string("a\0", 2), false},
      {"a/b", false},
      {"a;b", false},
      {"a@b", false},
      {"a[", false},
      {"a`", false},
      {"a{", false},
      {"a,b", false},
      {"\xc3\xa9", false},
      {"\xff", false},
  };
  for (const auto& [text, expected] : rows) {
    EXPECT_EQ(is_narrow_code(text), expected) << testing::PrintToString(text);
    EXPECT_EQ(Account::parse(text).has_value(), expected) << testing::PrintToString(text);
  }
}

TEST(StrongTest, CodesAndNumbersCompareByWhatTheyHold) {
  EXPECT_EQ(Sku("a"), Sku("a"));
  EXPECT_LT(Sku("a"), Sku("b"));
  EXPECT_LT(Sku("a"), Sku("aa"));
  EXPECT_LT(Sku("B"), Sku("a"));
  EXPECT_LT(Sku("z"), Sku("é")) << "by their bytes";
  EXPECT_NE(Sku("\xc3\xa9"), Sku("e\xcc\x81")) << "é in two spellings: nobody normalises";
  EXPECT_EQ(OrderNumber{7}, OrderNumber{7});
  EXPECT_LT(OrderNumber{-1}, OrderNumber{});
}

TEST(StrongDeathTest, TextThatWasNotCheckedIsABug) {
  EXPECT_DEATH(Sku("not\na code"), "CHECK failed: is_valid");
  EXPECT_DEATH(Account("no account"), "CHECK failed: is_valid");
}

}  // namespace
}  // namespace gavel
