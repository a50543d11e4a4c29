// Uuid: the 16 bytes of RFC 9562, and version 7 (time-ordered) in particular.
//
// Ids that Gavel makes are version 7: rows keyed by them grow at the table's end. A value type; pure;
// thread-safe.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace gavel {

class Random;

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

inline constexpr std::size_t uuid_chars = 36;

// The lower-case form with hyphens.
std::string to_text(const Uuid& uuid);
// The same where no string is wanted.
std::array<char, uuid_chars> characters_of(const Uuid& uuid);

// Parses the 36-character form in upper or lower case; returns nothing for any other text.
std::optional<Uuid> parse_uuid(std::string_view text);

// True for version 7 with the variant of RFC 9562.
bool is_version_7(const Uuid& uuid);

// The creation time that a version 7 id carries.
Time time_of(const Uuid& uuid);

// A new version 7 id for the given time. `now` is not before 1970.
Uuid make_uuid7(Time now, Random& random);

}  // namespace gavel
