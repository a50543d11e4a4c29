#include "http/outcome_pages.h"

#include <algorithm>

#include "http/problem.h"
#include "rules/outcome.h"

namespace gavel::http {
namespace {

using rules::OutcomeTraits;
using rules::Retry;

constexpr std::size_t code_column = 20;
constexpr std::size_t status_column = 6;

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(width, text.size() + 1), ' ');
  return result;
}

Response page(std::string body) {
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

std::string_view advice(const OutcomeTraits& outcome) {
  if (outcome.act) return "The command was executed. A retry with the same key gets this answer again.";
  switch (outcome.retry) {
    case Retry::never:
      return "A retry gets the same answer. If another act has changed the state meanwhile, send the request "
             "with a new key.";
    case Retry::same_key:
      return "Retry with the same Idempotency-Key; if the answer has Retry-After, wait that many seconds.";
    case Retry::later:
      return "Retry with the same Idempotency-Key after the seconds of Retry-After.";
    case Retry::new_key:
      return outcome.recorded
                 ? "The key keeps this answer: send the request with a new key. If an answer has `recorded` "
                   "false, it is not final, and `retry` is `later`: send the request with the same key, and "
                   "not before the seconds of Retry-After (`retry_after` in the body) have passed."
                 : "Correct the request or wait for the situation to change, then send it with a new key.";
  }
  return "";
}

// Whether the page speaks of what a key stands for.
bool is_about_keys(const OutcomeTraits& outcome) {
  return outcome.recorded || outcome.outcome == rules::Outcome::key_missing ||
         (outcome.outcome >= rules::Outcome::key_in_flight && outcome.outcome <= rules::Outcome::key_too_old);
}

std::string period_of(std::chrono::hours requests_kept) {
  return "A key is remembered for " + std::to_string(requests_kept.count()) +
         " hours (the setting rules.requests_kept_hours). After that a UUIDv7 key is refused as "
         "`key_too_old`, and a retry with any other key is a new request.";
}

}  // namespace

Response outcomes_page() {
  std::string text =
      "Outcomes of Gavel, in order of precedence: if several refusals apply, the first one is given.\n"
      "Each has a page: /docs/outcomes/{code}\n\n" +
      padded("code", code_column) + padded("HTTP", status_column) + "meaning\n";
  for (const OutcomeTraits& outcome : rules::all_outcomes()) {
    text += padded(outcome.word, code_column) +
            padded(std::to_string(http_status(outcome.outcome)), status_column);
    text.append(outcome.meaning).append("\n");
  }
  return page(std::move(text));
}

std::optional<Response> outcome_page(std::string_view code, std::chrono::hours requests_kept) {
  const auto outcome = rules::parse_outcome(code);
  if (!outcome) return std::nullopt;
  const OutcomeTraits& traits = rules::traits(*outcome);
  std::string text(traits.word);
  text.append("\n\n").append(traits.meaning).append("\n").append(advice(traits)).append("\n");
  if (is_about_keys(traits)) text.append(period_of(requests_kept)).append("\n");
  text += "\n";
  text += "HTTP status  " + std::to_string(http_status(*outcome)) + "\n";
  text += std::string("final        ") + (traits.final ? "yes" : "no") + "\n";
  text += std::string("recorded     ") + (traits.recorded ? "yes" : "no") + "\n";
  text += "retry        " + std::string(traits.act ? "-" : rules::word(traits.retry)) + "\n";
  return page(std::move(text));
}

}  // namespace gavel::http
