// ReadQueries: what everybody may ask of the committed database, in the words of views.h.
//
// Each call blocks, on the one thread that uses these queries. Errors are the reader's and the index's:
// unavailable (ask again), broken.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "queries/views.h"
#include "rules/ids.h"
#include "rules/order_position.h"
#include "rules/order_state.h"

namespace gavel::judge {
class OrderIndex;
class Reader;
}  // namespace gavel::judge

namespace gavel::queries {

// Whose orders are shown: those of one account, or everybody's.
using Owner = std::optional<rules::Caller>;

struct UserOrdersQuery {
  rules::UserId user;
  std::optional<rules::OrderState> state = std::nullopt;
  std::optional<rules::OrderPosition> before = std::nullopt;  // The `next` of the page before.
  std::size_t count = 1;                                      // At least 1.
  Owner owner = std::nullopt;
};

struct ShortagesQuery {
  rules::ItemId after = {};  // The `next` of the page before; item 0 comes before all.
  std::size_t count = 1;
};

struct ActivitiesQuery {
  std::optional<rules::ActivityCode> after = std::nullopt;  // The `next` of the page before.
  std::size_t count = 1;
};

class ReadQueries {
 public:
  // Both are these queries' own, and outlive them.
  ReadQueries(judge::Reader& reader, judge::OrderIndex& index) : reader_(reader), index_(index) {}

  // Nothing too where the order has another owner.
  Result<std::optional<OrderView>> order(rules::OrderId id, const Owner& owner);
  Result<OrdersPage> orders(const UserOrdersQuery& query);
  // What the caller of the request was answered.
  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id);

  Result<StockOfSkus> stock(const std::vector<rules::SkuCode>& skus);
  Result<ShortagesPage> shortages(const ShortagesQuery& query);

  Result<ClocksView> clocks();

  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code);
  Result<ActivitiesPage> activities(const ActivitiesQuery& query);

  Result<std::optional<TraceView>> trace(rules::OrderId id);
  // That of the order it made or acted on, itself among its requests; alone, where it has none.
  Result<std::optional<TraceView>> trace(const rules::RequestId& id);
  Result<TracesPage> traces(const UserOrdersQuery& query);

 private:
  judge::Reader& reader_;
  judge::OrderIndex& index_;
};

}  // namespace gavel::queries
