// Points in time and their text form.
//
// Time is UTC in milliseconds since 1970; Duration is milliseconds. Both are std::chrono types, so that a
// number is never taken for a time. The text form is RFC 3339, always written in UTC with three decimals:
// 2026-11-29T20:48:46.123Z. Pure; thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gavel {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

// A time outside the years 1970 to 9999 is written as the nearest one inside, so that writing never fails.
std::string to_text(Time time);
inline constexpr std::size_t time_chars = 24;
// The same where no string is wanted.
std::array<char, time_chars> characters_of(Time time);

// Reads RFC 3339 with any offset ("Z", "+08:00") and at most nine decimals, of which those past the third are
// cut off. Returns nothing for any other text, for an impossible date, and outside the years 1970 to 9999.
std::optional<Time> parse_time(std::string_view text);

}  // namespace gavel
