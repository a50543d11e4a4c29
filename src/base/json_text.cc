#include "base/json_text.h"

#include <cstddef>
#include <cstdint>

namespace gavel {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  // 0: the text does not begin with a character of UTF-8.
};

constexpr Character no_character{0, 0};

constexpr std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// The first character of `text`, which is not empty. Refuses what RFC 3629 refuses: overlong forms,
// surrogates and codes above U+10FFFF.
Character first_character(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return no_character;
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const std::uint32_t next = byte_at(text, i);
    if ((next & 0xc0) != 0x80) return no_character;
    code = code << 6 | (next & 0x3f);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return no_character;
  return {code, bytes};
}

void append_escaped(std::string& to, std::uint32_t code) {
  static constexpr char digits[] = "0123456789abcdef";
  switch (code) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\r':
      to += "\\r";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      to += "\\u00";
      to += digits[code >> 4 & 0x0f];
      to += digits[code & 0x0f];
  }
}

constexpr bool needs_escape(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == '"' || code == '\\';
}

// How many bytes of ASCII in front stand for themselves: nearly always all of them.
std::size_t plain_bytes(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && byte_at(text, count) < 0x7f && !needs_escape(byte_at(text, count))) ++count;
  return count;
}

}  // namespace

void append_json_text(std::string& to, std::string_view text) {
  to += '"';
  while (true) {
    const std::size_t plain = plain_bytes(text);
    to.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character character = first_character(text);
    if (character.bytes == 0) {
      to += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    if (needs_escape(character.code)) {
      append_escaped(to, character.code);
    } else {
      to.append(text.substr(0, character.bytes));
    }
    text.remove_prefix(character.bytes);
  }
  to += '"';
}

}  // namespace gavel
