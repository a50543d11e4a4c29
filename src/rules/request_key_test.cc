#include "rules/request_key.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::rules {
namespace {

const std::string seven = "019383a1-7c00-7abc-8def-0123456789ab";

TEST(RequestKeyTest, HoldsWhatIsACodeAndNothingElse) {
  const std::string longest(code_chars_max, 'k');
  for (const std::string& text : {std::string("k"), std::string("_A-9.:"), longest, seven}) {
    const auto key = RequestKey::parse(text);
    ASSERT_TRUE(key.has_value()) << text;
    EXPECT_EQ(key->text(), text);
    EXPECT_EQ(RequestKey(text), *key);
  }
  for (const std::string& text : {std::string(), longest + "k", std::string("a b"), std::string("\0", 1)}) {
    EXPECT_FALSE(RequestKey::parse(text).has_value()) << text;
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
  const std::string texts[] = {"A", "a", "aa", "ab", "b", seven, "z" + seven};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      EXPECT_EQ(RequestKey(a) <=> RequestKey(b), a <=> b) << a << " and " << b;
      EXPECT_EQ(RequestKey(a) == RequestKey(b), a == b) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace gavel::rules
