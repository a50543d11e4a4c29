#include "jobs/refresh.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "gate/statements.h"
#include "rules/stock.h"

namespace gavel::jobs {

using gate::Drift;

// What the gate shows of one item, as far as it has answered.
struct Refresh::Inspection {
  Inspection(rules::ItemId of, std::size_t buckets) : item(of), open(buckets), shown(buckets) {}

  const rules::ItemId item;
  Mutex mutex;
  std::size_t open GAVEL_GUARDED_BY(mutex);  // Answers that have not come.
  bool failed GAVEL_GUARDED_BY(mutex) = false;
  GateBuckets shown GAVEL_GUARDED_BY(mutex);
};

Refresh::Refresh(judge::StockReader& reader, gate::Gate& gate, gate::Incarnation incarnation, Gated gated,
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
    if (!inspection_) {
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
    if (!inspection_) continue;
    GateBuckets shown;
    bool failed = false;
    {
      const MutexLock lock(inspection_->mutex);
      if (inspection_->open > 0) return Step::more;
      shown = std::move(inspection_->shown);
      failed = inspection_->failed;
    }
    const rules::ItemId item = std::exchange(inspection_, nullptr)->item;
    if (failed) continue;
    if (auto finished = finish(item, shown); !finished) return std::unexpected(finished.error());
  }
  return Step::more;
}

Result<void> Refresh::begin(rules::ItemId item) {
  CHECK(inspection_ == nullptr);
  const auto now = reader_.item_history(item, {});
  if (!now) return std::unexpected(now.error());
  if (!now->item) return {};
  const std::size_t buckets = now->item->buckets.size();
  CHECK(buckets >= 1);
  inspection_ = std::make_shared<Inspection>(item, buckets);
  for (std::size_t i = 0; i < buckets; ++i) {
    const auto on_bucket = [inspection = inspection_, i](const Result<std::optional<gate::Bucket>>& seen) {
      const MutexLock lock(inspection->mutex);
      CHECK(inspection->open > 0);
      if (seen) inspection->shown[i] = *seen;
      inspection->failed = inspection->failed || !seen;
      --inspection->open;
    };
    gate_.read(key_of(item, static_cast<rules::BucketNo>(i)), on_bucket);
  }
  return {};
}

// The judge is read after the gate, since the judge goes on. An item that is gated no longer is left alone:
// its buckets went with its mode.
Result<void> Refresh::finish(rules::ItemId item, const GateBuckets& shown) {
  CHECK(inspection_ == nullptr && !shown.empty());
  std::map<rules::BucketNo, std::int64_t> positions;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i]) positions.emplace(static_cast<rules::BucketNo>(i), shown[i]->seq);
  }
  const auto history = reader_.item_history(item, positions);
  if (!history) return std::unexpected(history.error());
  const std::vector<rules::ItemId> gated = gated_();
  if (!history->item || is_unsound(*history->item) || !std::ranges::binary_search(gated, item)) return {};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto bucket = static_cast<rules::BucketNo>(i);
    const auto known = history->available.find(bucket);
    const auto had = known == history->available.end() ? std::nullopt : std::optional(known->second);
    const Drift drift = gate::drift_of(shown[i], *history->item, bucket, had);
    buckets_.add();
    if (drift != Drift::none) report(key_of(item, bucket), shown[i], had, drift);
    if (gate::needs_erasing(drift)) gate_.erase(key_of(item, bucket), [](const Result<void>&) {});
  }
  for (const gate::PendingStatement& owed : gate::statements_of_refresh(*history->item)) {
    // A statement that is lost is stated again by the next pass.
    gate_.say(key_of(item, owed.bucket), gate::to_state(owed.statement), [](const Result<gate::Reply>&) {});
  }
  return {};
}

void Refresh::report(const gate::BucketKey& key, const std::optional<gate::Bucket>& shown,
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
