#include "app/cli/terminal_text.h"

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(TerminalText, WhatATerminalWouldExecuteOrReorderIsEscaped_E27) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", ""},
      {"24\" / 61 cm", "24\" / 61 cm"},
      {"Größe 汉 😀", "Größe 汉 😀"},
      {"a\\b", "a\\\\b"},
      {"a\nb\x1b[2J\x7f", "a\\u000ab\\u001b[2J\\u007f"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"},
      {"\u202egpj.exe", "\\u202egpj.exe"},
      {"a\u200bb\u2028c\ufeff", "a\\u200bb\\u2028c\\ufeff"},
      {"\xff\xed\xa0\x80", "����"},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(terminal_text(text), expected);
}

TEST(TerminalText, ColumnsAreThoseOfATerminal_E27) {
  const std::pair<std::string_view, std::size_t> rows[] = {
      {"", 0}, {"tee", 3}, {"Größe", 5}, {"汉字", 4}, {"😀", 2}, {"e\xcc\x81", 1}, {"ﾊﾝ", 2}, {"한국", 4},
  };
  for (const auto& [text, columns] : rows) EXPECT_EQ(columns_of(text), columns) << text;
}

TEST(TerminalText, AWordOfTheShellIsQuotedWhereItHasToBe_E27) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"01a22942-705d-7d85-a8a4-b1e6f29d2bd5", "01a22942-705d-7d85-a8a4-b1e6f29d2bd5"},
      {"ann+shop@example.org", "ann+shop@example.org"},
      {"", "''"},
      {"a b", "'a b'"},
      {"$(reboot);&|", "'$(reboot);&|'"},
      {"it's", "'it'\\''s'"},
      {"a\\b", "'a\\b'"},
      {"汉", "'汉'"},
      {"a\u202e'\\b", "$'a\\u202e\\'\\\\b'"},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(shell_word(text), expected);
}

}  // namespace
}  // namespace gavel::app
