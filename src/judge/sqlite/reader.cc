#include <algorithm>
#include <utility>

#include "base/check.h"
#include "judge/sqlite/follow.h"
#include "judge/sqlite/load.h"
#include "judge/sqlite/open.h"
#include "judge/sqlite/rows.h"
#include "judge/sqlite/store.h"

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

class SqliteReader final : public Reader {
 public:
  SqliteReader(std::unique_ptr<Connection> connection, Queries queries, const Clock& clock)
      : connection_(std::move(connection)), queries_(std::move(queries)), clock_(clock) {}

  Result<Confirmation> confirm(const Doubts& doubts) override;
  Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                             const rules::RequestId& key) override;
  Result<Modes> modes() override;
  Result<ItemThen> item_then(rules::ItemId id, const std::map<rules::BucketNo, std::int64_t>& at) override;
  Result<std::optional<OrderView>> order(OrderId id) override;
  Result<std::optional<Trace>> trace(OrderId id) override;
  Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                  std::size_t count) override;
  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) override;
  Result<RequestAges> request_ages(const std::optional<rules::RequestId>& after, std::size_t count) override;
  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) override;
  Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode& code) override;
  Result<std::vector<StockRow>> short_items(rules::ItemId after, std::size_t count) override;
  Result<DueHolds> due(std::size_t count) override;
  Result<Sequel> follow(const Cursors& from, std::size_t flows_max) override;
  Result<void> visit(const Visitor& visitor) override;

 private:
  // Within the caller's snapshot.
  Result<Time> now();
  Result<void> confirm_item(rules::ItemId id, Confirmation& found);
  Result<bool> is_known(const rules::RequestId& key);
  Result<std::optional<OrderView>> view_of(OrderId id);
  Result<std::optional<rules::IdempotencyRecord>> recorded_under(const rules::RequestId& id);
  Result<void> add_steps(Trace& trace);
  Result<void> add_request(Trace& trace, const rules::RequestId& id);
  Result<void> add_part(OrderView& view, const rules::Allocation& taken);
  Result<std::vector<StockRow>> with_items(std::vector<StockRow> rows);

  template <class T>
  Result<void> visit_all(Query query, T (*decode)(Row&), const std::function<void(const T&)>& see);
  template <class T>
  Result<void> visit_whole(Query query, T (*decode)(Row&), Result<void> (*add)(Queries&, T&),
                           const std::function<void(const T&)>& see);

  std::unique_ptr<Connection> connection_;  // Outlives the statements.
  Queries queries_;
  const Clock& clock_;
};

Result<Time> SqliteReader::now() {
  Time newest = Time::min();
  const auto read = queries_[Query::latest_batch].for_each([&](Row& row) { newest = row.time(0); });
  if (!read) return std::unexpected(read.error());
  return std::max(clock_.now(), newest);
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

Result<ItemThen> SqliteReader::item_then(rules::ItemId id,
                                         const std::map<rules::BucketNo, std::int64_t>& at) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto item = find_item(queries_, id);
  if (!item) return std::unexpected(item.error());
  ItemThen found{.item = *std::move(item), .then = {}};
  for (const auto& [bucket, seq] : at) {
    if (seq == 0) found.then.emplace(bucket, rules::no_units);
    const auto add = [&](Row& row) { found.then.emplace(bucket, row.quantity(0)); };
    if (const auto read = queries_[Query::flow_at].for_each(add, id, bucket, seq); !read) {
      return std::unexpected(read.error());
    }
  }
  return found;
}

Result<Confirmation> SqliteReader::confirm(const Doubts& doubts) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  Confirmation found;
  found.now = *now;
  for (const rules::ItemId id : doubts.items) {
    if (const auto done = confirm_item(id, found); !done) return std::unexpected(done.error());
  }
  for (const rules::RequestId& key : doubts.keys) {
    const Result<bool> known = is_known(key);
    if (!known) return std::unexpected(known.error());
    if (*known) found.known.insert(key);
  }
  for (const rules::ActivityCode& code : doubts.activities) {
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

Result<void> SqliteReader::confirm_item(rules::ItemId id, Confirmation& found) {
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

Result<std::optional<OrderView>> SqliteReader::order(OrderId id) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  return view_of(id);
}

Result<std::optional<OrderView>> SqliteReader::view_of(OrderId id) {
  auto found = find_order(queries_, id);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::nullopt;
  OrderView view{.order = **std::move(found), .activity = std::nullopt, .parts = {}};
  if (view.order.activity != rules::free_pool) {
    const auto activity = find_activity(queries_, view.order.activity);
    if (!activity) return std::unexpected(activity.error());
    if (*activity) view.activity = (*activity)->code;
  }
  for (const rules::Allocation& taken : view.order.taken) {
    if (const auto added = add_part(view, taken); !added) return std::unexpected(added.error());
  }
  return view;
}

Result<void> SqliteReader::add_part(OrderView& view, const rules::Allocation& taken) {
  const auto add = [&](Row& row) {
    view.parts.push_back({row.code<rules::SkuCode>(0), std::string(row.text(1)), taken.bucket, taken.quantity,
                          returned_of(view.order, taken)});
  };
  return queries_[Query::name_of_item].for_each(add, taken.item);
}

Result<std::optional<Trace>> SqliteReader::trace(OrderId id) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto own = find_request_of_order(queries_, id);
  if (!own) return std::unexpected(own.error());
  if (!*own) return std::nullopt;
  auto view = view_of(id);
  if (!view) return std::unexpected(view.error());
  CHECK(*view);  // The order is in this very snapshot.
  Trace trace{.view = **std::move(view), .steps = {}, .requests = {}};
  if (const auto added = add_steps(trace); !added) return std::unexpected(added.error());
  if ((*own)->request) trace.requests.push_back(*std::move((*own)->request));
  for (const Trace::Step& step : trace.steps) {
    const rules::Flow& flow = step.row.flow;
    if (!flow.key) continue;
    if (const auto added = add_request(trace, {flow.caller, *flow.key}); !added) {
      return std::unexpected(added.error());
    }
  }
  put_in_order(trace);
  return trace;
}

Result<void> SqliteReader::add_steps(Trace& trace) {
  std::vector<FlowRow> rows;
  const auto read = queries_[Query::flows_of_order].for_each([&](Row& row) { rows.push_back(flow_of(row)); },
                                                             trace.view.order.id);
  if (!read) return read;
  for (const FlowRow& flow : rows) {
    const auto add = [&](Row& row) {
      trace.steps.push_back({flow, row.code<rules::SkuCode>(0), std::string(row.text(1))});
    };
    if (auto named = queries_[Query::name_of_item].for_each(add, flow.flow.item); !named) return named;
  }
  return {};
}

Result<void> SqliteReader::add_request(Trace& trace, const rules::RequestId& id) {
  auto request = recorded_under(id);
  if (!request) return std::unexpected(request.error());
  if (*request) trace.requests.push_back(**std::move(request));
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
  const std::string_view key = after ? after->second.text() : std::string_view();
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

Result<Sequel> SqliteReader::follow(const Cursors& from, std::size_t flows_max) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<Time> now = this->now();
  if (!now) return std::unexpected(now.error());
  Result<Sequel> sequel = follow_ledger(queries_, from, flows_max);
  if (sequel) sequel->now = *now;
  return sequel;
}

template <class T>
Result<void> SqliteReader::visit_all(Query query, T (*decode)(Row&),
                                     const std::function<void(const T&)>& see) {
  if (!see) return {};
  return queries_[query].for_each([&](Row& row) {
    const T value = decode(row);
    if (row.sound()) see(value);
  });
}

// As visit_all, each value with the rows that belong to it.
template <class T>
Result<void> SqliteReader::visit_whole(Query query, T (*decode)(Row&), Result<void> (*add)(Queries&, T&),
                                       const std::function<void(const T&)>& see) {
  if (!see) return {};
  Result<void> added;
  const auto read = queries_[query].for_each([&](Row& row) {
    T value = decode(row);
    if (!row.sound()) return;
    added = add(queries_, value);
    if (!added) return row.spoil();  // Nothing more is read.
    see(value);
  });
  return added ? read : added;
}

Result<void> SqliteReader::visit(const Visitor& visitor) {
  const auto snapshot = Snapshot::take(queries_);
  if (!snapshot) return std::unexpected(snapshot.error());
  Result<void> done = visit_all(Query::all_skus, sku_of, visitor.sku);
  if (done) done = visit_whole(Query::all_activities, activity_of, add_lines, visitor.activity);
  if (done) done = visit_whole(Query::all_items, item_of, add_buckets, visitor.item);
  if (done) done = visit_all(Query::all_flows_by_bucket, flow_of, visitor.flow_by_bucket);
  if (done) done = visit_all(Query::all_flows_by_batch, flow_of, visitor.flow_by_batch);
  if (done) done = visit_all(Query::all_flows_by_order, flow_of, visitor.flow_by_order);
  if (done) done = visit_all(Query::all_orders, order_of, visitor.order);
  if (done) done = visit_all(Query::all_requests, request_of, visitor.request);
  if (done) done = visit_all(Query::all_requests_of_orders, request_of_order, visitor.order_as_request);
  if (done) done = visit_all(Query::all_quotas, quota_of, visitor.quota);
  if (done) done = visit_all(Query::all_holds, hold_of, visitor.hold);
  if (done) done = visit_all(Query::all_batches, batch_of, visitor.batch);
  return done;
}

}  // namespace
}  // namespace sqlite

Result<std::unique_ptr<Reader>> open_sqlite_reader(const SqliteOptions& options, const Clock& clock) {
  auto connection = sqlite::open_current(options, sqlite::Role::reader);
  if (!connection) return std::unexpected(connection.error());
  auto queries = sqlite::Queries::prepare(**connection, sqlite::Use::reader);
  if (!queries) return std::unexpected(queries.error());
  return std::make_unique<sqlite::SqliteReader>(*std::move(connection), *std::move(queries), clock);
}

}  // namespace gavel::judge
