#include "jobs/refresh.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"
#include "gate/bucket_calls.h"
#include "gate/statements.h"
#include "rules/stock.h"

namespace gavel::jobs {

using gate::Drift;

// One item whose buckets are being read at the gate.
struct Refresh::Comparison {
  explicit Comparison(rules::ItemId of) : item(of) {}

  const rules::ItemId item;
  Mutex mutex;
  std::optional<Buckets> buckets GAVEL_GUARDED_BY(mutex);  // Once all have been read.
};

Refresh::Refresh(judge::StockReader& reader, gate::Gate& gate, rules::Incarnation incarnation, Gated gated,
                 Log& log, MetricsRegistry& metrics)
    : reader_(reader),
      gate_(gate),
      incarnation_(incarnation),
      gated_(std::move(gated)),
      log_(log),
      buckets_(metrics.counter("gavel_jobs_refresh_buckets_total",
                               "Buckets at the gate that were compared with the judge.")),
      passes_(
          metrics.counter("gavel_jobs_refresh_passes_total", "Times that every gated item was compared.")) {
  for (const Drift drift :
       {Drift::missing, Drift::too_little, Drift::too_much, Drift::closed, Drift::beyond}) {
    drifts_.at(static_cast<std::size_t>(drift)) =
        metrics.counter("gavel_jobs_refresh_drift_total",
                        "Buckets at the gate that showed numbers which the judge never had.",
                        {{"direction", std::string(word(drift))}});
  }
}

Refresh::~Refresh() = default;

Result<Refresh::Step> Refresh::step() {
  for (std::size_t items = 0; items < refresh_items_max; ++items) {
    if (!comparison_) {
      const std::vector<rules::ItemId> gated = gated_();
      CHECK(std::ranges::is_sorted(gated));
      const auto next = last_ ? std::ranges::upper_bound(gated, *last_) : gated.begin();
      if (next == gated.end()) {
        last_.reset();
        passes_.add();
        return Step::passed;
      }
      last_ = *next;
      if (auto begun = begin(*next); !begun) return std::unexpected(begun.error());
    }
    if (!comparison_) continue;
    Buckets buckets;
    {
      const MutexLock lock(comparison_->mutex);
      if (!comparison_->buckets) return Step::more;
      buckets = *std::move(comparison_->buckets);
    }
    const rules::ItemId item = std::exchange(comparison_, nullptr)->item;
    if (!gate::all_arrived(buckets)) continue;
    if (auto finished = finish(item, buckets); !finished) return std::unexpected(finished.error());
  }
  return Step::more;
}

Result<void> Refresh::begin(rules::ItemId item) {
  CHECK(comparison_ == nullptr);
  const auto now = reader_.item_history(item, {});
  if (!now) return std::unexpected(now.error());
  if (!now->item) return {};
  comparison_ = std::make_shared<Comparison>(item);
  gate::read_buckets(gate_, incarnation_, item, now->item->buckets.size(),
                     [comparison = comparison_](Buckets buckets) {
                       const MutexLock lock(comparison->mutex);
                       comparison->buckets = std::move(buckets);
                     });
  return {};
}

// The judge is read after the gate, since the judge goes on. An item that is gated no longer is left alone:
// its buckets went with its mode.
Result<void> Refresh::finish(rules::ItemId item, const Buckets& buckets) {
  CHECK(comparison_ == nullptr && !buckets.empty());
  std::map<rules::BucketNo, std::int64_t> positions;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const std::optional<gate::Bucket>& shown = *buckets[i];
    if (shown) positions.emplace(static_cast<rules::BucketNo>(i), shown->seq);
  }
  const auto history = reader_.item_history(item, positions);
  if (!history) return std::unexpected(history.error());
  const std::vector<rules::ItemId> gated = gated_();
  if (!history->item || is_unsound(*history->item) || !std::ranges::binary_search(gated, item)) return {};
  std::set<rules::BucketNo> erased;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const std::optional<gate::Bucket>& shown = *buckets[i];
    const auto bucket = static_cast<rules::BucketNo>(i);
    const auto known = history->available.find(bucket);
    const auto had = known == history->available.end() ? std::nullopt : std::optional(known->second);
    const Drift drift = gate::drift_of(shown, *history->item, bucket, had);
    buckets_.add();
    if (drift != Drift::none) tell(key_of(item, bucket), shown, had, drift);
    if (gate::needs_erasing(drift)) erased.insert(bucket);
  }
  for (const gate::PendingStatement& pending : gate::statements_of_refresh(*history->item)) {
    state(key_of(item, pending.bucket), pending.statement, erased.contains(pending.bucket));
  }
  return {};
}

// Calls at the gate have no order, so what is erased first is stated once that is done. A call that is lost
// is made again by the next pass.
void Refresh::state(const gate::BucketKey& key, const gate::Statement& statement, bool erases) {
  const auto ignored = [](const Result<gate::Reply>&) {};
  if (!erases) return gate_.say(key, gate::to_state(statement), ignored);
  gate_.erase(key, [&gate = gate_, key, statement, ignored](const Result<void>& erased) {
    if (erased) gate.say(key, gate::to_state(statement), ignored);
  });
}

void Refresh::tell(const gate::BucketKey& key, const std::optional<gate::Bucket>& shown,
                   std::optional<rules::Quantity> had, Drift drift) {
  CHECK(drift != Drift::none);
  drifts_.at(static_cast<std::size_t>(drift)).add();
  log_.write(Level::warn, "gate_drift",
             {{"bucket", gate::to_text(key)},
              {"direction", word(drift)},
              {"gate", gate::to_text(shown)},
              {"ledger", had ? std::to_string(had->units) : "no such position"},
              {"next", "repaired; if this happens again, find out who else writes to the gate"}});
}

}  // namespace gavel::jobs
