#include "base/utf8.h"

namespace gavel {
namespace {

constexpr Character no_character{0, 0};

constexpr std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// A blank, or a visible character of ASCII: nearly every byte of nearly every text.
constexpr bool is_plain(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

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

std::optional<std::size_t> count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) return std::nullopt;
    text.remove_prefix(bytes);
  }
  return count;
}

bool is_printable_utf8(std::string_view text) {
  while (true) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    text.remove_prefix(plain);
    if (text.empty()) return true;
    const Character character = first_character(text);
    if (character.bytes == 0 || is_control_character(character.code)) return false;
    text.remove_prefix(character.bytes);
  }
}

}  // namespace gavel
