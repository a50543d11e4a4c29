// The request id as it travels: Idempotency-Key, and the headers beside it. Pure; thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "rules/request_key.h"

namespace gavel::http {

// A key bare (abc-1) or as the quoted string of the IETF draft ("abc-1"), blanks around it ignored. A UUIDv7
// is brought to lower case, since it is also an order's id: in either case it names the same request. Nothing
// on anything that is no code.
std::optional<rules::RequestKey> parse_request_key(std::string_view header);

// The same for a key that stands in a path: bare alone.
std::optional<rules::RequestKey> parse_bare_key(std::string_view text);

// Gavel-Attempt: which try of this request it is, from 1 to 999,999,999.
std::optional<int> parse_attempt(std::string_view header);

// True for a traceparent of W3C Trace Context, version 00. Anything else is ignored, as that text demands.
bool is_traceparent(std::string_view header);

// True if `header` is "Bearer <secret>". The time it takes does not depend on where the two differ. An empty
// secret is nobody's.
bool bears(std::string_view header, std::string_view secret);

}  // namespace gavel::http
