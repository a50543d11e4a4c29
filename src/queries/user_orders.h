// User orders: the orders of one user, from the index and the tail of the ledger that it has not reached.
//
//   index, in one snapshot ─► what the ledger says after it ─► the orders as they are, in one read
//
// So an answer is complete although the index follows at leisure; only a tail longer than tail_flows_max is
// left out, and the answer says how far behind it is then. Blocks; on the thread of the questions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "jobs/projection.h"
#include "judge/order_index.h"
#include "judge/reader.h"

namespace gavel::queries {

inline constexpr std::size_t tail_flows_max = 2'000;

struct UserOrders {
  std::vector<judge::OrderRow> orders;       // The latest first, each as it was when it was read.
  std::optional<rules::OrderPosition> next;  // What `before` continues from; none: that was all.
  jobs::Lag lag;                             // Of what is not in the answer.
};

// Errors are those of the index and of the reader; `unavailable` too while the index is being made again.
Result<UserOrders> orders_of(judge::OrderIndex& index, judge::LedgerReader& ledger,
                             judge::OrdersReader& orders, const judge::OrdersQuery& query);

}  // namespace gavel::queries
