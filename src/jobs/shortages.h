// Shortages: how many units are promised and not there, for whoever watches the service (E7).
//
// The judge logs what it makes short and what is made good; this is the sum over all items, which outlives
// processes. step() reads what is short, which is few rows or none. One thread; the figures any.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "judge/reader.h"
#include "ops/metrics.h"

namespace gavel::jobs {

class Shortages {
 public:
  // The reader is the job's own, or of another job on the same thread; it outlives the job.
  explicit Shortages(judge::StockReader& reader) : reader_(reader) {}

  // `unavailable` or `broken` as the reader says; the figures then stay as they were.
  Result<void> step();

  std::int64_t units() const { return units_; }
  std::int64_t items() const { return items_; }

 private:
  judge::StockReader& reader_;
  std::atomic<std::int64_t> units_{0};
  std::atomic<std::int64_t> items_{0};
};

// gavel_jobs_shortage_units, gavel_jobs_shortage_items. `shortages` outlives the metrics' last text.
void watch(MetricsRegistry& metrics, const Shortages& shortages);

}  // namespace gavel::jobs
