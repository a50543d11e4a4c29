// Shortages: how many promised units do not exist, as metrics (E7).
//
// The judge logs each shortage and each unit that covers one. This is the sum over all items, which does not
// depend on the process. step() reads the items that are short, which are few rows or none. One thread; the
// numbers may be read from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "judge/reader.h"
#include "ops/metrics.h"

namespace gavel::jobs {

class Shortages {
 public:
  // The reader is the job's own, or belongs to another job on the same thread. It outlives the job.
  explicit Shortages(judge::StockReader& reader) : reader_(reader) {}

  // `unavailable` or `broken` as the reader says; the numbers then stay as they were.
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
