// State: the rows that one batch touches, as loaded, and what the batch makes of them.
//
// The judge fills it from a store, decide() works on it, the store writes the difference back: rows marked
// `inserted` or `updated`, and the flows. It is plain data with no I/O; one batch owns it and one thread uses
// it. Maps are ordered so that rows are written in key order, the same on every machine.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "rules/command.h"
#include "rules/flow.h"
#include "rules/ids.h"
#include "rules/order_state.h"
#include "rules/quantity.h"
#include "rules/verdict.h"

namespace gavel::rules {

enum class Change : std::uint8_t { loaded, inserted, updated };

struct Bucket {
  Quantity available;
  Quantity reserved;
  Quantity sold;
  std::int64_t seq = 0;

  friend bool operator==(const Bucket&, const Bucket&) = default;
};

// One stock item with all its buckets (A3, A6). `loaded` keeps the buckets as they came from the store: the
// store guards each update by them, and the generation rises by comparing (gate-protocol, Judge).
struct Item {
  ItemId id;
  SkuId sku;
  ActivityId activity = free_pool;  // Whose allotment it is; free_pool: free stock.
  std::int64_t generation = 1;
  std::vector<Bucket> buckets;
  std::vector<Bucket> loaded;
  Change change = Change::loaded;  // Of the item's own row; buckets say for themselves.

  Quantity available() const;
  Quantity total() const;  // available + reserved + sold
};

struct Sku {
  SkuId id;
  SkuCode code;
  std::int32_t bucket_count = 1;
  ItemId free_item;
  Change change = Change::loaded;
};

struct AllottedLine {
  SkuId sku;
  SkuCode code;
  Quantity allotment;
  ItemId item;  // The activity's own stock item of this SKU.
};

struct Activity {
  ActivityId id;
  ActivityCode code;
  std::string name;
  ActivityState state = ActivityState::draft;
  std::optional<Quantity> limit_per_user;
  std::optional<Time> opens_at;
  std::optional<Time> closes_at;
  std::optional<std::chrono::seconds> hold;
  std::vector<AllottedLine> lines;
  Change change = Change::loaded;
};

// Where an order's units come from.
struct Taken {
  ItemId item;
  BucketNo bucket = 0;
  Quantity quantity;
  friend bool operator==(const Taken&, const Taken&) = default;
};

struct Order {
  OrderId id;
  OrderState state = OrderState::refused;
  UserId user;
  ActivityId activity = free_pool;
  std::vector<Taken> taken;  // By item and bucket; fixed when the order is made; empty if refused.
  Time created_at;
  std::optional<Time> expires_at;  // Of held orders, and of those that once were.
  std::optional<Time> settled_at;  // When it left `held`.
  Change change = Change::loaded;
};

// A request and its first answer (D3). It is stored in the order's row where the key is a UUIDv7 and the act
// is reserve, in a row (caller, key) otherwise.
struct Recorded {
  Caller caller;
  RequestKey key;
  std::string content;
  Verdict verdict;
  Change change = Change::loaded;
};

using RequestId = std::pair<Caller, RequestKey>;

struct QuotaKey {
  ActivityId activity;
  SkuId sku;
  UserId user;
  friend auto operator<=>(const QuotaKey&, const QuotaKey&) = default;
};

// What one user has claimed of one SKU in one activity (B3): 0 <= claimed <= allowed.
struct Quota {
  Quantity allowed;
  Quantity claimed;
  std::optional<OrderId> order;  // The latest order that claimed.
  Quantity loaded;               // `claimed` as it came from the store.
  Change change = Change::loaded;
};

// Numbers that the store deals, with the next free one of each kind.
struct Counters {
  std::int64_t next_sku = 1;
  std::int64_t next_item = 1;
  std::int64_t next_activity = 1;
  Change change = Change::loaded;
};

struct State {
  std::map<SkuCode, Sku> skus;
  std::map<ActivityCode, Activity> activities;
  std::map<ItemId, Item> items;
  std::map<OrderId, Order> orders;
  std::map<QuotaKey, Quota> quotas;
  std::map<RequestId, Recorded> requests;          // Of rows (caller, key).
  std::map<OrderId, Recorded> orders_as_requests;  // Of order rows whose id is the request's UUIDv7 key.
  std::set<OrderId>
      ids_in_use;  // UUIDv7 keys of this batch that are the id of an order made under another key.
  Counters counters;

  // Held orders whose time is past, oldest first, that may be released if an item runs short (C9). An item in
  // `due_unseen` has more of them than were loaded.
  std::map<ItemId, std::vector<OrderId>> due;
  std::set<ItemId> due_unseen;

  std::vector<Flow> flows;  // Made by this batch, in order.

  Sku* find_sku(const SkuCode& code);
  Activity* find_activity(const ActivityCode& code);
  Activity* find_activity(ActivityId id);  // nullptr for free_pool.
  const Sku& sku_of(SkuId id) const;       // CHECKs that it was loaded.
  Item& item(ItemId id);                   // CHECKs that it was loaded.
  Order* find_order(OrderId id);
};

}  // namespace gavel::rules
