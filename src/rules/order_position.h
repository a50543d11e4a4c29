// OrderPosition: where in the ledger an order begins, which is the order in which the judge made orders.
//
// Its first ledger row, by the judge's time; of one millisecond by lane, batch and row. It never changes, and
// no two orders have the same. Value type; thread-safe.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "rules/ids.h"

namespace gavel::rules {

struct OrderPosition {
  Time at;
  LaneId lane;
  std::int64_t n = 0;  // Of the batch, within its lane.
  std::int64_t i = 0;  // Of the row, within its batch.
  friend auto operator<=>(const OrderPosition&, const OrderPosition&) = default;
};

// "1764578191123.4.17.0": milliseconds since 1970, lane, batch, row. What is written is read back equal.
std::string to_text(const OrderPosition& position);
std::optional<OrderPosition> parse_order_position(std::string_view text);

}  // namespace gavel::rules
