// What is left when all is well again: U2 and U4 of proof.md.
//
// U2: after things heal, a fresh user can buy whatever is left, through the gate and without it. The oracle
// says who should ask for what, the driver of the load asks, and the oracle looks at the answers. U4: with
// demand above stock and retries, held + sold is the stock, not one less and not one more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/check.h"

namespace gavel::oracle {

// Requests of users named `name`1, `name`2, … that together buy every available unit of the free stock and of
// every open activity (that is in its hours at `now`, ms): as much at once as a limit permits, at most
// `requests_max` for each item, the last of them taking what is left where no limit forbids it. Keys are the
// users. Then, per item that is bought empty, one request more, which must be refused.
struct Errand {
  Request request;
  bool must_succeed = true;  // Else it must be told sold_out.
};
std::vector<Errand> errands(const Ledger& ledger, std::int64_t now, std::string_view caller,
                            std::string_view name, std::size_t requests_max);

// U2: what the history says of them.
std::vector<Finding> check_errands(const std::vector<Errand>& errands, const History& history);

// U4: at rest, held + sold of the pool is `units`, and nothing is available.
std::vector<Finding> check_sold_out(const Ledger& ledger, std::string_view sku, std::string_view activity,
                                    std::int64_t units);

// Liveness (C9): no hold is past its time by more than `within_ms` at `now`. All times are by the judge's
// clock.
std::vector<Finding> check_overdue(const Ledger& ledger, std::int64_t now, std::int64_t within_ms);

// The same, and no hold was released later than that: for a service that was always there.
std::vector<Finding> check_releases(const Ledger& ledger, std::int64_t now, std::int64_t within_ms);

}  // namespace gavel::oracle
