// Metrics of the judge about its batches. Default-constructed metrics do nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "ops/metrics.h"
#include "rules/flow.h"

namespace gavel::judge {

// Units that the ledger moved, by its actions (reserved, paid, returned), whoever caused it.
class UnitCounters {
 public:
  UnitCounters() = default;
  explicit UnitCounters(MetricsRegistry& metrics) {
    for (std::size_t number = 0; number < rules::actions_count; ++number) {
      const auto action = static_cast<rules::Action>(number);
      counters_.push_back(metrics.counter("gavel_judge_units_total", "Units that the ledger moved.",
                                          {{"action", std::string(rules::word(action))}}));
    }
  }

  void add(const rules::Flow& flow) const {
    if (counters_.empty()) return;
    const auto number = static_cast<std::size_t>(flow.action);
    CHECK(number < counters_.size());
    counters_[number].add(static_cast<std::uint64_t>(flow.quantity.units));
  }

 private:
  std::vector<Counter> counters_;  // By the action's number.
};

struct Metrics {
  Metrics() = default;
  // Both outlive the metrics.
  Metrics(MetricsRegistry& metrics, const Clock& clock)
      : retried(metrics.counter("gavel_judge_batches_retried_total",
                                "Tries of a batch that met a conflict and were made again.")),
        halved(metrics.counter("gavel_judge_batches_halved_total",
                               "Batches that the store refused as a whole, and that were halved.")),
        in_doubt(metrics.counter("gavel_judge_batches_in_doubt_total",
                                 "Batches whose commit had no known end for a while.")),
        commit(metrics.timer("gavel_judge_commit_seconds", "Time from commit to durable.", clock)),
        units(metrics) {}

  Counter retried;
  Counter halved;
  Counter in_doubt;
  Timer commit;
  UnitCounters units;
};

}  // namespace gavel::judge
