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
                  "The units are held for the user until the hold's time is past."},
    OutcomeTraits{sold, "sold", true, true, true, never, "The units are sold; no payment is awaited."},
    OutcomeTraits{confirmed, "confirmed", true, true, true, never, "The order is paid; its units are sold."},
    OutcomeTraits{cancelled, "cancelled", true, true, true, never,
                  "The order is cancelled; its units are free."},
    OutcomeTraits{expired, "expired", true, true, true, never,
                  "The hold's time was past; its units are free."},
    OutcomeTraits{received, "received", true, true, true, never, "The stock has arrived and is available."},
    OutcomeTraits{created, "created", true, true, true, never, "It was made."},
    OutcomeTraits{changed, "changed", true, true, true, never, "It is as asked."},
    OutcomeTraits{opened, "opened", true, true, true, never,
                  "The activity is open; its allotment is set aside."},
    OutcomeTraits{closed, "closed", true, true, true, never,
                  "The activity is closed; what was unsold is back in the free stock."},
    OutcomeTraits{refunded, "refunded", true, true, true, never,
                  "The units have left the order; restocked ones are free."},
    OutcomeTraits{adjusted, "adjusted", true, true, true, never, "The stock differs by as much as was said."},
    OutcomeTraits{counted, "counted", true, true, true, never, "What is on hand is what was counted."},
    OutcomeTraits{extended, "extended", true, true, true, never,
                  "The hold lasts until the time named, which may be less than was asked for."},
    OutcomeTraits{warmed, "warmed", true, true, true, never, "The gate is loaded with the activity's items."},
    OutcomeTraits{verified, "verified", true, true, true, never,
                  "The gate shows what the judge has of the activity's items."},
    OutcomeTraits{malformed, "malformed", false, true, false, new_key,
                  "The request cannot be understood; nothing was changed."},
    OutcomeTraits{key_missing, "key_missing", false, true, false, new_key,
                  "A write needs the header Idempotency-Key."},
    OutcomeTraits{
        unauthenticated, "unauthenticated", false, true, false, never,
        "The request carries no credential that is known here: the operators' listener wants the header "
        "Authorization: Bearer with the key that lies in the file of the setting admin.key_file "
        "(gavel.key)."},
    OutcomeTraits{forbidden, "forbidden", false, true, false, never, "The credential does not permit this."},
    OutcomeTraits{rate_limited, "rate_limited", false, false, false, same_key,
                  "Too many requests; wait and retry."},
    OutcomeTraits{overloaded, "overloaded", false, false, false, same_key,
                  "More is asked than can be judged in time; nothing was done."},
    OutcomeTraits{not_ready, "not_ready", false, false, false, same_key,
                  "The service cannot judge at this moment; nothing was done."},
    OutcomeTraits{key_in_flight, "key_in_flight", false, false, false, same_key,
                  "A request with this key is being judged; retry for its answer."},
    OutcomeTraits{key_in_use, "key_in_use", false, true, false, new_key, "The key belongs to somebody else."},
    OutcomeTraits{key_reused, "key_reused", false, true, false, new_key,
                  "The key stands for another request; the fields that differ are named."},
    OutcomeTraits{key_too_old, "key_too_old", false, true, false, new_key,
                  "The key was made longer ago than requests are remembered."},
    OutcomeTraits{unknown_activity, "unknown_activity", false, true, false, never,
                  "There is no such activity."},
    OutcomeTraits{unknown_sku, "unknown_sku", false, true, false, never,
                  "There is no such SKU, or it is not part of the activity or the order."},
    OutcomeTraits{unknown_order, "unknown_order", false, true, false, never, "There is no such order."},
    OutcomeTraits{unknown_request, "unknown_request", false, true, false, never,
                  "Nothing is recorded under this key; the request may be made with it."},
    OutcomeTraits{mismatch, "mismatch", false, false, false, new_key,
                  "The gate does not show what the judge has; warm the activity and check it again."},
    OutcomeTraits{frozen, "frozen", false, false, false, new_key,
                  "The SKU is stopped until an operator has looked at it."},
    OutcomeTraits{not_open, "not_open", false, false, false, new_key, "The activity is not open yet."},
    OutcomeTraits{over, "over", false, false, false, new_key, "The activity is over."},
    OutcomeTraits{version_conflict, "version_conflict", false, true, true, new_key,
                  "The stock has changed since the version named."},
    OutcomeTraits{already_confirmed, "already_confirmed", false, true, true, never,
                  "The order is paid already."},
    OutcomeTraits{already_cancelled, "already_cancelled", false, true, true, never,
                  "The order is cancelled already."},
    OutcomeTraits{hold_expired, "hold_expired", false, true, true, never, "The hold's time is past."},
    OutcomeTraits{
        illegal_transition, "illegal_transition", false, true, true, never,
        "The present state does not permit this. Under this key the answer stays; another act may change "
        "the state."},
    OutcomeTraits{limit_reached, "limit_reached", false, true, true, never,
                  "The user has claimed as much as the activity allows."},
    OutcomeTraits{hold_capped, "hold_capped", false, true, true, never,
                  "The hold lasts as long as a hold of this order may; it ends at the time named."},
    OutcomeTraits{sold_out, "sold_out", false, true, true, new_key, "Nothing is left."},
    OutcomeTraits{insufficient, "insufficient", false, true, true, new_key,
                  "Fewer are left than were asked for."},
    OutcomeTraits{outcome_unknown, "outcome_unknown", false, false, false, same_key,
                  "It may have been done: retry with the same key, or ask for the request."},
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
  }
  CHECK(false);
}

}  // namespace gavel::rules
