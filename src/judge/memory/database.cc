#include "judge/memory/database.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace gavel::judge {
namespace {

using rules::Bucket;
using rules::Flow;
using rules::no_units;
using rules::OrderId;
using rules::RowState;
using rules::State;

// Nobody holds the transaction longer than one batch takes; who waits a second meets a store that was left
// open. Counted in short waits, of which a spurious wake-up costs one.
constexpr std::chrono::milliseconds transaction_wait{20};
constexpr int transaction_waits_max = 50;

template <class Map>
void keep_changed(const Map& all, Map& changed) {
  for (const auto& [key, row] : all) {
    if (row.row_state != RowState::clean) changed.emplace(key, row);
  }
}

bool is_inserted(const auto& row) { return row.row_state == RowState::inserted; }

Error duplicate(const std::string& what) { return {ErrorCode::duplicate, what + " exists"}; }
Error conflict(const std::string& what) { return {ErrorCode::conflict, what + " is not as it was loaded"}; }
Error constraint(const std::string& what) { return {ErrorCode::constraint, what}; }

// The first thing that is wrong, or nothing.
using Wrong = std::optional<Error>;

// Of a table in which `key` names the row: an inserted row must be new, an updated one must be there.
template <class Map, class Key>
Wrong wrong_presence(const Map& table, const Key& key, const auto& row, const std::string& what) {
  if (is_inserted(row) && table.contains(key)) return duplicate(what);
  if (!is_inserted(row) && !table.contains(key)) return conflict(what);
  return std::nullopt;
}

Wrong wrong_bucket(const Bucket& bucket, const std::string& what) {
  if (std::min({bucket.available, bucket.reserved, bucket.sold, bucket.shortage, bucket.shipped}) < no_units)
    return constraint(what + " is negative");
  if (bucket.shortage > no_units && bucket.available > no_units)
    return constraint(what + " is short and has units available");
  return std::nullopt;
}

std::string name_of(rules::ItemId item, std::size_t bucket) {
  return "bucket " + std::to_string(item.value) + "/" + std::to_string(bucket);
}

// Each changed bucket is guarded by the numbers that it was loaded with.
Wrong wrong_buckets(const Tables& tables, const rules::Item& item) {
  const auto found = tables.items.find(item.id);
  const std::vector<Bucket> present =
      found == tables.items.end() ? std::vector<Bucket>() : found->second.buckets;
  for (std::size_t no = 0; no < item.buckets.size(); ++no) {
    if (Wrong wrong = wrong_bucket(item.buckets[no], name_of(item.id, no))) return wrong;
    const bool is_new = no >= item.loaded.size() || is_inserted(item);
    if (is_new && no < present.size()) return duplicate(name_of(item.id, no));
    if (is_new || item.buckets[no] == item.loaded[no]) continue;
    if (no >= present.size() || present[no] != item.loaded[no]) return conflict(name_of(item.id, no));
  }
  return std::nullopt;
}

// The row of an item changes with its generation, or within one with its refusals or the buckets in use.
bool goes_on(const rules::Item& present, const rules::Item& next) {
  if (present.generation != next.generation) return present.generation < next.generation;
  return present.refusals < next.refusals || present.retired != next.retired;
}

Wrong wrong_items(const Tables& tables, const State& rows) {
  for (const auto& [id, item] : rows.items) {
    const std::string what = "item " + std::to_string(id.value);
    if (Wrong wrong = wrong_presence(tables.items, id, item, what)) return wrong;
    if (item.row_state == RowState::updated && !goes_on(tables.items.at(id), item)) return conflict(what);
    if (Wrong wrong = wrong_buckets(tables, item)) return wrong;
  }
  return std::nullopt;
}

// SKUs and activities are guarded by the version that they were loaded with.
template <class Map, class Key>
Wrong wrong_version(const Map& table, const Key& key, const auto& row, const std::string& what) {
  if (is_inserted(row) || table.at(key).version == row.version) return std::nullopt;
  return conflict(what);
}

Wrong wrong_names(const Tables& tables, const State& rows) {
  for (const auto& [code, sku] : rows.skus) {
    if (Wrong wrong = wrong_presence(tables.skus, code, sku, "sku " + code.text())) return wrong;
    if (Wrong wrong = wrong_presence(tables.sku_codes, sku.id, sku, "number of sku " + code.text()))
      return wrong;
    if (Wrong wrong = wrong_version(tables.skus, code, sku, "sku " + code.text())) return wrong;
  }
  for (const auto& [code, activity] : rows.activities) {
    const std::string what = "activity " + code.text();
    if (Wrong wrong = wrong_presence(tables.activities, code, activity, what)) return wrong;
    if (Wrong wrong = wrong_presence(tables.activity_codes, activity.id, activity, "number of " + what))
      return wrong;
    if (Wrong wrong = wrong_version(tables.activities, code, activity, what)) return wrong;
  }
  return std::nullopt;
}

// Each changed order is guarded by the revision that it was loaded with.
Wrong wrong_orders(const Tables& tables, const State& rows) {
  for (const auto& [id, order] : rows.orders) {
    const std::string what = "order " + to_text(id.uuid);
    if (Wrong wrong = wrong_presence(tables.orders, id, order, what)) return wrong;
    if (is_inserted(order) && (tables.key_guards.contains(id) || rows.key_guards.contains(id)))
      return duplicate(what);
    if (is_inserted(order)) continue;
    CHECK(order.loaded);
    if (tables.orders.at(id).order.revision != order.loaded->revision) return conflict(what);
    if (order.revision <= order.loaded->revision) return constraint(what + " changes with its revision");
  }
  for (const auto& [id, recorded] : rows.orders_as_requests) {
    const auto order = rows.orders.find(id);
    CHECK(order != rows.orders.end() && is_inserted(order->second));  // Its order is inserted with it.
  }
  return std::nullopt;
}

Wrong wrong_guards(const Tables& tables, const State& rows) {
  for (const OrderId& id : rows.key_guards) {
    if (tables.orders.contains(id) || tables.key_guards.contains(id))
      return duplicate("key guard " + to_text(id.uuid));
  }
  return std::nullopt;
}

Wrong wrong_requests(const Tables& tables, const State& rows) {
  const auto name_of_request = [](const rules::RequestId& id) {
    return "request " + id.first.text() + "/" + std::string(id.second.text());
  };
  for (const rules::RequestId& id : rows.forgotten) {
    if (!tables.requests.contains(id)) return conflict(name_of_request(id));
  }
  for (const auto& [id, recorded] : rows.requests) {
    const std::string what = name_of_request(id);
    if (rows.forgotten.contains(id)) continue;  // Its place is free.
    CHECK(is_inserted(recorded));               // A first answer never changes.
    if (tables.requests.contains(id)) return duplicate(what);
  }
  return std::nullopt;
}

Wrong wrong_quotas(const Tables& tables, const State& rows) {
  for (const auto& [key, quota] : rows.quotas) {
    const std::string what =
        "quota of " + key.user.text() + " in activity " + std::to_string(key.activity.value);
    if (quota.claimed < no_units || quota.claimed > quota.allowed)
      return constraint(what + " is out of bounds");
    if (Wrong wrong = wrong_presence(tables.quotas, key, quota, what)) return wrong;
    if (!is_inserted(quota) && tables.quotas.at(key).claimed != quota.loaded) return conflict(what);
  }
  return std::nullopt;
}

Wrong wrong_flows(const Tables& tables, const State& rows) {
  std::set<FlowId> ids;
  std::set<OccurrenceId> occurrences;
  for (const Flow& flow : rows.flows) {
    const FlowId id{flow.item, flow.bucket, flow.seq};
    const std::string what = "flow " + std::to_string(flow.seq) + " of " +
                             name_of(flow.item, static_cast<std::size_t>(flow.bucket));
    if (flow.quantity <= no_units || flow.before < no_units || flow.after < no_units)
      return constraint(what + " is negative");
    if (tables.flows.contains(id) || !ids.insert(id).second) return duplicate(what);
    if (!flow.order) continue;
    const OccurrenceId occurrence{*flow.order, flow.item, flow.bucket, flow.action, flow.occurrence};
    if (tables.occurrences.contains(occurrence) || !occurrences.insert(occurrence).second) {
      return duplicate(what + ", by order and occurrence,");
    }
  }
  return std::nullopt;
}

Wrong wrong_numbers(const Tables& tables, const Staged& staged) {
  const BatchId batch = staged.batch.batch;
  if (tables.batches.contains(batch)) {
    return duplicate("batch " + std::to_string(batch.lane.value) + "." + std::to_string(batch.n));
  }
  const rules::Counters& next = staged.rows.counters;
  if (next.row_state == RowState::clean) return std::nullopt;
  const rules::Counters& present = tables.counters;
  if (next.next_sku < present.next_sku || next.next_item < present.next_item ||
      next.next_activity < present.next_activity) {
    return conflict("counters");
  }
  return std::nullopt;
}

// A hold row stands for each item of a held order, once, however many buckets it took from.
void put_holds(Tables& tables, const rules::Order& order) {
  if (order.state != rules::OrderState::held) return;
  CHECK(order.expires_at);
  for (const rules::Allocation& taken : order.taken) {
    tables.holds.emplace(taken.item, *order.expires_at, order.id);
    tables.holds_by_user.emplace(taken.item, order.user, *order.expires_at, order.id);
    tables.holds_by_time.emplace(*order.expires_at, order.id, taken.item);
  }
}

void remove_holds(Tables& tables, const rules::Order& order) {
  if (!order.expires_at) return;
  for (const rules::Allocation& taken : order.taken) {
    tables.holds.erase({taken.item, *order.expires_at, order.id});
    tables.holds_by_user.erase({taken.item, order.user, *order.expires_at, order.id});
    tables.holds_by_time.erase({*order.expires_at, order.id, taken.item});
  }
}

void apply_orders(Tables& tables, const State& rows) {
  for (const auto& [id, order] : rows.orders) {
    const auto [at, added] = tables.orders.try_emplace(id, StoredOrder{order, std::nullopt});
    if (!added) {
      remove_holds(tables, at->second.order);
      at->second.order = order;
    }
    at->second.order.row_state = RowState::clean;
    at->second.order.loaded.reset();
    put_holds(tables, order);
  }
}

// What is read back is an earlier answer, whoever reads it.
rules::IdempotencyRecord as_stored(rules::IdempotencyRecord recorded) {
  recorded.verdict.record = rules::Record::replayed;
  recorded.row_state = RowState::clean;
  return recorded;
}

void apply_requests(Tables& tables, const State& rows) {
  for (const auto& [id, recorded] : rows.orders_as_requests)
    tables.orders.at(id).request = as_stored(recorded);
  for (const rules::RequestId& id : rows.forgotten) tables.requests.erase(id);
  for (const auto& [id, recorded] : rows.requests) tables.requests.emplace(id, as_stored(recorded));
}

void apply_flows(Tables& tables, const State& rows, BatchId batch) {
  std::int64_t i = 0;
  for (const Flow& flow : rows.flows) {
    const FlowId id{flow.item, flow.bucket, flow.seq};
    tables.flows.emplace(id, FlowRow{flow, batch, i});
    tables.flows_by_batch.emplace(std::pair(batch, i), id);
    ++i;
    if (!flow.order) continue;
    tables.flows_by_order.emplace(*flow.order, flow.item, flow.bucket, flow.seq);
    tables.occurrences.emplace(*flow.order, flow.item, flow.bucket, flow.action, flow.occurrence);
  }
}

template <class Map>
void apply_rows(Map& table, const Map& rows) {
  for (const auto& [key, row] : rows)
    table.insert_or_assign(key, row).first->second.row_state = RowState::clean;
}

template <class Map>
void apply_versioned_rows(Map& table, const Map& rows) {
  for (const auto& [key, row] : rows) {
    auto& stored = table.insert_or_assign(key, row).first->second;
    stored.version = is_inserted(row) ? 0 : row.version + 1;
    stored.row_state = RowState::clean;
  }
}

}  // namespace

Staged staged_from(const State& state, BatchId batch, const KeptTime& time) {
  Staged staged;
  keep_changed(state.skus, staged.rows.skus);
  keep_changed(state.activities, staged.rows.activities);
  keep_changed(state.orders, staged.rows.orders);
  keep_changed(state.quotas, staged.rows.quotas);
  keep_changed(state.requests, staged.rows.requests);
  keep_changed(state.orders_as_requests, staged.rows.orders_as_requests);
  for (const auto& [id, item] : state.items) {
    if (item.row_state != RowState::clean || item.buckets != item.loaded) staged.rows.items.emplace(id, item);
  }
  staged.rows.forgotten = state.forgotten;
  staged.rows.key_guards = state.key_guards;
  staged.rows.key_guards_freed = state.key_guards_freed;
  staged.rows.counters = state.counters;
  staged.rows.flows = state.flows;
  staged.batch = BatchRow{batch, false, static_cast<std::int64_t>(state.flows.size()), time.at};
  staged.time = time;
  return staged;
}

Result<void> check_constraints(const Tables& tables, const Staged& staged) {
  for (const auto& wrong : {wrong_numbers(tables, staged), wrong_names(tables, staged.rows),
                            wrong_items(tables, staged.rows), wrong_orders(tables, staged.rows),
                            wrong_guards(tables, staged.rows), wrong_requests(tables, staged.rows),
                            wrong_quotas(tables, staged.rows), wrong_flows(tables, staged.rows)}) {
    if (wrong) return std::unexpected(*wrong);
  }
  return {};
}

void apply(Tables& tables, const Staged& staged) {
  const State& rows = staged.rows;
  apply_versioned_rows(tables.skus, rows.skus);
  for (const auto& [code, sku] : rows.skus) tables.sku_codes.insert_or_assign(sku.id, code);
  apply_versioned_rows(tables.activities, rows.activities);
  for (const auto& [code, activity] : rows.activities)
    tables.activity_codes.insert_or_assign(activity.id, code);
  apply_rows(tables.items, rows.items);
  apply_orders(tables, rows);
  apply_requests(tables, rows);
  for (const OrderId& id : rows.key_guards_freed) tables.key_guards.erase(id);
  tables.key_guards.insert(rows.key_guards.begin(), rows.key_guards.end());
  apply_rows(tables.quotas, rows.quotas);
  apply_flows(tables, rows, staged.batch.batch);
  tables.batches.emplace(staged.batch.batch, staged.batch);
  if (!tables.time || tables.time->at <= staged.time.at) tables.time = staged.time;
  if (rows.counters.row_state != RowState::clean) tables.counters = rows.counters;
  tables.counters.row_state = RowState::clean;
}

bool MemoryDatabase::enter() {
  const MutexLock lock(mutex_);
  for (int wait = 0; entered_ && wait < transaction_waits_max; ++wait)
    left_.wait_for(mutex_, transaction_wait);
  return !std::exchange(entered_, true);
}

void MemoryDatabase::leave() {
  {
    const MutexLock lock(mutex_);
    entered_ = false;
  }
  left_.notify_one();
}

}  // namespace gavel::judge
