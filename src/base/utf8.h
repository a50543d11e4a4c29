// UTF-8: the characters of a text, which are Unicode's code points, as RFC 3629 encodes them.
//
// Overlong forms, surrogates and codes above U+10FFFF are no characters. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gavel {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  // 0: the text does not begin with a character.
};

// The first character of `text`, which is not empty.
Character first_character(std::string_view text);

// C0, DEL and C1: what terminals execute and people do not see.
constexpr bool is_control_character(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

// How many characters the text has; nothing if it is not UTF-8.
std::optional<std::size_t> count_characters(std::string_view text);

// True for UTF-8 without control characters.
bool is_printable_utf8(std::string_view text);

}  // namespace gavel
