// Loading: single rows of the rules, read with all that belongs to them, for the store and for readers alike.
//
// Each answers nothing where there is no such row. Errors are the statement's. One thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "judge/reader.h"
#include "judge/sqlite/queries.h"
#include "rules/state.h"

namespace gavel::judge::sqlite {

template <class T>
using Found = Result<std::optional<T>>;

Found<rules::Sku> find_sku(Queries& queries, const rules::SkuCode& code);
Found<rules::Sku> find_sku(Queries& queries, rules::SkuId id);
Found<rules::Activity> find_activity(Queries& queries, const rules::ActivityCode& code);
Found<rules::Activity> find_activity(Queries& queries, rules::ActivityId id);
Found<rules::Item> find_item(Queries& queries, rules::ItemId id);
Found<rules::Order> find_order(Queries& queries, rules::OrderId id);
Found<rules::IdempotencyRecord> find_request(Queries& queries, const rules::RequestId& id);

// An order's row as the record of the request whose key is its id. `request` is empty where the order was
// made under another key.
struct OrderRequest {
  std::optional<rules::IdempotencyRecord> request;
};
Found<OrderRequest> find_request_of_order(Queries& queries, rules::OrderId id);

// Of many orders at once, by their ids; those that do not exist are left out. Other threads have their turn
// between two statements.
Result<std::map<rules::OrderId, rules::Order>> find_orders(Queries& queries,
                                                           std::span<const rules::OrderId> ids);
Result<std::map<rules::OrderId, OrderRequest>> find_requests_of_orders(Queries& queries,
                                                                       std::span<const rules::OrderId> ids);
Result<std::map<rules::OrderId, std::vector<FlowRow>>> find_flows_of_orders(
    Queries& queries, std::span<const rules::OrderId> ids);

// Where each order begins in the ledger. The lanes of a file follow one another, so that the first row of an
// order is that of the lowest lane.
struct LedgerPlace {
  rules::LaneId lane;
  std::int64_t n = 0;
  std::int64_t i = 0;
  friend auto operator<=>(const LedgerPlace&, const LedgerPlace&) = default;
};
Result<std::map<rules::OrderId, LedgerPlace>> find_places_of_orders(Queries& queries,
                                                                    std::span<const rules::OrderId> ids);

// Adds how many rows of each action the ledger has of the order in each bucket.
Result<void> add_occurrences(Queries& queries, rules::OrderId id, rules::State& state);

// The parts that rows of their own hold.
Result<void> add_lines(Queries& queries, rules::Activity& activity);
Result<void> add_buckets(Queries& queries, rules::Item& item);

}  // namespace gavel::judge::sqlite
