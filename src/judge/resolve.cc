// Where the unknown commit is resolved (A13; architecture, "The batch row").
//
// A commit whose answer was lost did happen, or did not, or may still be under way. Reading cannot tell the
// last two apart. Inserting the batch's own row again can: the insert waits for the old transaction's lock,
// and then either finds the row (the batch is stored) or takes its place as a tombstone (it never can be).
// Until one of the two is known no later batch of the lane begins, for n must stay gapless.
#include <optional>
#include <utility>

#include "base/check.h"
#include "judge/judge.h"

namespace gavel::judge {

// Ends the doubt about batch next_n_, if there is one; an error means that it stays. What was stored is told
// of whenever that is found out: the gate has to hear of it as of every batch.
Result<std::optional<Resolution>> Judge::resolve_in_doubt() {
  if (!in_doubt_) return std::nullopt;
  CHECK(lane_ && next_n_ >= 1);  // What is in doubt was written by this lane.
  Error last{ErrorCode::unknown, ""};
  for (int attempts = 1; attempts <= limits_.resolve_attempts_max; ++attempts) {
    const Result<Resolution> resolved = store_.resolve(BatchId{*lane_, next_n_});
    if (resolved) {
      log_.write(Level::info, "commit_resolved",
                 {{"lane", lane_->value},
                  {"n", next_n_},
                  {"as", *resolved == Resolution::committed ? "committed" : "aborted"}});
      const rules::State state = *std::exchange(in_doubt_, std::nullopt);
      ++next_n_;
      if (*resolved == Resolution::committed) tell(state);
      return *resolved;
    }
    last = resolved.error();
    if (last.code == ErrorCode::broken) break;
    pause_(limits_.pause_max);
  }
  log_.write(
      Level::error, "commit_unresolved",
      {{"lane", lane_->value}, {"n", next_n_}, {"why", last.message}, {"next", "restore the database"}});
  return std::unexpected(last);
}

// What the callers of a batch in doubt are told: its verdicts if it is stored; a reason to try again if it
// never can be; unknown if nobody can say.
Result<Judge::Verdicts> Judge::resolve_or_stay(Verdicts verdicts) {
  const auto resolved = resolve_in_doubt();
  if (!resolved && resolved.error().code == ErrorCode::broken) return std::unexpected(resolved.error());
  if (!resolved)
    return fail(ErrorCode::unknown, "the commit could not be resolved: " + resolved.error().message);
  if (*resolved == Resolution::committed) return verdicts;
  return fail(ErrorCode::conflict, "the commit was lost; its tombstone is stored");
}

}  // namespace gavel::judge
