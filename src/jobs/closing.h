// Closing: closes sales that are past their closing time, so that their unsold units are free again (E23).
//
//   step: open activities past closes_at ─► offered to the lanes as CloseActivity without a key ─► their
//         verdicts count down
//
// The database's time says which sales are over, and the judge decides by the same time, so a step that runs
// twice or in two processes closes nothing wrongly. A draft is not closed. A step never blocks on a verdict.
// One thread; verdicts may arrive from another.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/clock.h"
#include "base/result.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "pipeline/lanes.h"

namespace gavel::jobs {

// Sales that are offered at once.
inline constexpr std::size_t closing_batch_max = 100;
// A sale that could not be closed is logged no more often than this.
inline constexpr Duration closing_logged_every{60'000};

class Closing {
 public:
  // `reader` is the job's own, or belongs to another job on the same thread; all references outlive the job
  // and every command that it offered.
  Closing(judge::ActivitiesReader& reader, pipeline::Lanes& lanes, const Clock& clock, Log& log)
      : reader_(reader), lanes_(lanes), clock_(clock), log_(log) {}

  // Offers the sales that are over; none while earlier ones have no verdict. Returns how many were offered.
  Result<std::size_t> step();

  // Commands offered that have no verdict yet. Any thread.
  std::size_t outstanding() const { return outstanding_.load(); }

 private:
  bool offer(const rules::ActivityCode& activity);
  void tell(const rules::ActivityCode& activity, const rules::Verdict& verdict);

  judge::ActivitiesReader& reader_;
  pipeline::Lanes& lanes_;
  const Clock& clock_;
  Log& log_;
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<Duration> failure_logged_until_{Duration(0)};  // By the steady clock.
};

}  // namespace gavel::jobs
