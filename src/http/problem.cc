#include "http/problem.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "http/details.h"
#include "http/json_writer.h"
#include "rules/outcome.h"

namespace gavel::http {
namespace {

using rules::Outcome;
using rules::Record;
using rules::Retry;
using rules::Verdict;

// Seconds for what is too busy.
constexpr std::uint64_t busy_least = 1;
constexpr std::uint64_t busy_most = 3;

// A wait for stock is longer by up to a fourth, so that those who were refused together come back apart.
constexpr std::uint64_t spread_share = 4;

// "sold_out" as people write it: "Sold out".
std::string title_of(std::string_view word) {
  std::string title(word);
  for (char& c : title) {
    if (c == '_') c = ' ';
  }
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

// Nothing was done with a request that was not read. What came too slowly may come again as it is; another
// path or method is another request, so that no key helps.
Retry retry_of_unread(unsigned status) {
  if (status == 408) return Retry::same_key;
  return status == 404 || status == 405 ? Retry::never : Retry::new_key;
}

void add_detail(JsonWriter& to, std::string_view name, const auto& value) { to.member(name, value); }

void add_detail(JsonWriter& to, std::string_view name, const std::vector<std::string>& texts) {
  to.begin_array(name);
  for (const std::string& text : texts) to.element(text);
  to.end_array();
}

// Seconds to wait before another try, where waiting helps.
using Wait = std::optional<std::uint64_t>;

Wait wait_of(unsigned status, const Verdict& verdict, Retry retry, Random& random) {
  if (retry == Retry::later) {
    const auto least = static_cast<std::uint64_t>(verdict.retry_after.value_or(retry_later_least).count());
    return least + random.below(least / spread_share + 1);
  }
  if (status == 503 || status == 429) return busy_least + random.below(busy_most - busy_least + 1);
  return std::nullopt;
}

// What has a wait says it in its body too, for an element of a batch has no headers.
Response problem_with(unsigned status, const Verdict& verdict, Retry retry, Wait wait = std::nullopt) {
  CHECK(status >= 400 && !rules::traits(verdict.outcome).act);
  constexpr std::size_t usual_bytes = 384;
  const rules::OutcomeTraits& traits = rules::traits(verdict.outcome);
  Response response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body.reserve(usual_bytes);
  JsonWriter body(response.body);
  body.begin_object().member("type", "/docs/outcomes/" + std::string(traits.word));
  body.member("title", title_of(traits.word)).member("status", status);
  const std::optional<std::string>& line = verdict.detail.explanation;
  body.member("detail", line ? std::string_view(*line) : traits.meaning);
  body.member("code", traits.word).member("final", is_final(verdict) && retry != Retry::same_key);
  body.member("recorded", verdict.record != Record::no).member("retry", rules::word(retry));
  if (wait) body.member("retry_after", static_cast<std::int64_t>(*wait));
  for_each_detail(verdict, [&](std::string_view name, const auto& value) { add_detail(body, name, value); });
  body.end_object();
  if (wait) response.headers.emplace_back("Retry-After", std::to_string(*wait));
  if (verdict.record == Record::replayed) response.headers.emplace_back("Idempotency-Replayed", "true");
  return response;
}

}  // namespace

// table: one line for each outcome; without a default, the compiler names the one that is missing.
unsigned http_status(Outcome outcome) {
  switch (outcome) {
    case Outcome::reserved:
    case Outcome::sold:
    case Outcome::created:
      return 201;
    case Outcome::confirmed:
    case Outcome::cancelled:
    case Outcome::expired:
    case Outcome::received:
    case Outcome::changed:
    case Outcome::opened:
    case Outcome::closed:
    case Outcome::refunded:
    case Outcome::adjusted:
    case Outcome::counted:
    case Outcome::extended:
    case Outcome::warmed:
    case Outcome::verified:
    case Outcome::shipped:
      return 200;
    case Outcome::malformed:
    case Outcome::key_missing:
      return 400;
    case Outcome::unauthenticated:
      return 401;
    case Outcome::forbidden:
      return 403;
    case Outcome::rate_limited:
      return 429;
    case Outcome::overloaded:
    case Outcome::not_ready:
      return 503;
    case Outcome::key_in_flight:
      return 409;
    case Outcome::key_in_use:
    case Outcome::key_reused:
    case Outcome::key_too_old:
      return 422;
    case Outcome::unknown_activity:
    case Outcome::unknown_sku:
    case Outcome::unknown_order:
    case Outcome::unknown_request:
      return 404;
    case Outcome::mismatch:
    case Outcome::frozen:
    case Outcome::not_open:
    case Outcome::over:
    case Outcome::version_conflict:
    case Outcome::already_confirmed:
    case Outcome::already_shipped:
    case Outcome::already_cancelled:
    case Outcome::hold_expired:
    case Outcome::illegal_transition:
    case Outcome::limit_reached:
    case Outcome::hold_capped:
    case Outcome::sold_out:
    case Outcome::insufficient:
      return 409;
    case Outcome::outcome_unknown:
      return 504;
  }
  CHECK(false);
}

bool is_final(const Verdict& verdict) {
  const rules::OutcomeTraits& traits = rules::traits(verdict.outcome);
  return traits.final && (!traits.recorded || verdict.record != Record::no);
}

Retry retry_of(const Verdict& verdict) {
  const rules::OutcomeTraits& traits = rules::traits(verdict.outcome);
  const bool key_is_free = traits.recorded && verdict.record == Record::no;
  return traits.retry == Retry::new_key && key_is_free ? Retry::later : traits.retry;
}

Response problem(const Verdict& verdict, Random& random) {
  const unsigned status = http_status(verdict.outcome);
  const Retry retry = retry_of(verdict);
  return problem_with(status, verdict, retry, wait_of(status, verdict, retry, random));
}

Verdict explained(const rules::Act& act, Verdict verdict) {
  if (verdict.outcome != Outcome::illegal_transition || !verdict.detail.state) return verdict;
  const std::string& state = *verdict.detail.state;
  const bool is_draft = state == "draft";
  std::optional<std::string>& line = verdict.detail.explanation;
  if (std::holds_alternative<rules::CreateActivity>(act)) {
    line = "An activity with this id already exists; it is " + state + ".";
  } else if (std::holds_alternative<rules::OpenActivity>(act) && (is_draft || state == "warmed")) {
    // What is not gated opens from these states.
    line = std::string("This sale is gated: ") + (is_draft ? "warm it, check it, then" : "check it, then") +
           " open it, with a new key.";
  } else if (std::holds_alternative<rules::CheckActivity>(act) && is_draft) {
    line = "The gate is not loaded for this sale: warm it, then check it, with a new key.";
  }
  return verdict;
}

Response malformed_http(unsigned status, std::string detail) {
  return problem_with(status, rules::malformed(std::move(detail)), retry_of_unread(status));
}

std::string turned_away_text(std::uint64_t retry_after) {
  const std::string body =
      R"({"type":"/docs/outcomes/overloaded","title":"Overloaded","status":503,)"
      R"("detail":"Too many connections are open.","code":"overloaded","final":false,"recorded":false,)"
      R"("retry":"same_key","retry_after":)" +
      std::to_string(retry_after) + "}";
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: " +
         std::to_string(retry_after) +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Response fault_of_ours() {
  Verdict verdict = rules::verdict_of(Outcome::outcome_unknown);
  verdict.detail.explanation =
      "The service failed, and the command may have been executed: retry with the same key, or read the "
      "recorded request.";
  return problem_with(500, verdict, retry_of(verdict));
}

}  // namespace gavel::http
