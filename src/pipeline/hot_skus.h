// HotSkus: answers to orders by SKU and outcome, for the hottest SKUs alone (C16).
//
// A shop may have a hundred thousand SKUs, and a series each would drown whoever reads them. So a bounded
// number of SKUs have series, and the rest is summed under "(others)"; so is a SKU of that name. A SKU that
// is asked for more often than twice the coldest of them takes its place: its series begins at that moment,
// and the series of the other one ends. So every series only grows while it is there. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ops/metrics.h"
#include "rules/command.h"
#include "rules/outcome.h"

namespace gavel::pipeline {

inline constexpr std::size_t hot_skus_max = 20;
inline constexpr std::size_t watched_skus_max = 1'000;  // Whose heat is looked at.
inline constexpr Duration heat_halves_every{10'000};

class HotSkus {
 public:
  // The clock outlives it.
  explicit HotSkus(const Clock& clock) : clock_(clock) {}

  // The answer to an order counts for each of its SKUs; any other command counts for none.
  void add(const rules::Command& command, rules::Outcome outcome) GAVEL_EXCLUDES(mutex_);

  std::vector<Sample> samples() const GAVEL_EXCLUDES(mutex_);

 private:
  using Counts = std::map<rules::Outcome, std::uint64_t>;

  void add(const rules::SkuCode& sku, rules::Outcome outcome) GAVEL_REQUIRES(mutex_);
  void admit(const rules::SkuCode& sku) GAVEL_REQUIRES(mutex_);
  void cool() GAVEL_REQUIRES(mutex_);
  std::uint64_t heat_of(const rules::SkuCode& sku) const GAVEL_REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<rules::SkuCode, Counts> hot_ GAVEL_GUARDED_BY(mutex_);
  Counts others_ GAVEL_GUARDED_BY(mutex_);
  // How often a SKU was asked for of late: halved now and then, and forgotten when nothing is left.
  std::map<rules::SkuCode, std::uint64_t> heat_ GAVEL_GUARDED_BY(mutex_);
  Duration cooled_at_ GAVEL_GUARDED_BY(mutex_){0};
};

// Has `metrics` read them. Both outlive the readings.
void watch(MetricsRegistry& metrics, const HotSkus& skus);

}  // namespace gavel::pipeline
