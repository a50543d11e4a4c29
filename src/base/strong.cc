#include "base/strong.h"

#include <algorithm>
#include <array>

namespace gavel {
namespace {

// Not std::isalnum: it asks the locale.
constexpr bool is_code_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '-';
}

// Every key and id of every row that is read is checked again: a look into a table costs a fifth of the
// comparisons.
constexpr auto code_chars = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = is_code_char(static_cast<char>(c));
  return table;
}();

}  // namespace

bool is_code(std::string_view text) {
  return !text.empty() && text.size() <= code_chars_max &&
         std::ranges::all_of(text, [](char c) { return code_chars[static_cast<unsigned char>(c)]; });
}

}  // namespace gavel
