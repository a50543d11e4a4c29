#include "base/json_text.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel {
namespace {

std::string json_text(std::string_view text) {
  std::string line;
  append_json_text(line, text);
  return line;
}

TEST(JsonTextTest, EveryKindOfByte) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {R"(say "no" \ yes)", R"("say \"no\" \\ yes")"},
      {"a\nb\rc\td", R"("a\nb\rc\td")"},
      {{"\0\x01\x1b[31m\x1f\x7f", 9}, R"("\u0000\u0001\u001b[31m\u001f\u007f")"},
      {"\xc2\x9b"
       "31m",
       R"("\u009b31m")"},
      {"\xc2\xa0", "\"\xc2\xa0\""},
      {"a\u2028b\u2029c\u202a", "\"a\\u2028b\\u2029c\u202a\""},
      {"é 汉 😀", R"("é 汉 😀")"},
      {"\xed\x9f\xbf\xee\x80\x80", "\"\xed\x9f\xbf\xee\x80\x80\""},  // Around the surrogates.
      {"\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\""},                  // U+10FFFF.
      {"\xf4\x90\x80\x80", R"("����")"},                             // Beyond it.
      {"\xed\xa0\x80", R"("���")"},                                  // A surrogate.
      {"\xed\xbf\xbf", R"("���")"},                                  // The last surrogate.
      {"\xc0\xaf", R"("��")"},                                       // Overlong.
      {"\xe0\x80\xaf", R"("���")"},                                  // Overlong.
      {"\xf0\x80\x80\xaf", R"("����")"},                             // Overlong.
      {"\x80 \xbf \xff \xfe", R"("� � � �")"},                       // No beginnings.
      {"\xe6\xb1", R"("��")"},                                       // Cut short.
      {"\xe6\xb1\"", R"("��\"")"},                                   // Cut short before a quote.
      {"\xc3\xc3\xa9", R"("�é")"},                                   // Goes on after an error.
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(json_text(text), expected);
}

TEST(JsonTextTest, AnyBytesBecomeValidJsonOfOneLine) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    // Half of the bytes are such as begin and continue characters, so that all branches are taken.
    const std::size_t size = random.below(12);
    while (text.size() < size)
      text += static_cast<char>(random.chance(1, 2) ? random.below(256) : 0x80 + random.below(0x80));
    const std::string line = json_text(text);
    boost::json::error_code error;
    boost::json::parse(line, error);
    ASSERT_FALSE(error) << line;
    ASSERT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(JsonTextTest, ValidTextIsReadBackAsItWas) {
  Random random(2);
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::uint64_t i = random.below(20); i > 0; --i) {
      static constexpr std::string_view pieces[] = {"a",    "\"",       "\\", "\n", "\x1b",
                                                    "\x7f", "\xc2\x80", "é",  "汉", "😀"};
      text += pieces[random.below(std::size(pieces))];
    }
    ASSERT_EQ(boost::json::parse(json_text(text)).as_string(), text);
  }
}

}  // namespace
}  // namespace gavel
