// Target: the path and the query of a request, decoded.
//
// Percent signs are decoded everywhere, and `+` in the query is a blank, as in forms: a plus is %2B there.
// Nothing is normalised: "//", "/./" and a slash at the end make a different path, which no route has. Pure;
// thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gavel::http {

struct Target {
  std::vector<std::string> segments;                       // "/v1/orders/a%20b": "v1", "orders", "a b"
  std::vector<std::pair<std::string, std::string>> query;  // In the order sent, decoded.
};

// Takes "/path?query" and "http://authority/path?query" (RFC 9112, 3.2); returns nothing for anything else,
// or if a percent sign is not followed by two hexadecimal digits.
std::optional<Target> parse_target(std::string_view text);

}  // namespace gavel::http
