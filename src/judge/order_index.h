// OrderIndex: which orders a user has, as far as somebody has followed the ledger. A projection.
//
// It is kept apart from the judge's tables, since an index in no order of time would slow down every sale
// (docs/adr/0008), and it can be thrown away: following from nothing makes it again. Each row is an order
// that ever took units, with its user and state; a refused one left nothing in the ledger and is not here.
//
// cursors, put and clear belong to one thread, the job's; page to one thread, that of the questions. Every
// call blocks, and is one transaction. Errors: unavailable (ask again), broken (the index cannot be trusted;
// remove it), unknown of put and clear (perhaps written: ask for the cursors).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "judge/reader.h"
#include "rules/ids.h"
#include "rules/order_state.h"

namespace gavel::judge {

struct IndexedOrder {
  rules::UserId user;
  rules::OrderId id;
  rules::OrderState state = rules::OrderState::held;
  friend bool operator==(const IndexedOrder&, const IndexedOrder&) = default;
};

// Comes after every id.
inline constexpr rules::OrderId after_all_orders{
    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}};

struct OrdersQuery {
  rules::UserId user;
  std::optional<rules::OrderState> state = std::nullopt;
  std::optional<rules::OrderId> before = std::nullopt;  // The last one of the page before.
  std::size_t count = 1;
};

class OrderIndex {
 public:
  virtual ~OrderIndex() = default;

  // How far it has got.
  virtual Result<Cursors> cursors() = 0;

  // Adds the orders, or replaces their states, and moves the cursors to `reached`, all or nothing.
  virtual Result<void> put(const std::vector<IndexedOrder>& orders, const Cursors& reached) = 0;

  // Forgets everything.
  virtual Result<void> clear() = 0;

  struct Page {
    Cursors cursors;  // As far as these rows tell.
    std::vector<IndexedOrder> orders;
  };
  // The user's orders by falling id, which is nearly by time: ids begin with the time of their making.
  virtual Result<Page> page(const OrdersQuery& wanted) = 0;
};

// In memory, for as long as it lives. Thread-safe.
std::unique_ptr<OrderIndex> make_memory_order_index();

}  // namespace gavel::judge
