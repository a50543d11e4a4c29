// The identifiers of the business, each its own type.
//
// Callers choose codes; the store assigns numbers, which are never shown outside. Value types; thread-safe.
#pragma once

#include <compare>
#include <cstdint>

#include "base/strong.h"
#include "base/uuid.h"

namespace gavel::rules {

using SkuCode = Code<struct SkuTag>;
using ActivityCode = Code<struct ActivityTag>;
using UserId = Code<struct UserTag>;
// The account that asks: that of its key (A9).
using Caller = Code<struct CallerTag, is_narrow_code>;

using SkuId = Number<struct SkuIdTag>;
using ActivityId = Number<struct ActivityIdTag>;  // 0 means no activity: the free pool.
using ItemId = Number<struct ItemIdTag>;          // A stock item: one (SKU, warehouse, lot, pool).
using LaneId = Number<struct LaneIdTag>;          // A new one is assigned at every start of a lane.
using InstanceId = Number<struct InstanceIdTag>;  // Of a process, at least 1; a new one at every start.

inline constexpr ActivityId free_pool{0};

// An order's id; where the request key is a UUIDv7, the id is that key (architecture, "Few rows per order").
struct OrderId {
  Uuid uuid;
  friend auto operator<=>(const OrderId&, const OrderId&) = default;
};

// Which database this is. One that is made anew is another one, though it has the same name.
struct Incarnation {
  Uuid uuid;
  friend auto operator<=>(const Incarnation&, const Incarnation&) = default;
};

// Position of a bucket within its item, from 0.
using BucketNo = std::int32_t;

}  // namespace gavel::rules
