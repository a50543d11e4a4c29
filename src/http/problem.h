// Problems: every answer that is no success, as RFC 9457 problem details, and the HTTP status of each
// outcome.
//
// `type` is the path of the outcome's own page, which this server serves; `code` is the outcome's word, so a
// program needs one list only. What breaks HTTP itself rather than the business (no such path, too large, too
// slow) is `malformed` too: the request cannot be understood and nothing was changed; its status says which
// kind. Pure; thread-safe, but for the Random.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "http/message.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::http {

// The table of interfaces.md.
unsigned http_status(rules::Outcome outcome);

// Whether asking again can be answered otherwise, and how. An outcome that the judge usually records but did
// not (A8: shortage beyond the first thousand) is not final, and its key is free for another try.
bool is_final(const rules::Verdict& verdict);
rules::Retry retry_of(const rules::Verdict& verdict);

// A refusal; with Retry-After, drawn from 1 to 3 seconds so that callers do not come back together, where
// waiting is what helps (429, 503).
Response problem(const rules::Verdict& verdict, Random& random);

// `verdict` on `act`, and where it refuses an act on an activity for the state that this is in, the line for
// people says which acts lead on. What it says follows from the two alone, so a retry is told the same.
rules::Verdict explained(const rules::Act& act, rules::Verdict verdict);

// A refusal of the form of a request, with the status that HTTP has for it; `detail` is one line for people.
Response malformed_http(unsigned status, std::string detail);

// The whole answer, head and body, to a connection beyond connections_max, before it has said anything.
std::string turned_away_text(std::uint64_t retry_after);

// A fault of ours: perhaps something was done, so the caller is told to ask with the same key.
Response fault_of_ours();

}  // namespace gavel::http
