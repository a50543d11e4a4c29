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

TEST(StrongTest, WhatIsACode) {
  const std::pair<std::string, bool> rows[] = {
      {"a", true},
      {"SKU-1:eu_west.2", true},
      {"azAZ09_.:-", true},
      {std::string(64, 'x'), true},
      {std::string(65, 'x'), false},
      {"", false},
      {" a", false},
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
    EXPECT_EQ(is_code(text), expected) << testing::PrintToString(text);
    const auto sku = Sku::parse(text);
    ASSERT_EQ(sku.has_value(), expected) << testing::PrintToString(text);
    EXPECT_EQ(sku ? sku->text() : text, text);
  }
}

TEST(StrongTest, CodesAndNumbersCompareByWhatTheyHold) {
  EXPECT_EQ(Sku("a"), Sku("a"));
  EXPECT_LT(Sku("a"), Sku("b"));
  EXPECT_LT(Sku("a"), Sku("aa"));
  EXPECT_LT(Sku("B"), Sku("a"));
  EXPECT_EQ(OrderNumber{7}, OrderNumber{7});
  EXPECT_LT(OrderNumber{-1}, OrderNumber{});
}

TEST(StrongDeathTest, TextThatWasNotCheckedIsABug) {
  EXPECT_DEATH(Sku("not a code"), "CHECK failed: is_code");
}

}  // namespace
}  // namespace gavel
