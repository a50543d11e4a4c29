#include "queries/user_orders.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/check.h"

namespace gavel::queries {
namespace {

using rules::OrderId;
using rules::OrderPosition;

bool is_wanted(const rules::Order& order, const judge::OrdersQuery& wanted) {
  const bool is_of_account = !wanted.account || order.account == *wanted.account;
  return is_of_account && order.user == wanted.user && (!wanted.state || order.state == *wanted.state);
}

// The ids of one page, and where the next one begins.
struct Chosen {
  std::vector<OrderId> ids;
  std::optional<OrderPosition> next;
};

struct Candidate {
  OrderId id;
  bool is_wanted;
};

// What the tail says of an order counts more than what the index says. Where the index has more than it gave,
// nothing below its last row belongs to this page.
Chosen choose(const judge::OrderIndex::Page& page, const judge::LedgerPage& tail,
              const judge::OrdersQuery& wanted) {
  std::map<OrderPosition, Candidate, std::greater<>> candidates;
  for (const judge::IndexedOrder& order : page.orders) candidates[order.position] = {order.id, true};
  for (const auto& [order, position] : tail.orders) {
    if (!wanted.before || position < *wanted.before)
      candidates[position] = {order.id, is_wanted(order, wanted)};
  }
  std::optional<OrderPosition> last;
  if (page.orders.size() > wanted.count) last = page.orders.back().position;
  Chosen chosen;
  std::optional<OrderPosition> previous;
  for (const auto& [position, candidate] : candidates) {
    if (last && position < *last) break;
    if (!candidate.is_wanted) continue;
    if (chosen.ids.size() == wanted.count) {
      chosen.next = previous;
      return chosen;
    }
    chosen.ids.push_back(candidate.id);
    previous = position;
  }
  chosen.next = last;
  return chosen;
}

}  // namespace

Result<UserOrders> orders_of(judge::OrderIndex& index, judge::LedgerReader& ledger,
                             judge::OrdersReader& orders, const judge::OrdersQuery& query) {
  CHECK(query.count >= 1);
  judge::OrdersQuery one_more = query;  // It tells whether anything follows.
  ++one_more.count;
  const auto page = index.page(one_more);
  if (!page) return std::unexpected(page.error());
  const auto tail = ledger.read_after(page->offsets, tail_flows_max);
  if (!tail) return std::unexpected(tail.error());
  if (tail->other_history) {
    return fail(ErrorCode::unavailable, "the index of orders by user is being rebuilt; ask again later");
  }
  const Chosen chosen = choose(*page, *tail, query);
  auto rows = orders.orders(chosen.ids);
  if (!rows) return std::unexpected(rows.error());
  // One may have changed between two looks.
  std::erase_if(*rows, [&](const judge::OrderRow& row) { return !is_wanted(row.order, query); });
  UserOrders answer{.orders = *std::move(rows), .next = chosen.next, .lag = {.batches = tail->batches_left}};
  if (tail->oldest_left) answer.lag.behind = tail->now - *tail->oldest_left;
  CHECK(answer.orders.size() <= query.count);
  return answer;
}

}  // namespace gavel::queries
