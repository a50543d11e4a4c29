// decide: the whole business, as one pure function (architecture, "Rules are a pure function").
//
// Each rule is a flat ladder of refusals in precedence order, then a line "From here it must succeed", then
// the effect. Every store, the simulator and the oracles agree on the outcomes of this function. No I/O, no
// clock, no thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::rules {

struct Policy {
  std::chrono::seconds hold_default{15 * 60};
  std::chrono::seconds extend_default{60};
  // An extended hold ends at the latest this many times its first length after the order was made, and never
  // later than hold_max after it (E4).
  int hold_lengths_max = 3;
  // A UUIDv7 key older than this is refused (A28). It is the least that may be set; operators get a week.
  std::chrono::hours requests_kept{48};
  // Refusals for lack of stock that are recorded, per stock item and generation (A8).
  std::int64_t refusals_recorded_max = 1'000;
  Mode mode = Mode::direct;  // The service's own: direct or gated (D1).
};

// The time in a UUIDv7 key may be ahead of the judge's clock by at most this; a key from farther in the
// future would outlive the record of its request.
inline constexpr std::chrono::hours key_ahead_max{1};

// True if the record of a request that was answered at `answered` is no longer needed, because its key is too
// old to be accepted. A key may have been ahead of the clock, so both requests_kept and key_ahead_max must
// have passed.
inline bool may_forget(Time answered, Time now, const Policy& policy) {
  return answered + policy.requests_kept + key_ahead_max < now;
}

// True for a UUIDv7 key that was made before `kept_since`: if nothing is recorded under it, it is refused
// (A28).
bool is_too_old(const RequestKey& key, Time kept_since);

// Decides `command` on `state` at the judge's time `now` and changes `state` by its effect; a refusal changes
// nothing except its own record and the holds that were due. `state` must hold everything that plan.h names
// for this command.
Verdict decide(State& state, const Command& command, Time now, const Policy& policy);

// Raises the generation of every item that had nothing available when the batch was loaded and has something
// after all its commands were decided (gate-protocol, State). Called once, after the last decide() of a
// batch.
void raise_generations(State& state);

// What is wrong with the form of a command, in words for people: a quantity out of bounds, no lines, too many
// lines, a window that ends before it begins. Nothing if it is well formed. decide() refuses a malformed
// command; the pipeline calls this function earlier, to save the judge the work.
std::optional<std::string> malformation(const Command& command);

}  // namespace gavel::rules
