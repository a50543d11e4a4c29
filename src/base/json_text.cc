#include "base/json_text.h"

#include <cstddef>
#include <cstdint>

#include "base/utf8.h"

namespace gavel {
namespace {

constexpr std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
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
      to += "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) to += digits[code >> shift & 0x0f];
  }
}

// Of lines and of paragraphs: some readers of lines end one there.
constexpr bool is_separator(std::uint32_t code) { return code == 0x2028 || code == 0x2029; }

constexpr bool needs_escape(std::uint32_t code) {
  return is_control_character(code) || is_separator(code) || code == '"' || code == '\\';
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
