// OrderIndex: which orders a user has, as far as the index has followed the ledger. A projection.
//
// It is kept apart from the judge's tables, since an index that does not grow in order of time would slow
// down every sale (docs/adr/0008). It can be thrown away: following the ledger from the beginning rebuilds
// it. Each row is an order that ever took units, with its account, user and state; a refused order left
// nothing in the ledger and is not in the index.
//
// offsets, put and clear belong to one thread, the job's; page to one thread, that of the questions. Every
// call blocks, and is one transaction. Errors: unavailable (ask again), broken (the index cannot be trusted;
// remove it), unknown of put and clear (perhaps written: ask for the offsets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "judge/reader.h"
#include "rules/ids.h"
#include "rules/order_position.h"
#include "rules/order_state.h"

namespace gavel::judge {

struct IndexedOrder {
  rules::Caller account;
  rules::UserId user;
  rules::OrderPosition position;
  rules::OrderId id;
  rules::OrderState state = rules::OrderState::held;
  friend bool operator==(const IndexedOrder&, const IndexedOrder&) = default;
};

inline constexpr rules::OrderPosition after_all_orders{
    Time::max(), {std::numeric_limits<std::int64_t>::max()}, 0, 0};

struct OrdersQuery {
  rules::UserId user;
  std::optional<rules::OrderState> state = std::nullopt;
  std::optional<rules::OrderPosition> before = std::nullopt;  // That of the previous page's last one.
  std::size_t count = 1;
  std::optional<rules::Caller> account = std::nullopt;  // None: orders of every account.
};

class OrderIndex {
 public:
  virtual ~OrderIndex() = default;

  // How far it has followed.
  virtual Result<Offsets> offsets() = 0;

  // Adds the orders, or replaces their states, and moves the offsets to `reached`, all or nothing.
  virtual Result<void> put(const std::vector<IndexedOrder>& orders, const Offsets& reached) = 0;

  // Deletes everything.
  virtual Result<void> clear() = 0;

  struct Page {
    Offsets offsets;  // The position up to which these rows are complete.
    std::vector<IndexedOrder> orders;
  };
  // The user's orders in descending order of their positions: the latest first.
  virtual Result<Page> page(const OrdersQuery& wanted) = 0;
};

// In memory, as long as the object exists. Thread-safe.
std::unique_ptr<OrderIndex> make_memory_order_index();

}  // namespace gavel::judge
