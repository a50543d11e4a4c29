// Retention: deletes records of requests that are too old to be asked for again, in bounded batches (A28).
//
//   step: the next rows by their key ─► the old ones to the lanes as Forget commands ─► their verdicts
//         count down
//
// A round looks at every request that has a row of its own; the next round begins some time after its end.
// There is no index by time: every payment would have to maintain it, while a round costs one row read per
// recorded request. Orders keep the request in their own row, and the ledger keeps everything. The database's
// clock says which records are old, and the judge decides by the same clock. A step never blocks on a
// verdict. One thread; verdicts may arrive from another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "ops/metrics.h"
#include "pipeline/lanes.h"
#include "rules/decide.h"

namespace gavel::jobs {

// Rows that one step looks at, and the most that it has deleted in one batch.
inline constexpr std::size_t retention_rows_max = 1'000;

// From the end of a round to the beginning of the next.
inline constexpr Duration retention_rests{10 * 60 * 1000};

class Retention {
 public:
  // `reader` is the job's own; all references outlive the job and every command that it offered. The policy
  // is the judge's.
  Retention(judge::RequestsReader& reader, pipeline::Lanes& lanes, const Clock& clock, Log& log,
            rules::Policy policy, std::size_t rows_max = retention_rows_max);

  // Looks at the next rows, unless the job rests or earlier commands have no verdict. Returns how many rows
  // it looked at. What finds its lane full is offered by the next step.
  Result<std::size_t> step();

  // Commands offered that have no verdict yet. Any thread.
  std::size_t outstanding() const { return outstanding_.load(); }

  // Records deleted so far. Any thread.
  std::uint64_t forgotten() const { return forgotten_.load(); }

 private:
  bool offer(const rules::RequestId& id);
  void end_round();

  judge::RequestsReader& reader_;
  pipeline::Lanes& lanes_;
  const Clock& clock_;
  Log& log_;
  const rules::Policy policy_;
  const std::size_t rows_max_;
  std::optional<rules::RequestId> after_;     // The last row of this round that was processed.
  Duration next_round_at_ = Duration::min();  // By the steady clock.
  std::uint64_t forgotten_before_ = 0;        // When this round began.
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<std::uint64_t> forgotten_{0};
};

// Has `metrics` read how many were deleted, on any thread. Both outlive the readings.
void watch(MetricsRegistry& metrics, const Retention& retention);

}  // namespace gavel::jobs
