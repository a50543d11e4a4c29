// Flow: one row of the ledger, the reason why a bucket's numbers are what they are (C4).
//
// The rows of one bucket form a chain: seq has no gap, and each row's `before` equals the `after` of the row
// before it. The ledger alone rebuilds every number. Rows are never changed or removed. Value type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "rules/ids.h"
#include "rules/quantity.h"
#include "rules/request_key.h"

namespace gavel::rules {

enum class Action : std::uint8_t {
  receive,     // Inbound: available rises.
  reserve,     // available to reserved
  sell,        // available to sold
  confirm,     // reserved to sold
  cancel,      // reserved to available, by the caller
  expire,      // reserved to available, because the hold's time is past
  move_out,    // To another stock item, or another bucket of this one: available falls; its move_in stands in
               // the same batch.
  move_in,     // From there: available rises.
  refund,      // sold to available
  write_off,   // sold to gone: refunded, but not for sale again (C3)
  adjust_in,   // Units were found or a count was higher: available rises.
  adjust_out,  // Units are damaged or lost, or a count was lower: available falls.
  fall_short,  // The same for units that orders hold: shortage rises (E7).
  make_good,   // available to shortage: incoming units cover the shortage.
  ship,        // sold to shipped: paid units leave for their buyer (E22).
  take_back,   // shipped to available: refunded by the buyer, and for sale again
  write_off_shipped,  // shipped to gone: refunded by the buyer, but not for sale again (C3)
};
inline constexpr auto actions_count = static_cast<std::size_t>(Action::write_off_shipped) + 1;

std::string_view word(Action action);
std::optional<Action> parse_action(std::string_view word);

// What one unit of an action does to a bucket; each is -1, 0 or 1.
struct Effect {
  std::int64_t available = 0;
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
  std::int64_t shortage = 0;
  std::int64_t shipped = 0;
};
Effect effect_of(Action action);

struct Flow {
  ItemId item;
  BucketNo bucket = 0;
  std::int64_t seq = 0;  // Of the bucket, from 1, gapless.
  Action action = Action::receive;
  Quantity quantity;  // At least 1.
  Quantity before;    // available
  Quantity after;
  std::optional<OrderId> order;  // Of what moves units of an order; not of rows that a migration wrote.
  std::int32_t occurrence = 1;  // 1-based ordinal among the rows with the same (order, item, bucket, action).
  Caller caller;                // Who caused it; of administration, the operator. "gavel" for Gavel itself.
  std::optional<RequestKey> key;  // The request that caused it; none for Gavel itself.
  std::string source;  // The event behind it: "order", "change" (of a held order), "hold_expired", "inbound",
                       // "adjust:<reason>", "count", "activity:<code>", "buckets", "rebalance", "shortage",
                       // "ship" (units that turned out to be there), "migration".
  Time at;

  friend bool operator==(const Flow&, const Flow&) = default;
};

}  // namespace gavel::rules
