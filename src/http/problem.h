// Problems: every answer that is not a success, as RFC 9457 problem details, and the HTTP status of each
// outcome.
//
// `type` is the path of the outcome's own page, which this server serves; `code` is the outcome's word, so a
// program needs only one list. A request that violates HTTP itself (no such path, too large, too slow) is
// `malformed` too: it cannot be understood and nothing was changed; its status says which kind it is. Pure;
// thread-safe, except for the Random.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/random.h"
#include "http/message.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::http {

// The table of interfaces.md.
unsigned http_status(rules::Outcome outcome);

// Whether another try can get another answer, and how. An outcome that the judge usually records but did not
// (A8: refusals for lack of stock after the first thousand) is not final, and its key can be used again, but
// later (E28).
bool is_final(const rules::Verdict& verdict);
rules::Retry retry_of(const rules::Verdict& verdict);

// Seconds for a refusal for lack of stock that does not know for how long there has been none.
inline constexpr std::chrono::seconds retry_later_least{5};

// A refusal. If waiting helps it says for how many seconds, as Retry-After and as `retry_after` in the body:
// 1 to 3 of what is busy (429, 503), and of `later` the verdict's own or up to a fourth more. They are drawn
// at random, so that callers do not come back all at once.
Response problem(const rules::Verdict& verdict, Random& random);

// `verdict` on `act`. If it refuses an act on an activity because of the activity's state, an explanation
// says which acts are possible. It depends on the two arguments alone, so a retry gets the same text.
rules::Verdict explained(const rules::Act& act, rules::Verdict verdict);

// A refusal because of a request's form, with the status that HTTP has for it; `detail` is one line for
// people.
Response malformed_http(unsigned status, std::string detail);

// The whole answer, head and body, to a connection beyond connections_max, before it has said anything.
std::string turned_away_text(std::uint64_t retry_after);

// A failure of the service: something may have been done, so the caller is told to retry with the same key.
Response fault_of_ours();

}  // namespace gavel::http
