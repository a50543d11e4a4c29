// Projection: follows the ledger with the index of orders by user (B17), batch by batch, lane by lane.
//
//   step: what comes after the offsets ─► into the index, together with the offsets it has reached
//
// It never passes over anything: a offset moves in the same transaction as the rows up to it, and batches of
// a lane have no gap. Where the offsets are of another history (the judge's file was replaced or put back),
// the index is emptied and made again from the beginning. One thread; lag() from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"
#include "judge/order_index.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "ops/metrics.h"

namespace gavel::jobs {

// Ledger rows of one step, which is a millisecond's work. Few, since the transaction that puts them into the
// index keeps its processor from the sale (docs/performance.md), and since the judge's log cannot begin anew
// while a step reads.
inline constexpr std::size_t projection_flows_max = 100;

// How far an index is behind the ledger.
struct Lag {
  std::int64_t batches = 0;
  Duration behind{0};  // Since the first of these batches was written.
};

class Projection {
 public:
  // All references outlive it; `reader` is its own.
  Projection(judge::LedgerReader& reader, judge::OrderIndex& index, const Clock& clock, Log& log,
             std::size_t flows_max = projection_flows_max);

  // Follows one step. True if there is more to follow at once.
  Result<bool> step();

  // As of the last step.
  Lag lag() const;

 private:
  Result<void> begin_anew();

  judge::LedgerReader& reader_;
  judge::OrderIndex& index_;
  const Clock& clock_;
  Log& log_;
  const std::size_t flows_max_;
  std::optional<judge::Offsets> offsets_;  // As the index has them; none: to be asked for.
  std::atomic<std::int64_t> batches_left_{0};
  // When the oldest of them was written, by the steady clock; max: nothing is left.
  std::atomic<Duration> oldest_left_{Duration::max()};
};

// Has `metrics` read how far it is behind, on any thread. All outlive the readings.
void watch(MetricsRegistry& metrics, const Projection& projection);

}  // namespace gavel::jobs
