#include "judge/sqlite/queries.h"

#include <array>
#include <utility>

#include "base/check.h"

namespace gavel::judge::sqlite {
namespace {

// The columns as sqlite_rows.h reads them.
#define SKU_COLUMNS "id, code, bucket_count, free_item, mode, version"
#define ACTIVITY_COLUMNS \
  "id, code, name, state, limit_per_user, opens_at, closes_at, hold_seconds, mode, version"
#define ITEM_COLUMNS "id, sku, activity, generation, refusals, retired"
#define ORDER_COLUMNS                                                                          \
  "id, state, user, activity, taken, created_at, expires_at, settled_at, returned, revision, " \
  "first_expires_at, extensions, shipped, account"
#define REQUEST_COLUMNS "caller, key, content, outcome, at, detail, order_id"
#define ORDER_REQUEST_COLUMNS "caller, key, content, outcome, answered_at, detail, id, state"
#define FLOW_COLUMNS                                                                                    \
  "item, bucket, seq, action, quantity, before, after, order_id, occurrence, caller, key, source, at, " \
  "lane, n, i"
// As many as ids_at_once.
#define EIGHT_IDS "?, ?, ?, ?, ?, ?, ?, ?"
#define IDS EIGHT_IDS ", " EIGHT_IDS ", " EIGHT_IDS ", " EIGHT_IDS
#define QUOTA_COLUMNS "allowed, claimed, order_id, activity, sku, user, account"

constexpr auto everywhere = Use::everywhere;
constexpr auto store = Use::store;
constexpr auto reader = Use::reader;
constexpr auto hot = Heat::hot;
constexpr auto cold = Heat::cold;

constexpr auto texts = std::to_array<QueryText>({
    {Query::sku_by_code, everywhere, hot, "SELECT " SKU_COLUMNS " FROM sku WHERE code = ?"},
    {Query::sku_by_id, everywhere, hot, "SELECT " SKU_COLUMNS " FROM sku WHERE id = ?"},
    {Query::activity_by_code, everywhere, hot, "SELECT " ACTIVITY_COLUMNS " FROM activity WHERE code = ?"},
    {Query::activity_by_id, everywhere, hot, "SELECT " ACTIVITY_COLUMNS " FROM activity WHERE id = ?"},
    {Query::lines_of_activity, everywhere, hot,
     "SELECT line.sku, sku.code, line.allotment, line.item FROM activity_line AS line"
     " CROSS JOIN sku ON sku.id = line.sku WHERE line.activity = ? ORDER BY line.i"},
    {Query::item_by_id, everywhere, hot, "SELECT " ITEM_COLUMNS " FROM item WHERE id = ?"},
    {Query::buckets_of_item, everywhere, hot,
     "SELECT bucket, available, reserved, sold, seq, shortage, shipped FROM bucket WHERE item = ? ORDER BY "
     "bucket"},
    {Query::order_by_id, everywhere, hot,
     "SELECT " ORDER_COLUMNS " FROM orders WHERE id = ? AND guard IS NULL"},
    {Query::occurrences_of_order, everywhere, hot,
     "SELECT item, bucket, action, max(occurrence) FROM flow WHERE order_id = ?"
     " GROUP BY item, bucket, action"},
    {Query::request_by_key, everywhere, hot,
     "SELECT " REQUEST_COLUMNS " FROM request WHERE caller = ? AND key = ?"},
    {Query::request_of_order, everywhere, hot, "SELECT " ORDER_REQUEST_COLUMNS " FROM orders WHERE id = ?"},
    {Query::latest_batch, everywhere, hot,
     "SELECT batch.at, lane.boot, batch.steady FROM batch LEFT JOIN lane ON lane.id = batch.lane"
     " WHERE batch.lane >= 1 ORDER BY batch.lane DESC, batch.n DESC LIMIT 1"},

    {Query::begin_immediate, store, hot, "BEGIN IMMEDIATE"},
    {Query::commit, store, hot, "COMMIT"},
    {Query::counters, store, cold, "SELECT name, next FROM counter"},
    {Query::quota_by_key, store, hot,
     "SELECT " QUOTA_COLUMNS " FROM quota WHERE activity = ? AND sku = ? AND user = ?"},
    {Query::due_of_item, store, hot,
     "SELECT order_id FROM hold WHERE item = ? AND expires_at <= ? ORDER BY expires_at, order_id LIMIT ?"},
    {Query::due_with_users, store, hot,
     "SELECT order_id, user FROM hold WHERE item = ? AND expires_at <= ? ORDER BY expires_at, order_id"},
    {Query::insert_sku, store, hot, "INSERT INTO sku (" SKU_COLUMNS ") VALUES (?, ?, ?, ?, ?, 0)"},
    {Query::update_sku, store, hot,
     "UPDATE sku SET bucket_count = ?2, mode = ?3, version = ?4 + 1 WHERE id = ?1 AND version = ?4"},
    {Query::insert_item, store, hot,
     "INSERT INTO item (" ITEM_COLUMNS ", warehouse, lot) VALUES (?, ?, ?, ?, ?, ?, 'main', '')"},
    {Query::update_item, store, hot,
     "UPDATE item SET generation = ?2, refusals = ?3, retired = ?4 WHERE id = ?1"
     " AND (generation < ?2 OR (generation = ?2 AND (refusals < ?3 OR retired <> ?4)))"},
    {Query::insert_bucket, store, hot,
     "INSERT INTO bucket (item, bucket, available, reserved, sold, seq, shortage, shipped)"
     " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
    {Query::update_bucket, store, hot,
     "UPDATE bucket SET available = available + ?3, reserved = reserved + ?4, sold = sold + ?5, seq = ?6,"
     " shortage = shortage + ?8, shipped = shipped + ?9 WHERE item = ?1 AND bucket = ?2 AND seq = ?7"
     " AND available + ?3 >= 0 AND reserved + ?4 >= 0 AND sold + ?5 >= 0 AND shortage + ?8 >= 0"
     " AND shipped + ?9 >= 0"},
    {Query::insert_activity, store, hot,
     "INSERT INTO activity (" ACTIVITY_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"},
    {Query::update_activity, store, hot,
     "UPDATE activity SET state = ?2, mode = ?3, version = ?4 + 1 WHERE id = ?1 AND version = ?4"},
    {Query::insert_activity_line, store, hot,
     "INSERT INTO activity_line (activity, i, sku, allotment, item) VALUES (?, ?, ?, ?, ?)"},
    {Query::insert_order, store, hot,
     "INSERT INTO orders (" ORDER_COLUMNS ", caller, key, content, outcome, answered_at, detail)"
     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    {Query::insert_guard, store, hot,
     "INSERT INTO orders (id, state, user, activity, taken, created_at, revision, guard)"
     " VALUES (?, 'refused', '-', 0, '[]', ?, 0, 1)"},
    {Query::delete_guard, store, hot, "DELETE FROM orders WHERE id = ? AND guard = 1"},
    {Query::update_order, store, hot,
     "UPDATE orders SET state = ?2, taken = ?3, returned = ?4, expires_at = ?5, settled_at = ?6,"
     " revision = ?7, first_expires_at = ?9, extensions = ?10, shipped = ?11 WHERE id = ?1 AND revision = "
     "?8"},
    {Query::insert_hold, store, hot,
     "INSERT INTO hold (item, expires_at, order_id, user) VALUES (?, ?, ?, ?)"},
    {Query::delete_hold, store, hot, "DELETE FROM hold WHERE item = ? AND expires_at = ? AND order_id = ?"},
    {Query::insert_request, store, hot,
     "INSERT INTO request (" REQUEST_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?)"},
    {Query::delete_request, store, hot, "DELETE FROM request WHERE caller = ? AND key = ?"},
    {Query::insert_quota, store, hot, "INSERT INTO quota (" QUOTA_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?)"},
    {Query::update_quota, store, hot,
     "UPDATE quota SET allowed = ?1, claimed = ?2, order_id = ?3, account = ?7"
     " WHERE activity = ?4 AND sku = ?5 AND user = ?6 AND claimed = ?8"},
    {Query::insert_flow, store, hot,
     "INSERT INTO flow (" FLOW_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    {Query::update_counter, store, hot, "UPDATE counter SET next = ?2 WHERE name = ?1 AND next <= ?2"},
    {Query::insert_batch, store, hot,
     "INSERT INTO batch (lane, n, aborted, flows, at, steady) VALUES (?, ?, ?, ?, ?, ?)"},
    {Query::batch_by_id, store, hot, "SELECT aborted FROM batch WHERE lane = ? AND n = ?"},
    {Query::insert_lane, store, cold, "INSERT INTO lane (opened_at, boot) VALUES (?, ?) RETURNING id"},
    {Query::insert_instance, store, cold, "INSERT INTO instance (started_at) VALUES (?) RETURNING number"},
    {Query::incarnation, store, cold, "SELECT incarnation FROM meta"},

    {Query::begin_snapshot, reader, hot, "BEGIN"},
    {Query::end_snapshot, reader, hot, "COMMIT"},
    {Query::items_of_sku, reader, hot,
     "SELECT item.id, item.warehouse, item.lot, coalesce(activity.code, '-') FROM item"
     " LEFT JOIN activity ON activity.id = item.activity WHERE item.sku = ?"
     " ORDER BY item.warehouse, item.lot, item.activity"},
    {Query::items_short, reader, cold,
     "SELECT item.id, item.warehouse, item.lot, coalesce(activity.code, '-'), sku.code FROM item"
     " CROSS JOIN sku ON sku.id = item.sku LEFT JOIN activity ON activity.id = item.activity"
     " WHERE item.id IN (SELECT item FROM bucket INDEXED BY bucket_short WHERE shortage > 0 AND item > ?)"
     " ORDER BY item.id LIMIT ?"},
    {Query::name_of_item, reader, hot,
     "SELECT sku.code, item.warehouse FROM item CROSS JOIN sku ON sku.id = item.sku WHERE item.id = ?"},
    // The rows of one order stand together in the index, so that the grouping needs no memory and stops at
    // the limit.
    {Query::due, reader, hot,
     "SELECT min(item), expires_at, order_id FROM hold WHERE expires_at <= ?"
     " GROUP BY expires_at, order_id ORDER BY expires_at, order_id LIMIT ?"},
    {Query::first_expiry, reader, hot,
     "SELECT expires_at FROM hold WHERE item = ? ORDER BY expires_at LIMIT 1"},
    {Query::orders_by_ids, reader, hot,
     "SELECT " ORDER_COLUMNS " FROM orders WHERE id IN (" IDS ") AND guard IS NULL"},
    {Query::requests_of_orders, reader, hot,
     "SELECT " ORDER_REQUEST_COLUMNS " FROM orders WHERE id IN (" IDS ") AND guard IS NULL"},
    {Query::flows_of_orders, reader, hot, "SELECT " FLOW_COLUMNS " FROM flow WHERE order_id IN (" IDS ")"},
    {Query::flows_of_order, reader, hot, "SELECT " FLOW_COLUMNS " FROM flow WHERE order_id = ?"},
    {Query::places_of_orders, reader, hot,
     "SELECT order_id, lane, n, i FROM flow WHERE order_id IN (" IDS ")"},
    {Query::requests_after, reader, hot,
     "SELECT caller, key, at FROM request WHERE (caller, key) > (?, ?) ORDER BY caller, key LIMIT ?"},
    {Query::activities_after, reader, hot,
     "SELECT " ACTIVITY_COLUMNS " FROM activity WHERE code > ? ORDER BY code LIMIT ?"},
    {Query::activities_ended, reader, hot,
     "SELECT code FROM activity INDEXED BY activity_open_until"
     " WHERE state = 'open' AND closes_at IS NOT NULL AND closes_at <= ? ORDER BY closes_at, id LIMIT ?"},
    {Query::lanes, reader, hot, "SELECT id FROM lane WHERE id >= ? ORDER BY id"},
    {Query::batches_from, reader, hot,
     "SELECT lane, n, aborted, flows, at FROM batch WHERE lane = ? AND n >= ? ORDER BY n LIMIT ?"},
    {Query::left_of_lane, reader, hot,
     "SELECT n, (SELECT at FROM batch WHERE lane = ?1 AND n > ?2 ORDER BY n LIMIT 1)"
     " FROM batch WHERE lane = ?1 ORDER BY n DESC LIMIT 1"},
    {Query::orders_of_batches, reader, hot,
     "SELECT order_id FROM flow WHERE lane = ? AND n > ? AND n <= ? AND order_id IS NOT NULL"},
    {Query::flow_at, reader, hot, "SELECT after FROM flow WHERE item = ? AND bucket = ? AND seq = ?"},
    {Query::sku_modes, reader, cold,
     "SELECT code, mode FROM sku INDEXED BY sku_with_mode WHERE mode <> 'service'"},
    {Query::activity_modes, reader, cold,
     "SELECT code, mode FROM activity INDEXED BY activity_with_mode WHERE mode <> 'service'"},
    {Query::all_skus, reader, cold, "SELECT " SKU_COLUMNS " FROM sku ORDER BY code"},
    {Query::all_activities, reader, cold, "SELECT " ACTIVITY_COLUMNS " FROM activity ORDER BY code"},
    {Query::all_items, reader, cold, "SELECT " ITEM_COLUMNS " FROM item ORDER BY id"},
    {Query::all_flows_by_bucket, reader, cold,
     "SELECT " FLOW_COLUMNS " FROM flow ORDER BY item, bucket, seq"},
    {Query::all_flows_by_batch, reader, cold, "SELECT " FLOW_COLUMNS " FROM flow ORDER BY lane, n, i"},
    {Query::all_flows_by_order, reader, cold,
     "SELECT " FLOW_COLUMNS " FROM flow INDEXED BY flow_of_order WHERE order_id IS NOT NULL"
     " ORDER BY order_id, item, bucket, seq"},
    {Query::all_orders, reader, cold, "SELECT " ORDER_COLUMNS " FROM orders WHERE guard IS NULL ORDER BY id"},
    {Query::all_requests, reader, cold, "SELECT " REQUEST_COLUMNS " FROM request ORDER BY caller, key"},
    {Query::all_requests_of_orders, reader, cold,
     "SELECT " ORDER_REQUEST_COLUMNS " FROM orders WHERE caller IS NOT NULL ORDER BY id"},
    {Query::all_quotas, reader, cold, "SELECT " QUOTA_COLUMNS " FROM quota ORDER BY activity, sku, user"},
    {Query::all_holds, reader, cold,
     "SELECT item, expires_at, order_id FROM hold ORDER BY item, expires_at, order_id"},
    {Query::all_batches, reader, cold, "SELECT lane, n, aborted, flows, at FROM batch ORDER BY lane, n"},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (static_cast<std::size_t>(texts[i].query) != i) return false;
  }
  return true;
}
static_assert(in_order(), "a query is found by the number of its enumerator");

}  // namespace

std::span<const QueryText> all_queries() { return texts; }

Result<Queries> Queries::prepare(Connection& connection, Use use) {
  Queries queries;
  for (const QueryText& text : texts) {
    queries.statements_.emplace_back();
    if (text.use != use && text.use != Use::everywhere) continue;
    Result<Statement> statement = Statement::prepare(connection, text.sql);
    if (!statement) return std::unexpected(statement.error());
    queries.statements_.back().emplace(*std::move(statement));
  }
  return queries;
}

Statement& Queries::operator[](Query query) {
  std::optional<Statement>& statement = statements_[static_cast<std::size_t>(query)];
  CHECK(statement);  // Every connection runs the statements of its own use alone.
  return *statement;
}

}  // namespace gavel::judge::sqlite
