// One noun: the reader of an SQLite file.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "judge/sqlite/ledger_page.h"
#include "judge/sqlite/load.h"
#include "judge/sqlite/open.h"
#include "judge/sqlite/rows.h"
#include "judge/sqlite/store.h"
#include "judge/table_scan.h"

namespace gavel::judge {
namespace sqlite {
namespace {

using rules::OrderId;

// One consistent view of the database for as long as it lives: short, for the log cannot begin anew under it.
class Snapshot {
 public:
  static Result<Snapshot> take(Queries& queries) {
    const auto begun = queries[Query::begin_snapshot].run();
    if (!begun) return std::unexpected(begun.error());
    return Snapshot(queries);
  }
  Snapshot(Snapshot&& from) noexcept : queries_(std::exchange(from.queries_, nullptr)) {}
  // Nothing was written, so there is nothing that could fail to be kept; a failed end shows at the next
  // beginning.
  ~Snapshot() {
    if (queries_ != nullptr) static_cast<void>((*queries_)[Query::end_snapshot].run());
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  Snapshot& operator=(Snapshot&&) = delete;

 private:
  explicit Snapshot(Queries& queries) : queries_(&queries) {}

  Queries* queries_;
};

// The names of an item, which is to be completed.
StockRow stock_of(Row& row, const rules::SkuCode& sku) {
  return {sku, std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3)),
          rules::Item{.id = {row.integer(0)}, .sku = {}, .buckets = {}, .loaded = {}}};
}

// What items and activities are called, each looked up once within one snapshot.
class Names {
 public:
  struct Item {
    rules::SkuCode sku;
    std::string warehouse;
  };

  explicit Names(Queries& queries) : queries_(queries) {}

  // Nothing where there is none of this number.
  Result<std::optional<Item>> of(rules::ItemId id) {
    const auto [at, is_new] = items_.try_emplace(id);
    if (!is_new) return at->second;
    const auto read = queries_[Query::name_of_item].for_each(
        [&](Row& row) { at->second = Item{row.code<rules::SkuCode>(0), std::string(row.text(1))}; }, id);
    if (!read) return std::unexpected(read.error());
    return at->second;
  }

  Result<std::optional<rules::ActivityCode>> of(rules::ActivityId id) {
    const auto [at, is_new] = activities_.try_emplace(id);
    if (!is_new) return at->second;
    const auto activity = find_activity(queries_, id);
    if (!activity) return std::unexpected(activity.error());
    if (*activity) at->second = (*activity)->code;
    return at->second;
  }

 private:
  Queries& queries_;
  std::map<rules::ItemId, std::optional<Item>> items_;
  std::map<rules::ActivityId, std::optional<rules::ActivityCode>> activities_;
};

class SqliteReader final : public Reader {
 public:
  SqliteReader(std::unique_ptr<Connection> connection, Queries queries, const Clock& clock,
               std::string scratch_folder)
      : connection_(std::move(connection)),
        queries_(std::move(queries)),
        time_(clock),
        scratch_folder_(std::move(scratch_folder)) {}

  Result<SoldOutQueryResult> check_sold_out(const SoldOutQuery& check) override;
  Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                             const rules::RequestId& key) override;
  Result<Modes> modes() override;
  Result<ItemHistory> item_history(rules::ItemId id,
                                   const std::map<rules::BucketNo, std::int64_t>& at) override;
  Result<std::vector<OrderRow>> orders(std::span<const OrderId> ids) override;
  Result<std::vector<Trace>> traces(std::span<const OrderId> ids) override;
  Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                  std::size_t count) override;
  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) override;
  Result<RequestAges> request_ages(const std::optional<rules::RequestId>& after, std::size_t count) override;
  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) override;
  Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode& code) override;
  Result<std::vector<StockRow>> short_items(rules::ItemId after, std::size_t count) override;
  Result<std::vector<rules::ActivityCode>> ended_activities(std::size_t count) override;
  Result<Clocks> clocks() override;
  Result<DueHolds> due(std::size_t count) override;
  Result<LedgerPage> read_after(const Offsets& from, std::size_t flows_max) override;
  Result<std::unique_ptr<Scan>> scan(Visitor visitor) override;
  std::string scratch_folder() const override { return scratch_folder_; }

 private:
  // Within the caller's snapshot.
  Result<Time> now();
  Result<void> check_item(rules::ItemId id, SoldOutQueryResult& found);
  Result<bool> is_known(const rules::RequestId& key);
  Result<std::vector<OrderRow>> views_of(std::span<const OrderId> ids);
  Result<std::optional<rules::IdempotencyRecord>> recorded_under(const rules::RequestId& id);
  Result<void> add_requests(Trace& trace);
  Result<std::vector<StockRow>> with_items(std::vector<StockRow> rows);

  std::unique_ptr<Connection> connection_;  // Outlives the statements.
  Queries queries_;
  JudgeTime time_;
  const std::string scratch_folder_;
};

Result<Time> SqliteReader::now() {
  const auto read =
      queries_[Query::latest_batch].for_each([&](Row& row) { time_.follow(kept_time_of(row)); });
  if (!read) return std::unexpected(read.error());
  return time_.now();
}

Result<Modes> SqliteReader::modes() {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  Modes set;
  Result<void> read = queries_[Query::sku_modes].for_each(
      [&](Row& row) { set.skus.emplace(row.code<rules::SkuCode>(0), row.word(1, rules::parse_mode)); });
  if (read) {
    read = queries_[Query::activity_modes].for_each([&](Row& row) {
      set.activities.emplace(row.code<rules::ActivityCode>(0), row.word(1, rules::parse_mode));
    });
  }
  if (!read) return std::unexpected(read.error());
  return set;
}

Result<ItemHistory> SqliteReader::item_history(rules::ItemId id,
                                               const std::map<rules::BucketNo, std::int64_t>& at) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto item = find_item(queries_, id);
  if (!item) return std::unexpected(item.error());
  ItemHistory found{.item = *std::move(item), .available = {}};
  for (const auto& [bucket, seq] : at) {
    if (seq == 0) found.available.emplace(bucket, rules::no_units);
    const auto add = [&](Row& row) { found.available.emplace(bucket, row.quantity(0)); };
    if (const auto read = queries_[Query::flow_at].for_each(add, id, bucket, seq); !read) {
      return std::unexpected(read.error());
    }
  }
  return found;
}

Result<SoldOutQueryResult> SqliteReader::check_sold_out(const SoldOutQuery& check) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  SoldOutQueryResult found;
  found.now = *now;
  for (const rules::ItemId id : check.items) {
    if (const auto done = check_item(id, found); !done) return std::unexpected(done.error());
  }
  for (const rules::RequestId& key : check.keys) {
    const Result<bool> known = is_known(key);
    if (!known) return std::unexpected(known.error());
    if (*known) found.known.insert(key);
  }
  for (const rules::ActivityCode& code : check.activities) {
    auto activity = find_activity(queries_, code);
    if (!activity) return std::unexpected(activity.error());
    if (*activity) found.activities.emplace(code, **std::move(activity));
  }
  return found;
}

Result<ActivitySnapshot> SqliteReader::activity_snapshot(const rules::ActivityCode& code,
                                                         const rules::RequestId& key) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  const Result<bool> known = is_known(key);
  if (!known) return std::unexpected(known.error());
  auto activity = find_activity(queries_, code);
  if (!activity) return std::unexpected(activity.error());
  ActivitySnapshot found{.activity = *std::move(activity), .items = {}, .is_key_known = *known, .now = *now};
  if (!found.activity) return found;
  for (const rules::AllottedLine& line : found.activity->lines) {
    auto item = find_item(queries_, line.item);
    if (!item) return std::unexpected(item.error());
    if (*item) found.items.emplace(line.item, **std::move(item));
  }
  return found;
}

Result<void> SqliteReader::check_item(rules::ItemId id, SoldOutQueryResult& found) {
  const auto item = find_item(queries_, id);
  if (!item) return std::unexpected(item.error());
  if (*item) found.items.emplace(id, **item);
  return queries_[Query::first_expiry].for_each(
      [&](Row& row) { found.first_expiry.emplace(id, row.time(0)); }, id);
}

Result<bool> SqliteReader::is_known(const rules::RequestId& key) {
  const auto row = find_request(queries_, key);
  if (!row) return std::unexpected(row.error());
  const auto& uuid = key.second.uuid7();
  if (*row || !uuid) return row->has_value();
  const auto order = find_request_of_order(queries_, OrderId{*uuid});
  if (!order) return std::unexpected(order.error());
  return order->has_value();
}

Result<std::vector<OrderRow>> SqliteReader::orders(std::span<const OrderId> ids) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  return views_of(ids);
}

Result<std::vector<OrderRow>> SqliteReader::views_of(std::span<const OrderId> ids) {
  auto found = find_orders(queries_, ids);
  if (!found) return std::unexpected(found.error());
  Names names(queries_);
  std::vector<OrderRow> views;
  for (const OrderId id : ids) {
    const auto order = found->find(id);
    if (order == found->end()) continue;
    OrderRow view{.order = std::move(order->second), .activity = std::nullopt, .parts = {}};
    if (view.order.activity != rules::free_pool) {
      const auto activity = names.of(view.order.activity);
      if (!activity) return std::unexpected(activity.error());
      view.activity = *activity;
    }
    for (const rules::Allocation& part : view.order.taken) {
      const auto item = names.of(part.item);
      if (!item) return std::unexpected(item.error());
      if (!*item) continue;  // Somebody took it away; the audit tells.
      view.parts.push_back({(*item)->sku, (*item)->warehouse, part.bucket, part.quantity,
                            returned_of(view.order, part), shipped_of(view.order, part)});
    }
    views.push_back(std::move(view));
  }
  return views;
}

Result<std::vector<Trace>> SqliteReader::traces(std::span<const OrderId> ids) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto views = views_of(ids);
  if (!views) return std::unexpected(views.error());
  auto own = find_requests_of_orders(queries_, ids);
  if (!own) return std::unexpected(own.error());
  auto flows = find_flows_of_orders(queries_, ids);
  if (!flows) return std::unexpected(flows.error());
  Names names(queries_);
  std::vector<Trace> traces;
  for (OrderRow& view : *views) {
    const OrderId id = view.order.id;
    Trace trace{.view = std::move(view), .steps = {}, .requests = {}};
    for (const FlowRow& row : (*flows)[id]) {
      const auto item = names.of(row.flow.item);
      if (!item) return std::unexpected(item.error());
      if (*item) trace.steps.push_back({row, (*item)->sku, (*item)->warehouse});
    }
    const auto request = own->find(id);
    CHECK(request != own->end());  // It is the order's own row, in this very snapshot.
    if (request->second.request) trace.requests.push_back(*std::move(request->second.request));
    if (const auto added = add_requests(trace); !added) return std::unexpected(added.error());
    put_in_order(trace);
    traces.push_back(std::move(trace));
  }
  return traces;
}

// Those that its steps name, each read once.
Result<void> SqliteReader::add_requests(Trace& trace) {
  std::set<rules::RequestId> ids;
  for (const Trace::Step& step : trace.steps) {
    if (step.row.flow.key) ids.emplace(step.row.flow.caller, *step.row.flow.key);
  }
  for (const rules::RequestId& id : ids) {
    auto request = recorded_under(id);
    if (!request) return std::unexpected(request.error());
    if (*request) trace.requests.push_back(**std::move(request));
  }
  return {};
}

Result<std::vector<rules::Activity>> SqliteReader::activities(const std::optional<rules::ActivityCode>& after,
                                                              std::size_t count) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  std::vector<rules::Activity> page;
  // Every code comes after the empty text.
  const std::string from = after ? after->text() : std::string();
  const auto read = queries_[Query::activities_after].for_each(
      [&](Row& row) { page.push_back(activity_of(row)); }, from, static_cast<std::int64_t>(count));
  if (!read) return std::unexpected(read.error());
  for (rules::Activity& activity : page) {
    if (const auto added = add_lines(queries_, activity); !added) return std::unexpected(added.error());
  }
  return page;
}

Result<std::vector<rules::ActivityCode>> SqliteReader::ended_activities(std::size_t count) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  std::vector<rules::ActivityCode> codes;
  const auto read = queries_[Query::activities_ended].for_each(
      [&](Row& row) { codes.push_back(row.code<rules::ActivityCode>(0)); }, *now,
      static_cast<std::int64_t>(count));
  if (!read) return std::unexpected(read.error());
  return codes;
}

Result<Clocks> SqliteReader::clocks() {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  return Clocks{*now, time_.wall()};
}

Result<std::optional<rules::IdempotencyRecord>> SqliteReader::request(const rules::RequestId& id) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  return recorded_under(id);
}

Result<std::optional<rules::IdempotencyRecord>> SqliteReader::recorded_under(const rules::RequestId& id) {
  auto found = find_request(queries_, id);
  if (!found || *found) return found;
  const auto& uuid = id.second.uuid7();
  if (!uuid) return std::nullopt;
  auto shared = find_request_of_order(queries_, OrderId{*uuid});
  if (!shared) return std::unexpected(shared.error());
  // Another caller's request is nobody else's to see.
  if (!*shared || !(*shared)->request || (*shared)->request->caller != id.first) return std::nullopt;
  return std::move((*shared)->request);
}

Result<RequestAges> SqliteReader::request_ages(const std::optional<rules::RequestId>& after,
                                               std::size_t count) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  RequestAges ages{.requests = {}, .now = *now};
  // Every pair comes after the pair of empty texts.
  const std::string caller = after ? after->first.text() : std::string();
  const std::string_view key = after ? after->second.text() : std::string_view("");
  const auto read = queries_[Query::requests_after].for_each(
      [&](Row& row) { ages.requests.push_back(age_of(row)); }, caller, key, static_cast<std::int64_t>(count));
  if (!read) return std::unexpected(read.error());
  return ages;
}

Result<std::optional<rules::Activity>> SqliteReader::activity(const rules::ActivityCode& code) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  return find_activity(queries_, code);
}

Result<std::optional<std::vector<StockRow>>> SqliteReader::stock(const rules::SkuCode& code) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const auto sku = find_sku(queries_, code);
  if (!sku) return std::unexpected(sku.error());
  if (!*sku) return std::nullopt;
  std::vector<StockRow> rows;
  const auto add = [&](Row& row) { rows.push_back(stock_of(row, code)); };
  if (auto read = queries_[Query::items_of_sku].for_each(add, (*sku)->id); !read)
    return std::unexpected(read.error());
  return with_items(std::move(rows));
}

// The items behind rows that were named in this very snapshot.
Result<std::vector<StockRow>> SqliteReader::with_items(std::vector<StockRow> rows) {
  for (StockRow& row : rows) {
    auto item = find_item(queries_, row.item.id);
    if (!item) return std::unexpected(item.error());
    CHECK(*item);
    row.item = **std::move(item);
  }
  return rows;
}

Result<std::vector<StockRow>> SqliteReader::short_items(rules::ItemId after, std::size_t count) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  std::vector<StockRow> rows;
  const auto add = [&](Row& row) { rows.push_back(stock_of(row, row.code<rules::SkuCode>(4))); };
  const auto count_max = static_cast<std::int64_t>(count);
  if (auto read = queries_[Query::items_short].for_each(add, after, count_max); !read)
    return std::unexpected(read.error());
  return with_items(std::move(rows));
}

Result<DueHolds> SqliteReader::due(std::size_t count) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  DueHolds due{.holds = {}, .now = *now};
  const auto read = queries_[Query::due].for_each([&](Row& row) { due.holds.push_back(hold_of(row)); },
                                                  due.now, static_cast<std::int64_t>(count));
  if (!read) return std::unexpected(read.error());
  return due;
}

Result<LedgerPage> SqliteReader::read_after(const Offsets& from, std::size_t flows_max) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  Result<LedgerPage> page = read_ledger_page(queries_, from, flows_max);
  if (page) page->now = *now;
  return page;
}

// One table of a scan. Its statement is ended with it.
template <class T, class KeyOf>
class SqliteRows final : public TableRows {
 public:
  using Decode = T (*)(Row&);
  using Complete = Result<void> (*)(Queries&, T&);

  SqliteRows(Queries& queries, Query query, Decode decode, Complete complete, KeyOf key_of,
             const std::function<void(const T&)>& see)
      : queries_(queries), query_(query), decode_(decode), complete_(complete), key_of_(key_of), see_(see) {}
  ~SqliteRows() override { queries_[query_].end(); }
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  Result<bool> next() override {
    const Result<bool> there = queries_[query_].next([&](Row& row) { row_ = decode_(row); });
    if (!there || !*there || complete_ == nullptr) return there;
    const Result<void> completed = complete_(queries_, *row_);
    return completed ? there : std::unexpected(completed.error());
  }
  MergeKey key() const override { return key_of_(*row_); }
  void show() const override { see_(*row_); }

 private:
  Queries& queries_;
  const Query query_;
  const Decode decode_;
  const Complete complete_;
  const KeyOf key_of_;
  const std::function<void(const T&)>& see_;
  std::optional<T> row_;
};

// The request that an order's row carries, and the order it stands with.
struct CarriedRequest {
  OrderId order;
  rules::IdempotencyRecord request;
};
CarriedRequest carried_request_of(Row& row) { return {row.order_id(6), request_of_order(row)}; }

class SqliteScan final : public TableScan {
 public:
  SqliteScan(Snapshot snapshot, Queries& queries, TablesReader::Visitor visitor);
  ~SqliteScan() override { drop_stages(); }  // Statements end before their transaction.
  SqliteScan(const SqliteScan&) = delete;
  SqliteScan& operator=(const SqliteScan&) = delete;

  Result<TablesReader::OrderRows> find(OrderId id) override;

 private:
  // Null if nobody wants to see the table.
  template <class T, class KeyOf>
  Rows table(Query query, T (*decode)(Row&), const std::function<void(const T&)>& see, KeyOf key_of,
             Result<void> (*complete)(Queries&, T&) = nullptr) {
    if (!see) return nullptr;
    return std::make_unique<SqliteRows<T, KeyOf>>(queries_, query, decode, complete, key_of, see);
  }
  // Of a stage of one table, which is merged with nothing.
  template <class T>
  Rows table(Query query, T (*decode)(Row&), const std::function<void(const T&)>& see,
             Result<void> (*complete)(Queries&, T&) = nullptr) {
    return table(query, decode, see, [](const T&) { return MergeKey{}; }, complete);
  }

  Queries& queries_;
  const Snapshot snapshot_;
  const TablesReader::Visitor visitor_;
  std::function<void(const CarriedRequest&)> see_carried_;
};

SqliteScan::SqliteScan(Snapshot snapshot, Queries& queries, TablesReader::Visitor visitor)
    : queries_(queries), snapshot_(std::move(snapshot)), visitor_(std::move(visitor)) {
  if (visitor_.order_as_request)
    see_carried_ = [this](const CarriedRequest& row) { visitor_.order_as_request(row.request); };
  const auto of_batch = [](const auto& row) { return merge_key_of(row.batch); };
  const auto of_flow = [](const FlowRow& row) { return merge_key_of(row.flow.order.value_or(OrderId{})); };
  const auto of_order = [](const rules::Order& row) { return merge_key_of(row.id); };
  add_stage(table(Query::all_skus, sku_of, visitor_.sku));
  add_stage(table(Query::all_activities, activity_of, visitor_.activity, add_lines));
  add_stage(table(Query::all_items, item_of, visitor_.item, add_buckets));
  add_stage(table(Query::all_flows_by_bucket, flow_of, visitor_.flow_by_bucket));
  add_stage(table(Query::all_flows_by_batch, flow_of, visitor_.flow_by_batch, of_batch),
            table(Query::all_batches, batch_of, visitor_.batch, of_batch));
  add_stage(table(Query::all_requests, request_of, visitor_.request));
  add_stage(table(Query::all_flows_by_order, flow_of, visitor_.flow_by_order, of_flow),
            table(Query::all_orders, order_of, visitor_.order, of_order),
            table(Query::all_requests_of_orders, carried_request_of, see_carried_,
                  [](const CarriedRequest& row) { return merge_key_of(row.order); }));
  add_stage(table(Query::all_quotas, quota_of, visitor_.quota));
  add_stage(table(Query::all_holds, hold_of, visitor_.hold));
}

Result<TablesReader::OrderRows> SqliteScan::find(OrderId id) {
  const auto order = find_order(queries_, id);
  if (!order) return std::unexpected(order.error());
  TablesReader::OrderRows rows{.has_order = order->has_value(), .flows = {}};
  const auto read =
      queries_[Query::flows_of_order].for_each([&](Row& row) { rows.flows.push_back(flow_of(row)); }, id);
  if (!read) return std::unexpected(read.error());
  return rows;
}

Result<std::unique_ptr<TablesReader::Scan>> SqliteReader::scan(Visitor visitor) {
  auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  return std::make_unique<SqliteScan>(*std::move(snapshot), queries_, std::move(visitor));
}

// Nothing where the file is not the system's, but one of a file layer that tests name.
std::string folder_of(const SqliteOptions& options) {
  if (!options.vfs.empty()) return {};
  const std::string folder = std::filesystem::path(options.path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace
}  // namespace sqlite

Result<std::unique_ptr<Reader>> open_sqlite_reader(const SqliteOptions& options, const Clock& clock) {
  auto connection = sqlite::open_current(options, sqlite::Role::reader);
  if (!connection) return std::unexpected(connection.error());
  auto queries = sqlite::Queries::prepare(**connection, sqlite::Use::reader);
  if (!queries) return std::unexpected(queries.error());
  return std::make_unique<sqlite::SqliteReader>(*std::move(connection), *std::move(queries), clock,
                                                sqlite::folder_of(options));
}

}  // namespace gavel::judge
