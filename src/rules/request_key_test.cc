#include "rules/request_key.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::rules {
namespace {

const std::string seven = "019383a1-7c00-7abc-8def-0123456789ab";

TEST(RequestKeyTest, HoldsVisibleAsciiAndNothingElse_E27) {
  std::string visible;
  for (char c = '!'; c <= '~'; ++c) visible += c == '"' || c == '\\' ? '-' : c;
  for (const std::string& text : {std::string("k"), std::string("_A-9.:"), visible, std::string(64, 'k'),
                                  std::string(65, 'k'), std::string(255, 'k'), seven}) {
    const auto key = RequestKey::parse(text);
    ASSERT_TRUE(key.has_value()) << text;
    EXPECT_EQ(key->text(), text);
    EXPECT_EQ(RequestKey(text), *key);
  }
  for (const std::string& text :
       {std::string(), std::string(256, 'k'), std::string("a b"), std::string("\0", 1), std::string("a\"b"),
        std::string("a\\b"), std::string("a\x7f"), std::string("é"), std::string("a\n"),
        std::string("\xff")}) {
    EXPECT_FALSE(RequestKey::parse(text).has_value()) << text;
  }
}

// A copy and what it was made of hold the same text, however long, and also where it was meant as a move.
TEST(RequestKeyTest, IsCopiedWhole_E27) {
  for (const std::size_t chars : {std::size_t{1}, std::size_t{64}, std::size_t{65}, key_chars_max}) {
    const std::string text(chars, 'k');
    RequestKey key(text);
    const RequestKey copy = static_cast<RequestKey&&>(key);
    EXPECT_EQ(copy.text(), text);
    EXPECT_EQ(key.text(), text);
    key = RequestKey("other");
    EXPECT_EQ(copy.text(), text);
    EXPECT_EQ(key.text(), "other");
  }
}

// table: the UUID of a key, as its text in lower case.
TEST(RequestKeyTest, KnowsTheUuidOfVersion7InItsText) {
  const std::pair<std::string, std::string> rows[] = {
      {seven, seven},
      {"019383A1-7C00-7ABC-8DEF-0123456789AB", seven},
      {"019383a1-7c00-4abc-8def-0123456789ab", "-"},  // Version 4.
      {"019383a1-7c00-7abc-cdef-0123456789ab", "-"},  // Another variant.
      {"019383a17c007abc8def0123456789ab", "-"},
      {"019383a1-7c00-7abc-8def-0123456789abc", "-"},
      {"order-1", "-"},
  };
  for (const auto& [text, expected] : rows) {
    const RequestKey key(text);
    EXPECT_EQ(key.uuid7() ? to_text(*key.uuid7()) : "-", expected) << text;
    EXPECT_EQ(key.text(), text);  // Kept as it was sent.
  }
}

TEST(RequestKeyTest, OfAUuidIsItsTextInLowerCase) {
  EXPECT_EQ(RequestKey(*parse_uuid(seven)), RequestKey(seven));
  EXPECT_EQ(RequestKey(*parse_uuid(seven)).uuid7(), parse_uuid(seven));
  const std::string four = "019383a1-7c00-4abc-8def-0123456789ab";
  EXPECT_EQ(RequestKey(*parse_uuid(four)).text(), four);
  EXPECT_FALSE(RequestKey(*parse_uuid(four)).uuid7().has_value());
}

TEST(RequestKeyTest, IsOrderedByItsText) {
  const std::string texts[] = {"A",
                               "a",
                               "aa",
                               "ab",
                               "b",
                               seven,
                               "z" + seven,
                               std::string(64, 'k'),
                               std::string(65, 'k'),
                               std::string(200, 'k')};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      EXPECT_EQ(RequestKey(a) <=> RequestKey(b), a <=> b) << a << " and " << b;
      EXPECT_EQ(RequestKey(a) == RequestKey(b), a == b) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace gavel::rules
