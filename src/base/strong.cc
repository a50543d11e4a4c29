#include "base/strong.h"

#include <algorithm>

#include "base/utf8.h"

namespace gavel {
namespace {

// Not std::isalnum: it asks the locale.
constexpr bool is_narrow(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '-';
}

}  // namespace

bool is_code(std::string_view text) {
  return !text.empty() && text.size() <= code_bytes_max && is_printable_utf8(text);
}

bool is_narrow_code(std::string_view text) {
  return !text.empty() && text.size() <= narrow_code_chars_max && std::ranges::all_of(text, is_narrow);
}

}  // namespace gavel
