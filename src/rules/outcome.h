// Outcome: an answer of the business, with one number and one spelling everywhere.
//
// The enumerator is the JSON word, the column value and the metric label. Numbers are in precedence order: if
// several refusals apply, the one with the lowest number is given, and decide() is a ladder in this order.
// Numbers are stored: never reuse or change one. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gavel::rules {

enum class Outcome : std::uint8_t {
  // The act happened.
  reserved = 1,
  sold = 2,
  confirmed = 3,
  cancelled = 4,
  expired = 5,
  received = 6,
  created = 7,
  changed = 8,
  opened = 9,
  closed = 10,
  refunded = 11,
  adjusted = 12,
  counted = 13,
  extended = 14,
  warmed = 15,
  verified = 16,
  shipped = 17,

  // The request cannot be understood or may not be made.
  malformed = 20,
  key_missing = 21,
  unauthenticated = 22,
  forbidden = 23,
  rate_limited = 24,
  overloaded = 25,
  not_ready = 26,

  // The request key cannot be used for this request.
  key_in_flight = 30,
  key_in_use = 31,
  key_reused = 32,
  key_too_old = 33,

  // The request names something that does not exist.
  unknown_activity = 40,
  unknown_sku = 41,
  unknown_order = 42,
  unknown_request = 43,

  // The rules of the sale or the current state do not allow it.
  already_shipped = 48,
  mismatch = 49,
  frozen = 50,
  not_open = 51,
  over = 52,
  version_conflict = 53,
  already_confirmed = 54,
  already_cancelled = 55,
  hold_expired = 56,
  illegal_transition = 57,
  limit_reached = 58,
  hold_capped = 59,

  // There is not enough stock.
  sold_out = 60,
  insufficient = 61,

  // It is not known yet.
  outcome_unknown = 70,
};

enum class Retry : std::uint8_t {
  never,
  same_key,
  new_key,
  later,  // With the same key, after the time that the answer names.
};

// What an outcome promises (the table of interfaces.md).
struct OutcomeTraits {
  Outcome outcome;
  std::string_view word;
  bool act;       // The command was executed, and its effect is committed.
  bool final;     // If the verdict was recorded, the same request will always get this answer.
  bool recorded;  // The judge records it under the request id.
  Retry retry;
  std::string_view meaning;  // One sentence for people.
};

// All outcomes in numeric order.
std::span<const OutcomeTraits> all_outcomes();

const OutcomeTraits& traits(Outcome outcome);
inline std::string_view word(Outcome outcome) { return traits(outcome).word; }
std::optional<Outcome> parse_outcome(std::string_view word);
std::string_view word(Retry retry);

}  // namespace gavel::rules
