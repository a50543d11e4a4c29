// Percent-encoding (RFC 3986): a text as a part of a path or of a query. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gavel {

// Every byte but A-Z a-z 0-9 - . _ ~ : becomes %XX.
std::string percent_encoded(std::string_view text);

// Reverses that, whatever else stands between the %XX; nothing if a percent sign is not followed by two
// hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace gavel
