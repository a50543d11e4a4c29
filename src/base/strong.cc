#include "base/strong.h"

#include <algorithm>

namespace gavel {
namespace {

// Not std::isalnum: it asks the locale.
bool is_code_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '-';
}

}  // namespace

bool is_code(std::string_view text) {
  return !text.empty() && text.size() <= code_chars_max &&
         std::all_of(text.begin(), text.end(), is_code_char);
}

}  // namespace gavel
