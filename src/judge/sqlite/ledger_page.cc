#include "judge/sqlite/ledger_page.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/yield.h"
#include "judge/sqlite/load.h"
#include "judge/sqlite/rows.h"

namespace gavel::judge::sqlite {
namespace {

using rules::LaneId;
using rules::OrderId;

class PageReading {
 public:
  PageReading(Queries& queries, const Offsets& from, std::size_t flows_max)
      : queries_(queries), flows_left_(static_cast<std::int64_t>(flows_max)) {
    page_.reached = from;
  }

  Result<LedgerPage> read();

 private:
  Result<std::vector<LaneId>> lanes();
  Result<void> read_lane(LaneId lane);
  // The batch of the offset, and what comes after it.
  Result<std::vector<BatchRow>> batches_from(LaneId lane, std::int64_t n, std::int64_t count);
  Result<void> count_left(LaneId lane, std::int64_t reached);
  Result<void> load_orders();

  Queries& queries_;
  std::int64_t flows_left_;
  LedgerPage page_;
  std::set<OrderId> moved_;
};

Result<LedgerPage> PageReading::read() {
  const auto lanes = this->lanes();
  if (!lanes) return std::unexpected(lanes.error());
  // An offset in a lane that was never dealt.
  for (const auto& [lane, offset] : page_.reached) {
    if (!std::ranges::binary_search(*lanes, lane)) return LedgerPage{.other_history = true};
  }
  for (const LaneId lane : *lanes) {
    if (const auto lane_read = read_lane(lane); !lane_read) return std::unexpected(lane_read.error());
    if (page_.other_history) return LedgerPage{.other_history = true};
  }
  if (const auto loaded = load_orders(); !loaded) return std::unexpected(loaded.error());
  return std::move(page_);
}

Result<std::vector<LaneId>> PageReading::lanes() {
  std::vector<LaneId> lanes;
  const auto read = queries_[Query::lanes].for_each(
      [&](Row& row) { lanes.push_back(LaneId{row.integer(0)}); }, std::int64_t{1});
  if (!read) return std::unexpected(read.error());
  return lanes;
}

Result<void> PageReading::read_lane(LaneId lane) {
  const auto found = page_.reached.find(lane);
  const Offset from = found == page_.reached.end() ? Offset{} : found->second;
  // The offset's own, and what follows it: a batch counts as a flow at least.
  const auto batches = batches_from(lane, from.n, 1 + std::max<std::int64_t>(flows_left_, 0));
  if (!batches) return std::unexpected(batches.error());
  if (from.n > 0) {
    const bool is_there = !batches->empty() && batches->front().batch.n == from.n;
    page_.other_history = !is_there || batches->front().at != from.at;
    if (page_.other_history) return {};
  }
  std::int64_t reached = from.n;
  for (const BatchRow& batch : *batches) {
    if (batch.batch.n == from.n) continue;
    if (flows_left_ <= 0) break;
    flows_left_ -= std::max<std::int64_t>(batch.flows, 1);
    reached = batch.batch.n;
    page_.reached[lane] = Offset{reached, batch.at};
  }
  const auto add = [&](Row& row) {
    moved_.insert(row.order_id(0));
    yield_thread();
  };
  if (reached > from.n) {
    const auto read = queries_[Query::orders_of_batches].for_each(add, lane, from.n, reached);
    if (!read) return read;
  }
  return count_left(lane, reached);
}

Result<std::vector<BatchRow>> PageReading::batches_from(LaneId lane, std::int64_t n, std::int64_t count) {
  std::vector<BatchRow> batches;
  const auto read = queries_[Query::batches_from].for_each(
      [&](Row& row) { batches.push_back(batch_of(row)); }, lane, n, count);
  if (!read) return std::unexpected(read.error());
  return batches;
}

// The numbers of a lane have no gap, so the last one tells how many there are.
Result<void> PageReading::count_left(LaneId lane, std::int64_t reached) {
  const auto add = [&](Row& row) {
    if (row.is_null(1)) return;  // The last one was reached.
    page_.batches_left += row.integer(0) - reached;
    page_.oldest_left = std::min(page_.oldest_left.value_or(Time::max()), row.time(1));
  };
  return queries_[Query::left_of_lane].for_each(add, lane, reached);
}

Result<void> PageReading::load_orders() {
  const std::vector<OrderId> ids(moved_.begin(), moved_.end());
  auto found = find_orders(queries_, ids);
  if (!found) return std::unexpected(found.error());
  const auto places = find_places_of_orders(queries_, ids);
  if (!places) return std::unexpected(places.error());
  page_.orders.reserve(found->size());
  for (auto& [id, order] : *found) {
    const auto place = places->find(id);
    CHECK(place != places->end());  // A row of the ledger named it, in this very snapshot.
    const auto& [lane, n, i] = place->second;
    const rules::OrderPosition position{order.created_at, lane, n, i};
    page_.orders.push_back({std::move(order), position});
  }
  return {};
}

}  // namespace

Result<LedgerPage> read_ledger_page(Queries& queries, const Offsets& from, std::size_t flows_max) {
  return PageReading(queries, from, flows_max).read();
}

}  // namespace gavel::judge::sqlite
