#include "http/questions.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/uuid.h"
#include "http/query.h"

namespace gavel::http {
namespace {

using judge::Reader;

OrderShown shown_of(const judge::OrderView& view) {
  OrderShown shown{view.order, view.activity, {}};
  for (const auto& part : view.parts) {
    shown.parts.push_back(OrderPart{part.sku, part.warehouse, part.bucket, part.quantity, part.returned});
  }
  return shown;
}

StockShown shown_of(const judge::StockRow& row) {
  StockShown shown{row.sku, row.warehouse, row.lot, row.pool, rules::Bucket{}, row.item.generation};
  for (const rules::Bucket& bucket : row.item.buckets) {
    shown.sum.available += bucket.available;
    shown.sum.reserved += bucket.reserved;
    shown.sum.sold += bucket.sold;
    shown.sum.shortage += bucket.shortage;
    shown.sum.seq += bucket.seq;
  }
  return shown;
}

TraceShown shown_of(const judge::Trace& trace) {
  TraceShown shown{.requests = trace.requests, .order = shown_of(trace.view), .steps = {}};
  for (const auto& [row, sku, warehouse] : trace.steps) {
    shown.steps.push_back({row.flow, sku, warehouse, row.batch.lane.value, row.batch.n});
  }
  return shown;
}

constexpr std::size_t traces_max = 100;  // Of one page: each is some tens of rows.

template <class Shown>
void tell_page(Shown& shown, const jobs::UserOrders& found) {
  if (found.next) shown.next = to_text(found.next->uuid);
  shown.lag_batches = found.lag.batches;
  shown.lag = found.lag.behind;
}

std::expected<judge::OrdersQuery, std::string> wanted_of(const Query& query, std::string_view limit,
                                                         std::size_t limit_max) {
  const auto user = value_of(query, "user");
  if (!user) return std::unexpected("user: is missing");
  const auto code = rules::UserId::parse(*user);
  if (!code) return std::unexpected("user: must be 1 to 64 characters: letters, digits and _ . : -");
  const auto count = parse_limit(value_of(query, "limit").value_or(std::string(limit)));
  if (!count || *count > limit_max) {
    return std::unexpected("limit: must be 1 to " + std::to_string(limit_max));
  }
  judge::OrdersQuery wanted{.user = *code, .count = *count};
  if (const auto cursor = value_of(query, "cursor")) {
    const auto uuid = parse_uuid(*cursor);
    if (!uuid) return std::unexpected("cursor: must be the `next` of an earlier page");
    wanted.before = rules::OrderId{*uuid};
  }
  return wanted;
}

}  // namespace

Result<std::optional<OrderShown>> look_up_order(Reader& reader, rules::OrderId id) {
  const auto view = reader.order(id);
  if (!view) return std::unexpected(view.error());
  return *view ? std::optional(shown_of(**view)) : std::nullopt;
}

Result<std::optional<TraceShown>> trace_order(Reader& reader, rules::OrderId id) {
  const auto trace = reader.trace(id);
  if (!trace) return std::unexpected(trace.error());
  return *trace ? std::optional(shown_of(**trace)) : std::nullopt;
}

Result<std::optional<TraceShown>> trace_request(Reader& reader, const rules::RequestId& id) {
  const auto recorded = reader.request(id);
  if (!recorded) return std::unexpected(recorded.error());
  if (!*recorded) return std::nullopt;
  const rules::Verdict& verdict = (*recorded)->verdict;
  Result<std::optional<TraceShown>> trace = std::optional<TraceShown>();
  if (verdict.order) trace = trace_order(reader, *verdict.order);
  if (!trace) return trace;
  if (!*trace) *trace = TraceShown{};
  const auto is_it = [&](const rules::IdempotencyRecord& one) {
    return one.caller == id.first && one.key == id.second;
  };
  // A refusal that moved nothing stands last: nothing of the chain came of it.
  if (std::ranges::none_of((*trace)->requests, is_it)) (*trace)->requests.push_back(**recorded);
  return trace;
}

Result<StockAnswer> look_up_stock(Reader& reader, const std::vector<rules::SkuCode>& skus) {
  StockAnswer answer;
  for (const rules::SkuCode& sku : skus) {
    const auto rows = reader.stock(sku);
    if (!rows) return std::unexpected(rows.error());
    if (!*rows) {
      answer.unknown = sku;
      return answer;
    }
    for (const judge::StockRow& row : **rows) answer.rows.push_back(shown_of(row));
  }
  return answer;
}

std::expected<WantedShortages, std::string> wanted_shortages(const Query& query) {
  const auto count = parse_limit(value_of(query, "limit").value_or("100"));
  if (!count) return std::unexpected("limit: must be 1 to 1000");
  WantedShortages wanted{.after = {}, .count = *count};
  if (const auto cursor = value_of(query, "cursor")) {
    const char* const end = cursor->data() + cursor->size();
    const auto [at, failure] = std::from_chars(cursor->data(), end, wanted.after.value);
    if (failure != std::errc() || at != end || wanted.after.value < 1) {
      return std::unexpected("cursor: must be the `next` of an earlier page");
    }
  }
  return wanted;
}

Result<ShortagesAnswer> look_up_shortages(Reader& reader, const WantedShortages& wanted) {
  // One more than is shown tells whether anything follows.
  const auto rows = reader.short_items(wanted.after, wanted.count + 1);
  if (!rows) return std::unexpected(rows.error());
  ShortagesAnswer answer;
  for (const judge::StockRow& row : *rows) {
    if (answer.rows.size() == wanted.count) break;
    answer.rows.push_back(shown_of(row));
  }
  if (rows->size() > wanted.count) answer.next = std::to_string((*rows)[wanted.count - 1].item.id.value);
  return answer;
}

std::expected<judge::OrdersQuery, std::string> wanted_orders(const Query& query) {
  auto wanted = wanted_of(query, "100", page_max);
  const auto state = value_of(query, "state");
  if (!wanted || !state) return wanted;
  wanted->state = rules::parse_order_state(*state);
  if (!wanted->state) return std::unexpected("state: must be a state of an order, such as held or paid");
  if (*wanted->state == rules::OrderState::refused) {
    return std::unexpected(
        "state: refused orders hold no units and are not listed; read the request instead");
  }
  return wanted;
}

std::expected<judge::OrdersQuery, std::string> wanted_traces(const Query& query) {
  return wanted_of(query, "20", traces_max);
}

std::optional<std::string> wrong_in_trace(const Query& query) {
  const bool order = value_of(query, "order").has_value();
  const bool request = value_of(query, "request").has_value();
  const bool user = value_of(query, "user").has_value();
  const bool paged = value_of(query, "limit") || value_of(query, "cursor");
  const bool one = int{order} + int{request} + int{user} == 1;
  if (one && (request || !value_of(query, "caller")) && (user || !paged)) return std::nullopt;
  return "give one of order, request (with an optional caller) or user (with an optional limit and cursor)";
}

Result<OrdersShown> look_up_orders(judge::OrderIndex& index, Reader& reader,
                                   const judge::OrdersQuery& wanted) {
  const auto found = jobs::orders_of(index, reader, wanted);
  if (!found) return std::unexpected(found.error());
  OrdersShown shown;
  for (const judge::OrderView& view : found->orders) shown.orders.push_back(shown_of(view));
  tell_page(shown, *found);
  return shown;
}

Result<TracesShown> look_up_traces(judge::OrderIndex& index, Reader& reader,
                                   const judge::OrdersQuery& wanted) {
  const auto found = jobs::orders_of(index, reader, wanted);
  if (!found) return std::unexpected(found.error());
  TracesShown shown;
  for (const judge::OrderView& view : found->orders) {
    auto trace = trace_order(reader, view.order.id);
    if (!trace) return std::unexpected(trace.error());
    if (*trace) shown.traces.push_back(**std::move(trace));
  }
  tell_page(shown, *found);
  return shown;
}

}  // namespace gavel::http
