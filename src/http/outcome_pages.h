// The pages that a problem's `type` resolves to, in plain text, made from the table of outcomes. Pure;
// thread-safe.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace gavel::http {

// All outcomes, one per line.
Response outcomes_page();

// One outcome, and what the caller can do; nothing if there is no such code. Requests are remembered for
// `requests_kept` (A28).
std::optional<Response> outcome_page(std::string_view code, std::chrono::hours requests_kept);

}  // namespace gavel::http
