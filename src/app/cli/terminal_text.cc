#include "app/cli/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <locale.h>
#include <wchar.h>

#include "base/utf8.h"

namespace gavel::app {
namespace {

// Characters that change the order in which a terminal shows what follows (UAX #9), that end a line for some
// readers, or that cannot be seen at all.
constexpr std::array<std::uint32_t, 16> hidden{0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
                                               0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066,
                                               0x2067, 0x2068, 0x2069, 0xfeff};

bool is_hidden(std::uint32_t code) {
  return is_control_character(code) || std::ranges::binary_search(hidden, code);
}

// All of them have at most four digits.
std::string escape_of(std::uint32_t code) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) text += digits[code >> shift & 0x0fU];
  return text;
}

// Calls `use(Character, std::string_view bytes)` for each character; what is none is U+FFFD.
template <class Use>
void for_each_character(std::string_view text, Use use) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0) {
      use(std::uint32_t{0xfffd}, std::string_view("\xef\xbf\xbd"));
      text.remove_prefix(1);
      continue;
    }
    use(character.code, text.substr(0, character.bytes));
    text.remove_prefix(character.bytes);
  }
}

// The table of widths is that of a locale, and this thread has the one of UTF-8 while this lives. Without it
// every character counts as one column.
class Utf8Locale {
 public:
  Utf8Locale() : previous_(uselocale(utf8())) {}
  ~Utf8Locale() { uselocale(previous_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  static locale_t utf8() {
    static const locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return made;
  }

  locale_t previous_;
};

constexpr bool is_safe_in_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.:/@%+,=-").contains(c);
}

// $'…', which bash, zsh and ksh know.
std::string escaped_word(std::string_view text) {
  std::string word = "$'";
  for_each_character(text, [&](std::uint32_t code, std::string_view bytes) {
    if (code == '\'' || code == '\\') word += '\\';
    word += is_hidden(code) ? escape_of(code) : std::string(bytes);
  });
  return word + "'";
}

// '…', where a quote ends the quoting, stands for itself, and begins it again.
std::string quoted_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string result;
  for_each_character(text, [&](std::uint32_t code, std::string_view bytes) {
    if (code == '\\') result += '\\';
    result += is_hidden(code) ? escape_of(code) : std::string(bytes);
  });
  return result;
}

std::size_t columns_of(std::string_view text) {
  const Utf8Locale locale;
  std::size_t columns = 0;
  for_each_character(text, [&](std::uint32_t code, std::string_view) {
    const int width = wcwidth(static_cast<wchar_t>(code));
    columns += width < 0 ? 1 : static_cast<std::size_t>(width);
  });
  return columns;
}

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_safe_in_shell)) return std::string(text);
  bool has_hidden = false;
  for_each_character(
      text, [&](std::uint32_t code, std::string_view) { has_hidden = has_hidden || is_hidden(code); });
  return has_hidden ? escaped_word(text) : quoted_word(text);
}

}  // namespace gavel::app
