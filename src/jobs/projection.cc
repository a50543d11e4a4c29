#include "jobs/projection.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/check.h"

namespace gavel::jobs {
namespace {

// A lane is followed forwards, and none is left out once it was followed.
bool is_ahead(const judge::Offsets& reached, const judge::Offsets& from) {
  return std::ranges::all_of(from, [&](const auto& lane) {
    const auto found = reached.find(lane.first);
    return found != reached.end() && found->second.n >= lane.second.n;
  });
}

}  // namespace

Projection::Projection(judge::LedgerReader& reader, judge::OrderIndex& index, const Clock& clock, Log& log,
                       std::size_t flows_max)
    : reader_(reader), index_(index), clock_(clock), log_(log), flows_max_(flows_max) {
  CHECK(flows_max_ >= 1);
}

Result<bool> Projection::step() {
  if (!offsets_) {
    auto offsets = index_.offsets();
    if (!offsets) return std::unexpected(offsets.error());
    offsets_ = *std::move(offsets);
  }
  const auto page = reader_.read_after(*offsets_, flows_max_);
  if (!page) return std::unexpected(page.error());
  if (page->other_history) {
    if (const auto begun = begin_anew(); !begun) return std::unexpected(begun.error());
    return true;
  }
  CHECK(is_ahead(page->reached, *offsets_));
  CHECK(page->oldest_left.has_value() == (page->batches_left > 0));
  if (page->reached != *offsets_) {
    std::vector<judge::IndexedOrder> orders;
    orders.reserve(page->orders.size());
    for (const auto& [order, position] : page->orders) {
      orders.push_back({order.account, order.user, position, order.id, order.state});
    }
    if (const auto put = index_.put(orders, page->reached); !put) {
      offsets_.reset();  // Perhaps written: the index knows.
      return std::unexpected(put.error());
    }
    offsets_ = page->reached;
  }
  batches_left_ = page->batches_left;
  oldest_left_ = page->oldest_left ? clock_.steady() - (page->now - *page->oldest_left) : Duration::max();
  return page->batches_left > 0;
}

Result<void> Projection::begin_anew() {
  log_.write(Level::warn, "order_index_begun_anew", {{"why", "the database has another history"}});
  offsets_.reset();
  return index_.clear();
}

Lag Projection::lag() const {
  const Duration oldest = oldest_left_.load();
  return {batches_left_.load(), std::max(clock_.steady(), oldest) - oldest};
}

void watch(MetricsRegistry& metrics, const Projection& projection) {
  metrics.watch_gauge("gavel_jobs_projection_behind_batches",
                      "Committed batches that the index of orders by user has not followed.",
                      [&projection] { return static_cast<double>(projection.lag().batches); });
  metrics.watch_gauge(
      "gavel_jobs_projection_behind_seconds", "How long ago the first of these batches was written.",
      [&projection] { return std::chrono::duration<double>(projection.lag().behind).count(); });
}

}  // namespace gavel::jobs
