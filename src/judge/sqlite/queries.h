// The statements of the SQLite store, each by name: one table that a test can walk through.
//
// Statements that run once per command or per row are hot: each must find its rows by a key or an index
// (A27). The others deal a lane, or walk the whole database for `verify`. Prepared once per connection, when
// it opens. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "judge/sqlite/connection.h"
#include "judge/sqlite/statement.h"

namespace gavel::judge::sqlite {

enum class Query : std::uint8_t {
  // Of every connection.
  sku_by_code,
  sku_by_id,
  activity_by_code,
  activity_by_id,
  lines_of_activity,
  item_by_id,
  buckets_of_item,
  order_by_id,
  occurrences_of_order,
  request_by_key,
  request_of_order,
  latest_batch,

  // Of the store's.
  begin_immediate,
  commit,
  counters,
  quota_by_key,
  due_of_item,
  due_with_users,
  insert_sku,
  update_sku,
  insert_item,
  update_item,
  insert_bucket,
  update_bucket,
  insert_activity,
  update_activity,
  insert_activity_line,
  insert_order,
  insert_guard,
  delete_guard,
  update_order,
  insert_hold,
  delete_hold,
  insert_request,
  delete_request,
  insert_quota,
  update_quota,
  insert_flow,
  update_counter,
  insert_batch,
  batch_by_id,
  insert_lane,
  insert_instance,
  incarnation,

  // Of readers'.
  begin_snapshot,
  end_snapshot,
  items_of_sku,
  items_short,
  name_of_item,
  due,
  first_expiry,
  orders_by_ids,
  requests_of_orders,
  flows_of_orders,
  flows_of_order,
  places_of_orders,
  requests_after,
  activities_after,
  activities_ended,
  lanes,
  batches_from,
  left_of_lane,
  orders_of_batches,
  flow_at,
  sku_modes,
  activity_modes,
  all_skus,
  all_activities,
  all_items,
  all_flows_by_bucket,
  all_flows_by_batch,
  all_flows_by_order,
  all_orders,
  all_requests,
  all_requests_of_orders,
  all_quotas,
  all_holds,
  all_batches,
};

// Parameters of a statement about many orders.
inline constexpr std::size_t ids_at_once = 32;

enum class Use : std::uint8_t { everywhere, store, reader };
enum class Heat : std::uint8_t { hot, cold };

struct QueryText {
  Query query;
  Use use;
  Heat heat;
  const char* sql;
};

// In the order of the enumerators.
std::span<const QueryText> all_queries();

class Queries {
 public:
  // Prepares the statements of `use`, and those of everywhere.
  static Result<Queries> prepare(Connection& connection, Use use);

  Statement& operator[](Query query);

 private:
  Queries() = default;

  std::vector<std::optional<Statement>> statements_;  // By the enumerator's number.
};

}  // namespace gavel::judge::sqlite
