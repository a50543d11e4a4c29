// Questions: what is looked up for a request that reads, and the parameters that say what.
//
// look_up_* and trace_* block and run on the thread of the readings; the others are pure. Errors are the
// reader's and the index's.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/query.h"
#include "http/render.h"
#include "jobs/user_orders.h"

namespace gavel::http {

Result<std::optional<OrderShown>> look_up_order(judge::Reader& reader, rules::OrderId id);

// Stock of several SKUs, or the first that does not exist.
struct StockAnswer {
  std::vector<StockShown> rows;
  std::optional<rules::SkuCode> unknown;
};
Result<StockAnswer> look_up_stock(judge::Reader& reader, const std::vector<rules::SkuCode>& skus);

// What is short (E7), in order of the items: one page, and where more follows.
struct ShortagesAnswer {
  std::vector<StockShown> rows;
  std::optional<std::string> next;
};
struct WantedShortages {
  rules::ItemId after;
  std::size_t count = 0;
};
std::expected<WantedShortages, std::string> wanted_shortages(const Query& query);
Result<ShortagesAnswer> look_up_shortages(judge::Reader& reader, const WantedShortages& wanted);

Result<std::optional<TraceShown>> trace_order(judge::Reader& reader, rules::OrderId id);

// By the request: that of the order it made or acted on, itself among its requests; alone, where it has none.
Result<std::optional<TraceShown>> trace_request(judge::Reader& reader, const rules::RequestId& id);

// What a list of orders is asked for, or what is wrong with its parameters; likewise for the traces of a
// user.
std::expected<judge::OrdersQuery, std::string> wanted_orders(const Query& query);
std::expected<judge::OrdersQuery, std::string> wanted_traces(const Query& query);

// What is wrong with the parameters of a trace, taken together.
std::optional<std::string> wrong_in_trace(const Query& query);

Result<OrdersShown> look_up_orders(judge::OrderIndex& index, judge::Reader& reader,
                                   const judge::OrdersQuery& wanted);
Result<TracesShown> look_up_traces(judge::OrderIndex& index, judge::Reader& reader,
                                   const judge::OrdersQuery& wanted);

}  // namespace gavel::http
