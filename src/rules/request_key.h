// RequestKey: the request id, the caller's name for one business action.
//
// 1 to 255 characters that the outside chooses. Where it is the text of a UUIDv7 it is the id of the order
// that the request makes, too, so the UUID is parsed once, when the key is made. A key is copied at every
// step of a request, and a copy allocates nothing: nearly all keys are short and stand in place, and the
// copies of a longer one share its text, which never changes. Ordered by its text. Value type; thread-safe.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.h"

namespace gavel::rules {

inline constexpr std::size_t key_chars_max = 255;

// True for 1 to 255 visible characters of ASCII without " and \ (interfaces.md, Conventions).
bool is_request_key(std::string_view text);

class RequestKey {
 public:
  // Nothing unless is_request_key(text).
  static std::optional<RequestKey> parse(std::string_view text);

  // For text that was checked before: a literal, or a row of our own (CHECKed).
  explicit RequestKey(std::string_view text);

  // The key that is the text of `uuid`, in lower case.
  explicit RequestKey(const Uuid& uuid);

  // Never moved: one that was would have lost its text.
  RequestKey(const RequestKey&) = default;
  RequestKey& operator=(const RequestKey&) = default;

  // As long as the key lives.
  std::string_view text() const {
    return long_ ? std::string_view(*long_) : std::string_view(short_.data(), size_);
  }

  // The UUID, where the key is the text of one of version 7, in either case.
  const std::optional<Uuid>& uuid7() const { return uuid7_; }

  friend bool operator==(const RequestKey& a, const RequestKey& b) { return a.text() == b.text(); }
  friend std::strong_ordering operator<=>(const RequestKey& a, const RequestKey& b) {
    return a.text() <=> b.text();
  }

 private:
  struct Checked {};
  RequestKey(std::string_view text, Checked);

  static constexpr std::size_t short_chars_max = 64;
  static_assert(short_chars_max >= uuid_chars);

  std::array<char, short_chars_max> short_;  // The first size_ of them, unless the text is longer.
  std::uint8_t size_ = 0;
  std::optional<Uuid> uuid7_;
  std::shared_ptr<const std::string> long_;
};

}  // namespace gavel::rules
