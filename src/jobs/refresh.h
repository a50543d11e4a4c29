// Refresh: states the judge's numbers to the gate, item after item, and reports drift (A15, A16, A17, B9).
//
//   step(now): read the buckets at the gate ─► read rows, and the ledger at the positions shown ─► compare
//              ─► state what the rows say to every bucket
//
// It is rebuild and reconcile in one: a plain read without a lock that may be stated at any time, by any
// instance, any number of times (gate-protocol, Jobs). Drift is exact, because the ledger says what a bucket
// had at the position that the gate shows. Drift is logged with its direction and both numbers, counted, and
// repaired by the statement. It is slow on purpose: a pass looks at a few items per step, and ends. One
// thread; replies may come from another.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "gate/drift.h"
#include "gate/gate.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "ops/metrics.h"

namespace gavel::jobs {

inline constexpr std::size_t refresh_items_max = 10;  // Of one step.

class Refresh {
 public:
  // The items that have buckets at the gate, in order of their numbers; called on the job's thread.
  using Gated = std::function<std::vector<rules::ItemId>()>;
  enum class Step : std::uint8_t {
    more,    // The pass is not over, or waits for the gate.
    passed,  // Every item was looked at once.
  };

  // `reader` is the job's own; all references outlive the job, and gate.close() is called before it ends.
  Refresh(judge::StockReader& reader, gate::Gate& gate, rules::Incarnation incarnation, Gated gated, Log& log,
          MetricsRegistry& metrics);
  ~Refresh();
  Refresh(const Refresh&) = delete;
  Refresh& operator=(const Refresh&) = delete;

  // Never blocks on the gate. `unavailable` or `broken` as the reader says; an item for which the gate does
  // not answer is skipped until the next pass.
  Result<Step> step();

 private:
  using Buckets = std::vector<Result<std::optional<gate::Bucket>>>;
  struct Comparison;

  Result<void> begin(rules::ItemId item);
  Result<void> finish(rules::ItemId item, const Buckets& buckets);
  void state(const gate::BucketKey& key, const gate::Statement& statement, bool erases);
  void tell(const gate::BucketKey& key, const std::optional<gate::Bucket>& shown,
            std::optional<rules::Quantity> had, gate::Drift drift);
  gate::BucketKey key_of(rules::ItemId item, rules::BucketNo bucket) const {
    return {incarnation_, item, bucket};
  }

  judge::StockReader& reader_;
  gate::Gate& gate_;
  const rules::Incarnation incarnation_;
  const Gated gated_;
  Log& log_;
  std::array<Counter, 6> drifts_;  // By the number of the drift.
  Counter buckets_;
  Counter passes_;
  std::optional<rules::ItemId> last_;       // Of this pass; none at its beginning.
  std::shared_ptr<Comparison> comparison_;  // Under way.
};

}  // namespace gavel::jobs
