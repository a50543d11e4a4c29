#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel {
namespace {

// table: a text, and how many characters it has; -1: it is not UTF-8.
TEST(Utf8Test, CharactersAreThoseOfRfc3629_G004) {
  const std::pair<std::string, int> rows[] = {
      {"", 0},
      {"a", 1},
      {"aé汉😀", 4},
      {std::string("a\0b", 3), 3},
      {"e\xcc\x81", 2},          // An accent that stands upon a letter counts for itself.
      {"\xed\x9f\xbf", 1},       // Before the surrogates.
      {"\xee\x80\x80", 1},       // After them.
      {"\xef\xbb\xbf", 1},       // A byte order mark.
      {"\xef\xbf\xbf", 1},       // U+FFFF.
      {"\xf4\x8f\xbf\xbf", 1},   // U+10FFFF.
      {"\xf4\x90\x80\x80", -1},  // Beyond it.
      {"\xed\xa0\x80", -1},      // A surrogate.
      {"\xed\xb0\x80", -1},
      {"\xc0\xaf", -1},  // Overlong.
      {"\xc1\xbf", -1},
      {"\xe0\x80\xaf", -1},
      {"\xf0\x80\x80\xaf", -1},
      {"\x80", -1},  // No beginning.
      {"\xff", -1},
      {"\xe6\xb1", -1},  // Cut short.
      {"汉\xe6", -1},
      {"\xc3\xc3\xa9", -1},
  };
  for (const auto& [text, expected] : rows) {
    const auto count = count_characters(text);
    EXPECT_EQ(count ? static_cast<int>(*count) : -1, expected) << testing::PrintToString(text);
    EXPECT_TRUE(count || !is_printable_utf8(text)) << testing::PrintToString(text);
  }
}

TEST(Utf8Test, ControlCharactersAreThoseOfC0AndC1AndDel) {
  for (std::uint32_t code = 0; code < 0x300; ++code) {
    const bool is_control = code < 0x20 || (code > 0x7e && code < 0xa0);
    EXPECT_EQ(is_control_character(code), is_control) << code;
    std::string text = "a";
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
    EXPECT_EQ(first_character(text.substr(1)).code, code);
    EXPECT_EQ(is_printable_utf8(text + "b"), !is_control) << code;
  }
}

}  // namespace
}  // namespace gavel
