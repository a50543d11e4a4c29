// One noun: the reader of a memory database.
#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "judge/memory/database.h"
#include "judge/memory/store.h"
#include "judge/table_scan.h"

namespace gavel::judge {
namespace {

using rules::OrderId;

// A single warehouse and no lots: the words are those that the other stores give.
constexpr std::string_view warehouse = "main";
constexpr std::string_view no_lot;
constexpr std::string_view free_pool_word = "-";

std::string pool_of(const Tables& tables, const rules::Item& item) {
  if (item.activity == rules::free_pool) return std::string(free_pool_word);
  return tables.activity_codes.at(item.activity).text();
}

StockRow row_of(const Tables& tables, const rules::Item& item) {
  return {tables.sku_codes.at(item.sku), std::string(warehouse), std::string(no_lot), pool_of(tables, item),
          item};
}

OrderRow view_of(const Tables& tables, const rules::Order& order) {
  OrderRow view{.order = order, .activity = std::nullopt, .parts = {}};
  if (order.activity != rules::free_pool) view.activity = tables.activity_codes.at(order.activity);
  for (const rules::Allocation& taken : order.taken) {
    const rules::SkuCode& sku = tables.sku_codes.at(tables.items.at(taken.item).sku);
    view.parts.push_back(OrderRow::Part{sku, std::string(warehouse), taken.bucket, taken.quantity,
                                        returned_of(order, taken), shipped_of(order, taken)});
  }
  return view;
}

std::optional<rules::IdempotencyRecord> recorded_under(const Tables& tables, const rules::RequestId& id) {
  const auto found = tables.requests.find(id);
  if (found != tables.requests.end()) return found->second;
  const std::optional<Uuid>& uuid = id.second.uuid7();
  if (!uuid || !tables.orders.contains(OrderId{*uuid})) return std::nullopt;
  // Another caller's request is nobody else's to see.
  const std::optional<rules::IdempotencyRecord>& recorded = tables.orders.at(OrderId{*uuid}).request;
  return recorded && recorded->caller == id.first ? recorded : std::nullopt;
}

Trace trace_of(const Tables& tables, const StoredOrder& stored) {
  const OrderId id = stored.order.id;
  Trace trace{.view = view_of(tables, stored.order), .steps = {}, .requests = {}};
  if (stored.request) trace.requests.push_back(*stored.request);
  const auto first = tables.flows_by_order.lower_bound({id, rules::ItemId{}, 0, 0});
  for (auto at = first; at != tables.flows_by_order.end() && std::get<0>(*at) == id; ++at) {
    const auto& [order, item, bucket, seq] = *at;
    const FlowRow& row = tables.flows.at({item, bucket, seq});
    const rules::SkuCode& sku = tables.sku_codes.at(tables.items.at(item).sku);
    trace.steps.push_back(Trace::Step{row, sku, std::string(warehouse)});
    if (!row.flow.key) continue;
    auto request = recorded_under(tables, {row.flow.caller, *row.flow.key});
    if (request) trace.requests.push_back(*std::move(request));
  }
  put_in_order(trace);
  return trace;
}

rules::OrderPosition position_of(const Tables& tables, OrderId id) {
  std::optional<rules::OrderPosition> first;
  const auto begin = tables.flows_by_order.lower_bound({id, rules::ItemId{}, 0, 0});
  for (auto at = begin; at != tables.flows_by_order.end() && std::get<0>(*at) == id; ++at) {
    const auto& [order, item, bucket, seq] = *at;
    const FlowRow& row = tables.flows.at({item, bucket, seq});
    const rules::OrderPosition position{row.flow.at, row.batch.lane, row.batch.n, row.i};
    first = std::min(first.value_or(position), position);
  }
  CHECK(first.has_value());
  return *first;
}

// Goes on in one lane from the end of `page`; the ids of what its batches moved are added to `moved`.
void follow_lane(const Tables& tables, rules::LaneId lane, std::int64_t& flows_left, LedgerPage& page,
                 std::set<OrderId>& moved) {
  const auto offset = page.reached.find(lane);
  const std::int64_t from = offset == page.reached.end() ? 0 : offset->second.n;
  auto batch = tables.batches.upper_bound(BatchId{lane, from});
  for (; batch != tables.batches.end() && batch->first.lane == lane && flows_left > 0; ++batch) {
    flows_left -= std::max<std::int64_t>(batch->second.flows, 1);
    page.reached[lane] = Offset{batch->first.n, batch->second.at};
    auto flow = tables.flows_by_batch.lower_bound({batch->first, 0});
    for (; flow != tables.flows_by_batch.end() && flow->first.first == batch->first; ++flow) {
      const std::optional<OrderId>& order = tables.flows.at(flow->second).flow.order;
      if (order) moved.insert(*order);
    }
  }
  if (batch == tables.batches.end() || batch->first.lane != lane) return;
  // The numbers of a lane have no gap, so the last one tells how many there are.
  const auto last = std::prev(tables.batches.lower_bound(BatchId{rules::LaneId{lane.value + 1}, 0}));
  page.batches_left += last->first.n - batch->first.n + 1;
  if (!page.oldest_left || batch->second.at < *page.oldest_left) page.oldest_left = batch->second.at;
}

bool is_history_of(const Tables& tables, const Offsets& offsets) {
  return std::ranges::all_of(offsets, [&](const auto& one) {
    const auto batch = tables.batches.find(BatchId{one.first, one.second.n});
    return batch != tables.batches.end() && batch->second.at == one.second.at;
  });
}

// Whoever's the key is.
bool is_known(const Tables& tables, const rules::RequestId& key) {
  const std::optional<Uuid>& uuid = key.second.uuid7();
  return tables.requests.contains(key) || (uuid && tables.orders.contains(OrderId{*uuid}));
}

// A table of the copy. `row_of` makes of an entry what is shown, or an optional of it; `key_of` says where an
// entry stands among those of the tables that it is merged with.
template <class Row, class Table, class RowOf, class KeyOf>
class MemoryRows final : public TableRows {
 public:
  MemoryRows(const Table& table, RowOf row_of, KeyOf key_of, const std::function<void(const Row&)>& see)
      : at_(table.begin()), end_(table.end()), row_of_(row_of), key_of_(key_of), see_(see) {}

  Result<bool> next() override {
    if (at_ == end_ || (begun_ && ++at_ == end_)) return false;
    begun_ = true;
    return true;
  }
  MergeKey key() const override { return key_of_(*at_); }
  void show() const override {
    const std::optional<Row> row = row_of_(*at_);
    if (row) see_(*row);
  }

 private:
  typename Table::const_iterator at_;
  const typename Table::const_iterator end_;
  bool begun_ = false;
  const RowOf row_of_;
  const KeyOf key_of_;
  const std::function<void(const Row&)>& see_;
};

class MemoryScan final : public TableScan {
 public:
  MemoryScan(Tables tables, TablesReader::Visitor visitor)
      : tables_(std::move(tables)), visitor_(std::move(visitor)) {
    const auto second = [](const auto& entry) -> const auto& { return entry.second; };
    const auto alone = [](const auto&) { return MergeKey{}; };
    const auto of_order = [](const auto& entry) { return merge_key_of(entry.first); };
    add_stage(table(visitor_.sku, tables_.skus, second, alone));
    add_stage(table(visitor_.activity, tables_.activities, second, alone));
    add_stage(table(visitor_.item, tables_.items, second, alone));
    add_stage(table(visitor_.flow_by_bucket, tables_.flows, second, alone));
    add_stage(table(
                  visitor_.flow_by_batch, tables_.flows_by_batch,
                  [this](const auto& entry) { return tables_.flows.at(entry.second); },
                  [](const auto& entry) { return merge_key_of(entry.first.first); }),
              table(visitor_.batch, tables_.batches, second,
                    [](const auto& entry) { return merge_key_of(entry.first); }));
    add_stage(table(visitor_.request, tables_.requests, second, alone));
    add_stage(
        table(
            visitor_.flow_by_order, tables_.flows_by_order,
            [this](const OrderFlowId& id) { return flow_of(id); },
            [](const OrderFlowId& id) { return merge_key_of(std::get<0>(id)); }),
        table(
            visitor_.order, tables_.orders, [](const auto& entry) { return entry.second.order; }, of_order),
        table(
            visitor_.order_as_request, tables_.orders, [](const auto& entry) { return entry.second.request; },
            of_order));
    add_stage(table(
        visitor_.quota, tables_.quotas, [](const auto& entry) { return QuotaRow{entry.first, entry.second}; },
        alone));
    add_stage(table(
        visitor_.hold, tables_.holds,
        [](const HoldId& id) {
          const auto& [item, expires_at, order] = id;
          return HoldRow{item, expires_at, order};
        },
        alone));
  }
  ~MemoryScan() override { drop_stages(); }  // They walk through the copy.
  MemoryScan(const MemoryScan&) = delete;
  MemoryScan& operator=(const MemoryScan&) = delete;

  Result<TablesReader::OrderRows> find(OrderId id) override {
    TablesReader::OrderRows rows{.has_order = tables_.orders.contains(id), .flows = {}};
    const auto first = tables_.flows_by_order.lower_bound({id, rules::ItemId{}, 0, 0});
    for (auto at = first; at != tables_.flows_by_order.end() && std::get<0>(*at) == id; ++at) {
      rows.flows.push_back(flow_of(*at));
    }
    return rows;
  }

 private:
  const FlowRow& flow_of(const OrderFlowId& id) const {
    const auto& [order, item, bucket, seq] = id;
    return tables_.flows.at({item, bucket, seq});
  }

  // Null if nobody wants to see the table.
  template <class Row, class Table, class RowOf, class KeyOf>
  static Rows table(const std::function<void(const Row&)>& see, const Table& table, RowOf row_of,
                    KeyOf key_of) {
    if (!see) return nullptr;
    return std::make_unique<MemoryRows<Row, Table, RowOf, KeyOf>>(table, row_of, key_of, see);
  }

  const Tables tables_;
  const TablesReader::Visitor visitor_;
};

class MemoryReader final : public Reader {
 public:
  MemoryReader(std::shared_ptr<MemoryDatabase> database, const Clock& clock)
      : database_(std::move(database)), time_(clock) {}

  Result<std::vector<OrderRow>> orders(std::span<const OrderId> ids) override {
    return database_->read([&](const Tables& tables) {
      std::vector<OrderRow> views;
      for (const OrderId id : ids) {
        const auto found = tables.orders.find(id);
        if (found != tables.orders.end()) views.push_back(view_of(tables, found->second.order));
      }
      return views;
    });
  }

  Result<std::vector<Trace>> traces(std::span<const OrderId> ids) override {
    return database_->read([&](const Tables& tables) {
      std::vector<Trace> traces;
      for (const OrderId id : ids) {
        const auto found = tables.orders.find(id);
        if (found != tables.orders.end()) traces.push_back(trace_of(tables, found->second));
      }
      return traces;
    });
  }

  Result<SoldOutQueryResult> check_sold_out(const SoldOutQuery& check) override {
    return database_->read([&](const Tables& tables) {
      SoldOutQueryResult found;
      found.now = now(tables);
      for (const rules::ItemId id : check.items) {
        const auto item = tables.items.find(id);
        if (item != tables.items.end()) found.items.emplace(id, item->second);
        const auto hold = tables.holds.lower_bound({id, Time::min(), OrderId{}});
        const bool is_held = hold != tables.holds.end() && std::get<0>(*hold) == id;
        if (is_held) found.first_expiry.emplace(id, std::get<1>(*hold));
      }
      for (const rules::RequestId& key : check.keys) {
        if (is_known(tables, key)) found.known.insert(key);
      }
      for (const rules::ActivityCode& code : check.activities) {
        const auto activity = tables.activities.find(code);
        if (activity != tables.activities.end()) found.activities.emplace(code, activity->second);
      }
      return found;
    });
  }

  Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                             const rules::RequestId& key) override {
    return database_->read([&](const Tables& tables) {
      ActivitySnapshot found;
      found.now = now(tables);
      found.is_key_known = is_known(tables, key);
      const auto activity = tables.activities.find(code);
      if (activity == tables.activities.end()) return found;
      found.activity = activity->second;
      for (const rules::AllottedLine& line : found.activity->lines) {
        const auto item = tables.items.find(line.item);
        if (item != tables.items.end()) found.items.insert(*item);
      }
      return found;
    });
  }

  Result<Modes> modes() override {
    return database_->read([](const Tables& tables) {
      Modes set;
      for (const auto& [code, sku] : tables.skus) {
        if (sku.mode != rules::Mode::service) set.skus.emplace(code, sku.mode);
      }
      for (const auto& [code, activity] : tables.activities) {
        if (activity.mode != rules::Mode::service) set.activities.emplace(code, activity.mode);
      }
      return set;
    });
  }

  Result<ItemHistory> item_history(rules::ItemId id,
                                   const std::map<rules::BucketNo, std::int64_t>& at) override {
    return database_->read([&](const Tables& tables) {
      ItemHistory found;
      if (const auto item = tables.items.find(id); item != tables.items.end()) found.item = item->second;
      for (const auto& [bucket, seq] : at) {
        if (seq == 0) found.available.emplace(bucket, rules::no_units);
        const auto flow = tables.flows.find({id, bucket, seq});
        if (flow != tables.flows.end()) found.available.emplace(bucket, flow->second.flow.after);
      }
      return found;
    });
  }

  Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                  std::size_t count) override {
    return database_->read([&](const Tables& tables) {
      std::vector<rules::Activity> page;
      auto at = after ? tables.activities.upper_bound(*after) : tables.activities.begin();
      for (; at != tables.activities.end() && page.size() < count; ++at) page.push_back(at->second);
      return page;
    });
  }

  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) override {
    return database_->read([&](const Tables& tables) { return recorded_under(tables, id); });
  }

  Result<RequestAges> request_ages(const std::optional<rules::RequestId>& after, std::size_t count) override {
    return database_->read([&](const Tables& tables) {
      RequestAges ages{.requests = {}, .now = now(tables)};
      auto at = after ? tables.requests.upper_bound(*after) : tables.requests.begin();
      for (; at != tables.requests.end() && ages.requests.size() < count; ++at) {
        ages.requests.push_back({at->first, at->second.verdict.at});
      }
      return ages;
    });
  }

  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) override {
    return database_->read([&](const Tables& tables) -> std::optional<rules::Activity> {
      const auto found = tables.activities.find(code);
      return found == tables.activities.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode& code) override {
    return database_->read([&](const Tables& tables) -> std::optional<std::vector<StockRow>> {
      const auto sku = tables.skus.find(code);
      if (sku == tables.skus.end()) return std::nullopt;
      std::vector<StockRow> rows;
      for (const auto& [id, item] : tables.items) {
        if (item.sku == sku->second.id) rows.push_back(row_of(tables, item));
      }
      return rows;
    });
  }

  Result<std::vector<StockRow>> short_items(rules::ItemId after, std::size_t count) override {
    return database_->read([&](const Tables& tables) {
      std::vector<StockRow> rows;
      for (auto at = tables.items.upper_bound(after); at != tables.items.end() && rows.size() < count; ++at) {
        if (at->second.shortage() != rules::no_units) rows.push_back(row_of(tables, at->second));
      }
      return rows;
    });
  }

  Result<std::vector<rules::ActivityCode>> ended_activities(std::size_t count) override {
    return database_->read([&](const Tables& tables) {
      const Time now = this->now(tables);
      std::set<std::tuple<Time, rules::ActivityId, rules::ActivityCode>> ended;
      for (const auto& [code, activity] : tables.activities) {
        const bool open = activity.state == rules::ActivityState::open;
        if (open && activity.closes_at && *activity.closes_at <= now)
          ended.emplace(*activity.closes_at, activity.id, code);
      }
      std::vector<rules::ActivityCode> codes;
      for (const auto& [closes_at, id, code] : ended) {
        if (codes.size() < count) codes.push_back(code);
      }
      return codes;
    });
  }

  Result<Clocks> clocks() override {
    return database_->read([&](const Tables& tables) { return Clocks{now(tables), time_.wall()}; });
  }

  Result<DueHolds> due(std::size_t count) override {
    return database_->read([&](const Tables& tables) {
      DueHolds due{.holds = {}, .now = now(tables)};
      for (const auto& [expires_at, order, item] : tables.holds_by_time) {
        if (expires_at > due.now) break;
        // Rows of one order stand together: the first of its items stands for it.
        if (!due.holds.empty() && due.holds.back().order == order) continue;
        if (due.holds.size() == count) break;
        due.holds.push_back(HoldRow{item, expires_at, order});
      }
      return due;
    });
  }

  Result<LedgerPage> read_after(const Offsets& from, std::size_t flows_max) override {
    return database_->read([&](const Tables& tables) {
      if (!is_history_of(tables, from)) return LedgerPage{.other_history = true};
      LedgerPage page{.reached = from};
      page.now = now(tables);
      std::set<OrderId> moved;
      auto flows_left = static_cast<std::int64_t>(flows_max);
      for (std::int64_t lane = 1; lane < tables.next_lane; ++lane) {
        follow_lane(tables, rules::LaneId{lane}, flows_left, page, moved);
      }
      for (const OrderId id : moved) {
        page.orders.push_back({tables.orders.at(id).order, position_of(tables, id)});
      }
      return page;
    });
  }

  // Walks through a copy, while sales go on.
  Result<std::unique_ptr<Scan>> scan(Visitor visitor) override {
    return std::make_unique<MemoryScan>(database_->read([](const Tables& present) { return present; }),
                                        std::move(visitor));
  }
  std::string scratch_folder() const override { return {}; }

 private:
  Time now(const Tables& tables) {
    if (tables.time) time_.follow(*tables.time);
    return time_.now();
  }

  const std::shared_ptr<MemoryDatabase> database_;
  JudgeTime time_;
};

}  // namespace

std::unique_ptr<Reader> open_memory_reader(std::shared_ptr<MemoryDatabase> database, const Clock& clock) {
  return std::make_unique<MemoryReader>(std::move(database), clock);
}

}  // namespace gavel::judge
