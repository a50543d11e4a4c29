// State: the rows that one batch touches, as they were loaded, and the batch's changes to them.
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
#include "rules/mode.h"
#include "rules/order_state.h"
#include "rules/quantity.h"
#include "rules/verdict.h"

namespace gavel::rules {

enum class RowState : std::uint8_t { clean, inserted, updated };

struct Bucket {
  Quantity available;
  Quantity reserved;
  Quantity sold;
  std::int64_t seq = 0;
  Quantity shortage = {};  // Units that orders hold and that do not exist (E7).
  Quantity shipped = {};   // Units that buyers have (E22).

  friend bool operator==(const Bucket&, const Bucket&) = default;
};

// One stock item with all its buckets (A3, A6). `loaded` keeps the buckets as they came from the store: the
// store guards each update by them, and a comparison with them tells whether the generation rises
// (gate-protocol, Judge).
struct Item {
  ItemId id;
  SkuId sku;
  ActivityId activity = free_pool;  // The activity whose allotment it is; free_pool means free stock.
  std::int64_t generation = 1;
  std::int64_t refusals = 0;  // Refusals for lack of stock that were recorded in this generation (A8).
  std::vector<Bucket> buckets;
  std::vector<Bucket> loaded;
  RowState row_state = RowState::clean;  // State of the item's own row; each bucket has its own.
  // Number of buckets, the last ones, that are out of use: bucket rows are never deleted (A3). They get no
  // new units; units that an order returns to them are sold from there.
  std::int32_t retired = 0;

  std::size_t in_use() const { return buckets.size() - static_cast<std::size_t>(retired); }
  Quantity available() const;
  Quantity total() const;    // available + reserved + sold: what the item has here, or owes.
  Quantity shipped() const;  // What buyers have of it (E22).
  // Units that are owed to orders and do not exist: at most reserved + sold. While there are any, nothing is
  // available (docs/adr/0017).
  Quantity shortage() const;
  // Units on the shelf: available + reserved - shortage. A shortage that is owed to paid orders is not
  // subtracted, since those units have left the shelf.
  Quantity on_hand() const;
};

struct Sku {
  SkuId id;
  SkuCode code;
  std::int32_t bucket_count = 1;  // Buckets of its free item that are in use.
  ItemId free_item;
  RowState row_state = RowState::clean;
  Mode mode = Mode::service;
  std::int64_t version = 0;  // As loaded: the store guards an update by it, and raises it by one.
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
  RowState row_state = RowState::clean;
  Mode mode = Mode::service;
  std::int64_t version = 0;  // As that of a SKU.
};

// Where an order's units come from.
struct Allocation {
  ItemId item;
  BucketNo bucket = 0;
  Quantity quantity;
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// The parts of an order that may change, as they came from the store. The store guards each update by the
// revision, and the invariants compare the order with these.
struct OrderAsLoaded {
  OrderState state = OrderState::refused;
  std::vector<Allocation> taken;
  std::vector<Allocation> returned;
  std::vector<Allocation> shipped;
  std::optional<Time> expires_at;
  std::int64_t revision = 0;
};

// An order, and the units that it still has (docs/adr/0006). It takes units while it is held. When it is
// settled, `taken` never changes again, and units that leave the order afterwards are added to `returned`:
//
// A change of a held order changes `taken` itself (E5); the ledger records how. Of what is with a paid order,
// `shipped` is with its buyer, and the rest lies here until it is shipped (E22).
//
//   state                    is with the order     returned
//   held                     taken                 nothing
//   paid                     taken - returned      what a payment of some lines alone left over (E1)
//   partly_refunded          taken - returned      the same, and what was refunded
//   partly_shipped, shipped  taken - returned      the same
//   refunded                 nothing               equals taken
//   cancelled, expired       nothing               nothing: all that was taken went back, as the state says
//   refused                  nothing               nothing, and nothing was taken
struct Order {
  OrderId id;
  OrderState state = OrderState::refused;
  Caller account;  // Who made it; never changes.
  UserId user;
  ActivityId activity = free_pool;
  std::vector<Allocation> taken;          // Parts of one item are adjacent; each bucket occurs once.
  std::vector<Allocation> returned = {};  // Each bucket occurs once, never with more than was taken there.
  std::vector<Allocation> shipped = {};   // Each bucket occurs once, never with more than is left there.
  Time created_at;
  std::optional<Time> expires_at;                       // For orders that are held or once were.
  std::optional<Time> first_expires_at = std::nullopt;  // For extended orders: the first `expires_at`.
  std::optional<Time> settled_at;                       // When it left `held`.
  std::int32_t extensions = 0;                          // How often the hold was extended (E4).
  std::int64_t revision = 0;                            // Rises with every act that changes the row.
  RowState row_state = RowState::clean;
  std::optional<OrderAsLoaded> loaded = std::nullopt;  // None for an order that this batch made.

  std::vector<Allocation> kept() const;       // What the order still has, in the sequence of `taken`.
  std::vector<Allocation> unshipped() const;  // Of a paid order: what of kept() lies here.
};

// How many units of `parts` stand in the bucket.
Quantity units_at(const std::vector<Allocation>& parts, ItemId item, BucketNo bucket);

// Adds the units of `part` to those of its bucket, or takes them out of it, where there must be enough
// (CHECKed).
void add_part(std::vector<Allocation>& parts, const Allocation& part);
void remove_part(std::vector<Allocation>& parts, const Allocation& part);

// Makes the current values the loaded ones.
void mark_loaded(Order& order);

// A request and its first answer (D3). It is stored in the order's row if the key is a UUIDv7 and the act is
// reserve, and otherwise in a row (caller, key).
struct IdempotencyRecord {
  Caller caller;
  RequestKey key;
  std::string content;
  Verdict verdict;
  RowState row_state = RowState::clean;
};

using RequestId = std::pair<Caller, RequestKey>;

// Names the ledger rows in which one action moved units of one order in one bucket (C4).
struct OccurrenceKey {
  OrderId order;
  ItemId item;
  BucketNo bucket = 0;
  Action action = Action::reserve;
  friend auto operator<=>(const OccurrenceKey&, const OccurrenceKey&) = default;
};

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
  RowState row_state = RowState::clean;
  std::optional<Caller> account = std::nullopt;  // That of `order`; none without an order.
};

// The next free number of each kind that the store assigns.
struct Counters {
  std::int64_t next_sku = 1;
  std::int64_t next_item = 1;
  std::int64_t next_activity = 1;
  RowState row_state = RowState::clean;
};

struct State {
  std::map<SkuCode, Sku> skus;
  std::map<ActivityCode, Activity> activities;
  std::map<ItemId, Item> items;
  std::map<OrderId, Order> orders;
  std::map<OccurrenceKey, std::int32_t> occurrences;  // How many rows of each kind the orders have so far.
  std::map<QuotaKey, Quota> quotas;
  std::map<RequestId, IdempotencyRecord> requests;  // Requests in rows (caller, key).
  std::set<RequestId> forgotten;  // Rows (caller, key) to be deleted, before any is inserted.
  std::map<OrderId, IdempotencyRecord>
      orders_as_requests;  // Requests in order rows whose id is the request's UUIDv7 key.
  // UUIDv7 keys of this batch that are already the id of an order with another key, or the key of another
  // act.
  std::set<OrderId> ids_in_use;
  // UUIDv7 keys under which this batch records acts other than orders: no order may be made under them
  // (docs/adr/0004). They are freed when the record of the act is forgotten.
  std::set<OrderId> key_guards;
  std::set<OrderId> key_guards_freed;
  Counters counters;

  // Due held orders, oldest first, that may be released if an item runs short (C9). An item in `due_unseen`
  // has more of them than were loaded.
  std::map<ItemId, std::vector<OrderId>> due;
  std::set<ItemId> due_unseen;

  std::vector<Flow> flows;  // Made by this batch, in order.

  Sku* find_sku(const SkuCode& code);
  Activity* find_activity(const ActivityCode& code);
  Activity* find_activity(ActivityId id);  // nullptr for free_pool.
  const Sku& sku_of(SkuId id) const;       // CHECKs that it was loaded.
  Item& item(ItemId id);                   // CHECKs that it was loaded.
  Order* find_order(OrderId id);

  // Adds an order as it came from the store. If nothing was done to the order, it has only the ledger rows of
  // its creation, which are counted here. Returns true for any other order: the store must count its rows.
  bool add_loaded(Order order);
};

}  // namespace gavel::rules
