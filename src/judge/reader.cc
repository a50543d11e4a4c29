#include "judge/reader.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace gavel::judge {

void put_in_order(Trace& trace) {
  // Lanes are dealt anew at every start, so between two of them the time of the batch decides.
  std::ranges::sort(trace.steps, {}, [](const Trace::Step& step) {
    return std::tuple(step.row.flow.at, step.row.batch, step.row.i);
  });
  const auto by_key = [](const rules::IdempotencyRecord& one) {
    return std::tuple(one.verdict.at, one.caller, one.key);
  };
  std::ranges::sort(trace.requests, {}, by_key);
  const auto again = std::ranges::unique(trace.requests, {}, by_key);
  trace.requests.erase(again.begin(), again.end());
}

namespace {

// The one that was asked for, if it exists.
template <class T>
Result<std::optional<T>> only(Result<std::vector<T>> found) {
  if (!found) return std::unexpected(found.error());
  CHECK(found->size() <= 1);
  if (found->empty()) return std::nullopt;
  return std::move(found->front());
}

}  // namespace

Result<std::optional<OrderRow>> OrdersReader::order(rules::OrderId id) {
  return only(orders(std::span(&id, 1)));
}

Result<std::optional<Trace>> OrdersReader::trace(rules::OrderId id) {
  return only(traces(std::span(&id, 1)));
}

Result<void> TablesReader::visit(Visitor visitor) {
  const auto scan = this->scan(std::move(visitor));
  if (!scan) return std::unexpected(scan.error());
  const Result<bool> more = (*scan)->step(std::numeric_limits<std::size_t>::max());
  if (!more) return std::unexpected(more.error());
  CHECK(!*more);
  return {};
}

}  // namespace gavel::judge
