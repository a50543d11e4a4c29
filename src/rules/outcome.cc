#include "rules/outcome.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace gavel::rules {
namespace {

using enum Outcome;
using enum Retry;

constexpr std::array outcomes{
    // outcome, word, act, final, recorded, retry, meaning
    OutcomeTraits{reserved, "reserved", true, true, true, never,
                  "The units are held for the user until the hold expires."},
    OutcomeTraits{sold, "sold", true, true, true, never,
                  "The units are sold at once; no payment is expected."},
    OutcomeTraits{confirmed, "confirmed", true, true, true, never, "The order is paid; its units are sold."},
    OutcomeTraits{cancelled, "cancelled", true, true, true, never,
                  "The order is cancelled; its units are available again."},
    OutcomeTraits{expired, "expired", true, true, true, never,
                  "The hold has expired; its units are available again."},
    OutcomeTraits{received, "received", true, true, true, never, "The stock has arrived and is available."},
    OutcomeTraits{created, "created", true, true, true, never, "Created."},
    OutcomeTraits{changed, "changed", true, true, true, never, "Updated."},
    OutcomeTraits{opened, "opened", true, true, true, never,
                  "The activity is open; its allotment is set aside."},
    OutcomeTraits{closed, "closed", true, true, true, never,
                  "The activity is closed; its unsold units are back in the free stock."},
    OutcomeTraits{refunded, "refunded", true, true, true, never,
                  "The units were returned; restocked units are available again."},
    OutcomeTraits{adjusted, "adjusted", true, true, true, never,
                  "The stock was adjusted by the stated difference."},
    OutcomeTraits{counted, "counted", true, true, true, never, "The units on hand were set to the count."},
    OutcomeTraits{extended, "extended", true, true, true, never,
                  "The hold was extended to the time in expires_at, which may be earlier than requested."},
    OutcomeTraits{warmed, "warmed", true, true, true, never, "The gate is loaded with the activity's items."},
    OutcomeTraits{verified, "verified", true, true, true, never,
                  "The gate agrees with the judge about the activity's items."},
    OutcomeTraits{shipped, "shipped", true, true, true, never, "The units were shipped to their buyer."},
    OutcomeTraits{malformed, "malformed", false, true, false, new_key,
                  "The request cannot be understood; nothing was changed."},
    OutcomeTraits{key_missing, "key_missing", false, true, false, new_key,
                  "A write needs the header Idempotency-Key."},
    OutcomeTraits{
        unauthenticated, "unauthenticated", false, true, false, never,
        "The request has no valid key: send the header Authorization: Bearer with a key of an account "
        "(gavel key create), or, to the operators' listener, the one in the file that the setting "
        "admin.key_file names (gavel.key)."},
    OutcomeTraits{forbidden, "forbidden", false, true, false, never,
                  "The role of the key's account does not permit this."},
    OutcomeTraits{rate_limited, "rate_limited", false, false, false, same_key,
                  "Too many requests; wait and retry."},
    OutcomeTraits{overloaded, "overloaded", false, false, false, same_key,
                  "There are more requests than can be judged in time; nothing was done."},
    OutcomeTraits{not_ready, "not_ready", false, false, false, same_key,
                  "The service cannot judge at this moment; nothing was done."},
    OutcomeTraits{key_in_flight, "key_in_flight", false, false, false, same_key,
                  "A request with this key is still being judged; retry to get its answer."},
    OutcomeTraits{key_in_use, "key_in_use", false, true, false, new_key,
                  "The key belongs to another caller."},
    OutcomeTraits{key_reused, "key_reused", false, true, false, new_key,
                  "The key was used for a different request; the fields that differ are listed."},
    OutcomeTraits{key_too_old, "key_too_old", false, true, false, new_key,
                  "The key is older than the period for which requests are recorded."},
    OutcomeTraits{unknown_activity, "unknown_activity", false, true, false, never,
                  "There is no such activity."},
    OutcomeTraits{unknown_sku, "unknown_sku", false, true, false, never,
                  "There is no such SKU, or it is not part of the activity or the order."},
    OutcomeTraits{unknown_order, "unknown_order", false, true, false, never, "There is no such order."},
    OutcomeTraits{unknown_request, "unknown_request", false, true, false, never,
                  "Nothing is recorded under this key; you can send the request with it."},
    OutcomeTraits{already_shipped, "already_shipped", false, true, true, never,
                  "The units were shipped before; none of them is left to ship."},
    OutcomeTraits{mismatch, "mismatch", false, false, false, new_key,
                  "The gate and the judge disagree; warm the activity and check it again."},
    OutcomeTraits{frozen, "frozen", false, false, false, new_key,
                  "The SKU is stopped until an operator has examined it."},
    OutcomeTraits{not_open, "not_open", false, false, false, new_key, "The activity is not open yet."},
    OutcomeTraits{over, "over", false, false, false, new_key, "The activity is over."},
    OutcomeTraits{version_conflict, "version_conflict", false, true, true, new_key,
                  "The stock has changed since the given version."},
    OutcomeTraits{already_confirmed, "already_confirmed", false, true, true, never,
                  "The order is already paid."},
    OutcomeTraits{already_cancelled, "already_cancelled", false, true, true, never,
                  "The order is already cancelled."},
    OutcomeTraits{hold_expired, "hold_expired", false, true, true, never, "The hold has expired."},
    OutcomeTraits{
        illegal_transition, "illegal_transition", false, true, true, never,
        "The current state does not allow this. The key keeps this answer; after another act has changed the "
        "state, use a new key."},
    OutcomeTraits{limit_reached, "limit_reached", false, true, true, never,
                  "The user has reached the activity's limit per user."},
    OutcomeTraits{hold_capped, "hold_capped", false, true, true, never,
                  "The hold has its maximum length; it ends at the time in expires_at."},
    OutcomeTraits{sold_out, "sold_out", false, true, true, new_key, "Sold out: no units left."},
    OutcomeTraits{insufficient, "insufficient", false, true, true, new_key,
                  "Fewer units are left than requested."},
    OutcomeTraits{
        outcome_unknown, "outcome_unknown", false, false, false, same_key,
        "The command may have been executed: retry with the same key, or read the recorded request."},
};

static_assert(std::is_sorted(outcomes.begin(), outcomes.end(),
                             [](const auto& a, const auto& b) { return a.outcome < b.outcome; }),
              "the table is in precedence order");

}  // namespace

std::span<const OutcomeTraits> all_outcomes() { return outcomes; }

const OutcomeTraits& traits(Outcome outcome) {
  const auto found = std::ranges::lower_bound(outcomes, outcome, {}, &OutcomeTraits::outcome);
  CHECK(found != outcomes.end() && found->outcome == outcome);
  return *found;
}

std::optional<Outcome> parse_outcome(std::string_view word) {
  const auto found = std::ranges::find(outcomes, word, &OutcomeTraits::word);
  if (found == outcomes.end()) return std::nullopt;
  return found->outcome;
}

std::string_view word(Retry retry) {
  switch (retry) {
    case never:
      return "never";
    case same_key:
      return "same_key";
    case new_key:
      return "new_key";
    case later:
      return "later";
  }
  CHECK(false);
}

}  // namespace gavel::rules
