// Strong types for identifiers: a SKU cannot be passed where a user is meant.
//
// Code<Tag> is an identifier that callers choose, checked once where it enters; Number<Tag> is an integer
// that the store assigns. Value types; thread-safe.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"

namespace gavel {

inline constexpr std::size_t code_bytes_max = 128;

// True for 1 to 128 bytes of UTF-8 without control characters (interfaces.md, Conventions).
bool is_code(std::string_view text);

inline constexpr std::size_t narrow_code_chars_max = 64;

// True for 1 to 64 characters of [A-Za-z0-9_.:-].
bool is_narrow_code(std::string_view text);

// Codes are equal if their bytes are, and ordered by them: two spellings that Unicode calls equivalent are
// two codes. `is_valid` says which texts are codes of this kind.
template <class Tag, bool (*is_valid)(std::string_view) = is_code>
class Code {
 public:
  // Nothing unless is_valid(text).
  static std::optional<Code> parse(std::string_view text) {
    if (!is_valid(text)) return std::nullopt;
    return Code(text, Checked{});
  }

  // For text that is known to be valid: a literal, or text from a row of our own.
  explicit Code(std::string_view text) : text_(text) { CHECK(is_valid(text)); }

  const std::string& text() const { return text_; }

  friend auto operator<=>(const Code&, const Code&) = default;

 private:
  struct Checked {};
  Code(std::string_view text, Checked) : text_(text) {}

  std::string text_;
};

template <class Tag>
struct Number {
  std::int64_t value = 0;

  friend auto operator<=>(const Number&, const Number&) = default;
};

}  // namespace gavel
