#include "queries/read_queries.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "judge/order_index.h"
#include "judge/reader.h"
#include "queries/mapping.h"
#include "queries/user_orders.h"

namespace gavel::queries {
namespace {

judge::OrdersQuery query_of(const UserOrdersQuery& query) {
  CHECK(query.count >= 1);
  return {.user = query.user,
          .state = query.state,
          .before = query.before,
          .count = query.count,
          .account = query.owner};
}

}  // namespace

Result<std::optional<OrderView>> ReadQueries::order(rules::OrderId id, const Owner& owner) {
  const auto row = reader_.order(id);
  if (!row) return std::unexpected(row.error());
  const bool is_shown = *row && (!owner || (*row)->order.account == *owner);
  return is_shown ? std::optional(view_of(**row)) : std::nullopt;
}

Result<OrdersPage> ReadQueries::orders(const UserOrdersQuery& query) {
  const auto found = orders_of(index_, reader_, reader_, query_of(query));
  if (!found) return std::unexpected(found.error());
  OrdersPage page{
      .orders = {}, .next = found->next, .lag_batches = found->lag.batches, .lag = found->lag.behind};
  for (const judge::OrderRow& row : found->orders) page.orders.push_back(view_of(row));
  CHECK(page.orders.size() <= query.count);
  return page;
}

Result<std::optional<rules::IdempotencyRecord>> ReadQueries::request(const rules::RequestId& id) {
  return reader_.request(id);
}

Result<StockOfSkus> ReadQueries::stock(const std::vector<rules::SkuCode>& skus) {
  StockOfSkus stock;
  for (const rules::SkuCode& sku : skus) {
    const auto rows = reader_.stock(sku);
    if (!rows) return std::unexpected(rows.error());
    if (!*rows) {
      stock.unknown = sku;
      return stock;
    }
    for (const judge::StockRow& row : **rows) stock.items.push_back(view_of(row));
  }
  return stock;
}

// Of each list one row more is read than is answered: it tells whether anything follows.

Result<ShortagesPage> ReadQueries::shortages(const ShortagesQuery& query) {
  CHECK(query.count >= 1);
  auto rows = reader_.short_items(query.after, query.count + 1);
  if (!rows) return std::unexpected(rows.error());
  ShortagesPage page;
  if (rows->size() > query.count) {
    rows->pop_back();
    page.next = rows->back().item.id;
  }
  for (const judge::StockRow& row : *rows) page.items.push_back(view_of(row));
  return page;
}

Result<ClocksView> ReadQueries::clocks() {
  const auto clocks = reader_.clocks();
  if (!clocks) return std::unexpected(clocks.error());
  return ClocksView{clocks->judge, clocks->wall};
}

Result<std::optional<rules::Activity>> ReadQueries::activity(const rules::ActivityCode& code) {
  return reader_.activity(code);
}

Result<ActivitiesPage> ReadQueries::activities(const ActivitiesQuery& query) {
  CHECK(query.count >= 1);
  auto activities = reader_.activities(query.after, query.count + 1);
  if (!activities) return std::unexpected(activities.error());
  ActivitiesPage page{.activities = *std::move(activities), .next = std::nullopt};
  if (page.activities.size() > query.count) {
    page.activities.pop_back();
    page.next = page.activities.back().code;
  }
  return page;
}

Result<std::optional<TraceView>> ReadQueries::trace(rules::OrderId id) {
  const auto trace = reader_.trace(id);
  if (!trace) return std::unexpected(trace.error());
  return *trace ? std::optional(view_of(**trace)) : std::nullopt;
}

Result<std::optional<TraceView>> ReadQueries::trace(const rules::RequestId& id) {
  const auto recorded = reader_.request(id);
  if (!recorded) return std::unexpected(recorded.error());
  if (!*recorded) return std::nullopt;
  const rules::Verdict& verdict = (*recorded)->verdict;
  Result<std::optional<TraceView>> found = std::optional<TraceView>();
  if (verdict.order) found = trace(*verdict.order);
  if (!found) return found;
  if (!*found) *found = TraceView{};
  const auto is_it = [&](const rules::IdempotencyRecord& one) {
    return one.caller == id.first && one.key == id.second;
  };
  // A refusal that moved nothing stands last: nothing of the chain came of it.
  if (std::ranges::none_of((*found)->requests, is_it)) (*found)->requests.push_back(**recorded);
  return found;
}

Result<TracesPage> ReadQueries::traces(const UserOrdersQuery& query) {
  const auto found = orders_of(index_, reader_, reader_, query_of(query));
  if (!found) return std::unexpected(found.error());
  std::vector<rules::OrderId> ids;
  for (const judge::OrderRow& row : found->orders) ids.push_back(row.order.id);
  const auto traces = reader_.traces(ids);
  if (!traces) return std::unexpected(traces.error());
  TracesPage page{
      .traces = {}, .next = found->next, .lag_batches = found->lag.batches, .lag = found->lag.behind};
  for (const judge::Trace& trace : *traces) page.traces.push_back(view_of(trace));
  return page;
}

}  // namespace gavel::queries
