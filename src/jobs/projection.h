// Projection: follows the ledger with the index of orders by user (B17), batch by batch, lane by lane.
//
//   step: what comes after the offsets ─► into the index, together with the offsets it has reached
//
// It never skips anything: an offset moves in the same transaction as the rows up to it, and the batches of a
// lane have no gap. If the offsets belong to another history (the judge's file was replaced or restored), the
// index is emptied and rebuilt from the beginning. One thread; lag() from any.
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

// Ledger rows of one step, which is a millisecond's work. Few, because the transaction that writes them to
// the index takes a processor from the sale (docs/performance.md), and because the judge's log cannot restart
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
  std::optional<judge::Offsets> offsets_;  // The index's own offsets; none: they must be read.
  std::atomic<std::int64_t> batches_left_{0};
  // When the oldest of them was written, by the steady clock; max: nothing is left.
  std::atomic<Duration> oldest_left_{Duration::max()};
};

// Has `metrics` read how far it is behind, on any thread. All outlive the readings.
void watch(MetricsRegistry& metrics, const Projection& projection);

}  // namespace gavel::jobs
