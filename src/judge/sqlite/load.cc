#include "judge/sqlite/load.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/yield.h"
#include "judge/sqlite/rows.h"

namespace gavel::judge::sqlite {
namespace {

// The one row that `query` may answer, as `decode` reads it.
template <class T, class... Values>
Found<T> find_one(Statement& query, T (*decode)(Row&), const Values&... values) {
  std::optional<T> found;
  const Result<void> read = query.for_each([&](Row& row) { found = decode(row); }, values...);
  if (!read) return std::unexpected(read.error());
  return found;
}

// Completes what was found by the rows that belong to it.
template <class T>
Found<T> with(Found<T> found, Queries& queries, Result<void> (*add)(Queries&, T&)) {
  if (!found || !*found) return found;
  if (const Result<void> added = add(queries, **found); !added) return std::unexpected(added.error());
  return found;
}

OrderRequest order_request_of(Row& row) {
  return {row.is_null(0) ? std::nullopt : std::optional(request_of_order(row))};
}

// Calls `use(Row&)` for what `query` answers to all of the ids, as many at once as it has parameters. Those
// that are not needed are NULL, which equals no id.
template <class Use>
Result<void> for_each_of(Statement& query, std::span<const rules::OrderId> ids, Use use) {
  while (!ids.empty()) {
    std::array<std::optional<rules::OrderId>, ids_at_once> chunk;
    const std::size_t count = std::min(ids.size(), chunk.size());
    std::ranges::copy(ids.first(count), chunk.begin());
    const auto read =
        std::apply([&](const auto&... values) { return query.for_each(use, values...); }, chunk);
    if (!read) return read;
    ids = ids.subspan(count);
    yield_thread();
  }
  return {};
}

}  // namespace

Found<rules::Sku> find_sku(Queries& queries, const rules::SkuCode& code) {
  return find_one(queries[Query::sku_by_code], sku_of, code);
}

Found<rules::Sku> find_sku(Queries& queries, rules::SkuId id) {
  return find_one(queries[Query::sku_by_id], sku_of, id);
}

Found<rules::Activity> find_activity(Queries& queries, const rules::ActivityCode& code) {
  return with(find_one(queries[Query::activity_by_code], activity_of, code), queries, add_lines);
}

Found<rules::Activity> find_activity(Queries& queries, rules::ActivityId id) {
  return with(find_one(queries[Query::activity_by_id], activity_of, id), queries, add_lines);
}

Found<rules::Item> find_item(Queries& queries, rules::ItemId id) {
  return with(find_one(queries[Query::item_by_id], item_of, id), queries, add_buckets);
}

Found<rules::Order> find_order(Queries& queries, rules::OrderId id) {
  return find_one(queries[Query::order_by_id], order_of, id);
}

Found<rules::IdempotencyRecord> find_request(Queries& queries, const rules::RequestId& id) {
  return find_one(queries[Query::request_by_key], request_of, id.first, id.second);
}

Found<OrderRequest> find_request_of_order(Queries& queries, rules::OrderId id) {
  return find_one(queries[Query::request_of_order], order_request_of, id);
}

Result<std::map<rules::OrderId, rules::Order>> find_orders(Queries& queries,
                                                           std::span<const rules::OrderId> ids) {
  std::map<rules::OrderId, rules::Order> found;
  const auto add = [&](Row& row) {
    rules::Order order = order_of(row);
    found.emplace(order.id, std::move(order));
  };
  if (const auto read = for_each_of(queries[Query::orders_by_ids], ids, add); !read) {
    return std::unexpected(read.error());
  }
  CHECK(found.size() <= ids.size());
  return found;
}

Result<std::map<rules::OrderId, OrderRequest>> find_requests_of_orders(Queries& queries,
                                                                       std::span<const rules::OrderId> ids) {
  std::map<rules::OrderId, OrderRequest> found;
  const auto add = [&](Row& row) { found.emplace(row.order_id(6), order_request_of(row)); };
  if (const auto read = for_each_of(queries[Query::requests_of_orders], ids, add); !read) {
    return std::unexpected(read.error());
  }
  CHECK(found.size() <= ids.size());
  return found;
}

Result<std::map<rules::OrderId, std::vector<FlowRow>>> find_flows_of_orders(
    Queries& queries, std::span<const rules::OrderId> ids) {
  std::map<rules::OrderId, std::vector<FlowRow>> found;
  const auto add = [&](Row& row) {
    FlowRow flow = flow_of(row);
    if (flow.flow.order) found[*flow.flow.order].push_back(std::move(flow));
  };
  if (const auto read = for_each_of(queries[Query::flows_of_orders], ids, add); !read) {
    return std::unexpected(read.error());
  }
  return found;
}

Result<std::map<rules::OrderId, LedgerPlace>> find_places_of_orders(Queries& queries,
                                                                    std::span<const rules::OrderId> ids) {
  std::map<rules::OrderId, LedgerPlace> found;
  const auto add = [&](Row& row) {
    const LedgerPlace place{{row.integer(1)}, row.integer(2), row.integer(3)};
    const auto [at, is_new] = found.emplace(row.order_id(0), place);
    if (!is_new) at->second = std::min(at->second, place);
  };
  if (const auto read = for_each_of(queries[Query::places_of_orders], ids, add); !read) {
    return std::unexpected(read.error());
  }
  return found;
}

Result<void> add_occurrences(Queries& queries, rules::OrderId id, rules::State& state) {
  const auto add = [&](Row& row) {
    const Occurrences found = occurrences_of(row);
    state.occurrences[{id, found.item, found.bucket, found.action}] = found.count;
  };
  return queries[Query::occurrences_of_order].for_each(add, id);
}

Result<void> add_lines(Queries& queries, rules::Activity& activity) {
  return queries[Query::lines_of_activity].for_each([&](Row& row) { activity.lines.push_back(line_of(row)); },
                                                    activity.id);
}

Result<void> add_buckets(Queries& queries, rules::Item& item) {
  const auto add = [&](Row& row) {
    // A bucket's number is its place in the vector, so a gap would shift every bucket behind it.
    if (row.integer(0) != static_cast<std::int64_t>(item.buckets.size())) row.spoil();
    item.buckets.push_back(bucket_of(row));
  };
  Result<void> read = queries[Query::buckets_of_item].for_each(add, item.id);
  item.loaded = item.buckets;
  return read;
}

}  // namespace gavel::judge::sqlite
