// The request id in HTTP: Idempotency-Key, and the headers beside it. Pure; thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "rules/request_key.h"

namespace gavel::http {

// What a key must be, for the message that refuses another.
inline constexpr std::string_view key_form = "1 to 255 visible ASCII characters without \" and \\";

// A key bare (abc-1) or as the quoted string of the IETF draft ("abc-1"), blanks around it ignored. A UUIDv7
// is converted to lower case, since it is also an order's id: in upper and lower case it names the same
// request. Returns nothing if it is no request key.
std::optional<rules::RequestKey> parse_request_key(std::string_view header);

// The same for a key in a path: only the bare form.
std::optional<rules::RequestKey> parse_bare_key(std::string_view text);

// Gavel-Attempt: the number of this attempt at the request, from 1 to 999,999,999.
std::optional<int> parse_attempt(std::string_view header);

// True for a traceparent of W3C Trace Context, version 00. Anything else is ignored, as that standard
// requires.
bool is_traceparent(std::string_view header);

}  // namespace gavel::http
