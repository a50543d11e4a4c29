#include "judge/sqlite/follow.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/yield.h"
#include "judge/sqlite/load.h"
#include "judge/sqlite/rows.h"

namespace gavel::judge::sqlite {
namespace {

using rules::LaneId;
using rules::OrderId;

class Follower {
 public:
  Follower(Queries& queries, const Cursors& from, std::size_t flows_max)
      : queries_(queries), flows_left_(static_cast<std::int64_t>(flows_max)) {
    sequel_.reached = from;
  }

  Result<Sequel> follow();

 private:
  Result<std::vector<LaneId>> lanes();
  Result<void> follow_lane(LaneId lane);
  // The batch of the cursor, and what comes after it.
  Result<std::vector<BatchRow>> batches_from(LaneId lane, std::int64_t n, std::int64_t count);
  Result<void> count_left(LaneId lane, std::int64_t reached);
  Result<void> load_orders();

  Queries& queries_;
  std::int64_t flows_left_;
  Sequel sequel_;
  std::set<OrderId> moved_;
};

Result<Sequel> Follower::follow() {
  const auto lanes = this->lanes();
  if (!lanes) return std::unexpected(lanes.error());
  // A cursor in a lane that was never dealt.
  for (const auto& [lane, cursor] : sequel_.reached) {
    if (!std::ranges::binary_search(*lanes, lane)) return Sequel{.other_history = true};
  }
  for (const LaneId lane : *lanes) {
    if (const auto followed = follow_lane(lane); !followed) return std::unexpected(followed.error());
    if (sequel_.other_history) return Sequel{.other_history = true};
  }
  if (const auto loaded = load_orders(); !loaded) return std::unexpected(loaded.error());
  return std::move(sequel_);
}

Result<std::vector<LaneId>> Follower::lanes() {
  std::vector<LaneId> lanes;
  const auto read = queries_[Query::lanes].for_each(
      [&](Row& row) { lanes.push_back(LaneId{row.integer(0)}); }, std::int64_t{1});
  if (!read) return std::unexpected(read.error());
  return lanes;
}

Result<void> Follower::follow_lane(LaneId lane) {
  const auto found = sequel_.reached.find(lane);
  const Cursor from = found == sequel_.reached.end() ? Cursor{} : found->second;
  // The cursor's own, and what follows it: a batch counts as a flow at least.
  const auto batches = batches_from(lane, from.n, 1 + std::max<std::int64_t>(flows_left_, 0));
  if (!batches) return std::unexpected(batches.error());
  if (from.n > 0) {
    const bool is_there = !batches->empty() && batches->front().batch.n == from.n;
    sequel_.other_history = !is_there || batches->front().at != from.at;
    if (sequel_.other_history) return {};
  }
  std::int64_t reached = from.n;
  for (const BatchRow& batch : *batches) {
    if (batch.batch.n == from.n) continue;
    if (flows_left_ <= 0) break;
    flows_left_ -= std::max<std::int64_t>(batch.flows, 1);
    reached = batch.batch.n;
    sequel_.reached[lane] = Cursor{reached, batch.at};
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

Result<std::vector<BatchRow>> Follower::batches_from(LaneId lane, std::int64_t n, std::int64_t count) {
  std::vector<BatchRow> batches;
  const auto read = queries_[Query::batches_from].for_each(
      [&](Row& row) { batches.push_back(batch_of(row)); }, lane, n, count);
  if (!read) return std::unexpected(read.error());
  return batches;
}

// The numbers of a lane have no gap, so the last one tells how many there are.
Result<void> Follower::count_left(LaneId lane, std::int64_t reached) {
  const auto add = [&](Row& row) {
    if (row.is_null(1)) return;  // The last one was reached.
    sequel_.batches_left += row.integer(0) - reached;
    sequel_.oldest_left = std::min(sequel_.oldest_left.value_or(Time::max()), row.time(1));
  };
  return queries_[Query::left_of_lane].for_each(add, lane, reached);
}

Result<void> Follower::load_orders() {
  for (const OrderId id : moved_) {
    yield_thread();
    auto order = find_order(queries_, id);
    if (!order) return std::unexpected(order.error());
    if (*order) sequel_.orders.push_back(**std::move(order));
  }
  return {};
}

}  // namespace

Result<Sequel> follow_ledger(Queries& queries, const Cursors& from, std::size_t flows_max) {
  return Follower(queries, from, flows_max).follow();
}

}  // namespace gavel::judge::sqlite
