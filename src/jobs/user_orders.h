// User orders: the orders of one user, from the index and the tail of the ledger that it has not reached.
//
//   index, in one snapshot ─► what the ledger says after it ─► each order as it is
//
// So an answer is complete although the index follows at leisure; only a tail longer than tail_flows_max is
// left out, and the answer says how far behind it is then. Blocks; on the thread of the questions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "jobs/projection.h"
#include "judge/order_index.h"
#include "judge/reader.h"

namespace gavel::jobs {

inline constexpr std::size_t tail_flows_max = 2'000;

struct UserOrders {
  std::vector<judge::OrderView> orders;  // By falling id, each as it was when it was read.
  std::optional<rules::OrderId> next;    // What `before` continues from; none: that was all.
  Lag lag;                               // Of what is not in the answer.
};

Result<UserOrders> orders_of(judge::OrderIndex& index, judge::Reader& reader,
                             const judge::OrdersQuery& wanted);

}  // namespace gavel::jobs
