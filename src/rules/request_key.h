// RequestKey: the request id, the caller's name for one business action.
//
// A code of 1 to 64 characters (base/strong.h) that the outside chooses. Where it is the text of a UUIDv7 it
// is the id of the order that the request makes, too, so the UUID is parsed once, when the key is made. A key
// is copied at every step of a request and therefore holds its text in place: a copy allocates nothing.
// Ordered by its text. Value type; thread-safe.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/strong.h"
#include "base/uuid.h"

namespace gavel::rules {

class RequestKey {
 public:
  // Nothing unless is_code(text).
  static std::optional<RequestKey> parse(std::string_view text);

  // For text that was checked before: a literal, or a row of our own (CHECKed).
  explicit RequestKey(std::string_view text);

  // The key that is the text of `uuid`, in lower case.
  explicit RequestKey(const Uuid& uuid);

  // As long as the key lives.
  std::string_view text() const { return {text_.data(), size_}; }

  // The UUID, where the key is the text of one of version 7, in either case.
  const std::optional<Uuid>& uuid7() const { return uuid7_; }

  friend bool operator==(const RequestKey& a, const RequestKey& b) { return a.text() == b.text(); }
  friend std::strong_ordering operator<=>(const RequestKey& a, const RequestKey& b) {
    return a.text() <=> b.text();
  }

 private:
  std::array<char, code_chars_max> text_;  // The first size_ of them.
  std::uint8_t size_;
  std::optional<Uuid> uuid7_;
};
static_assert(code_chars_max <= UINT8_MAX);

}  // namespace gavel::rules
