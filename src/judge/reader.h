// Reader: committed rows for lists, jobs, projections and the audit. It never locks and never decides.
//
// Each call sees one consistent state of the database, at least as new as every verdict that was given before
// the call. Blocks; one thread per reader. Errors: unavailable (ask again), broken.
//
// If an answer depends on the time, the time is the database's and is in the answer as `now`: what
// Store::now() would say to a batch that begins at this moment, so never before the time of the newest batch.
// No caller passes a time of its own, because the clocks of two machines may differ by minutes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "judge/store.h"
#include "rules/order_position.h"
#include "rules/state.h"

namespace gavel::judge {

// One stock item with the words that name it.
struct StockRow {
  rules::SkuCode sku;
  std::string warehouse;
  std::string lot;
  std::string pool;  // "-" for free stock, else the activity's code.
  rules::Item item;
};

// An order with the words that name its parts.
struct OrderRow {
  rules::Order order;
  std::optional<rules::ActivityCode> activity;
  struct Part {
    rules::SkuCode sku;
    std::string warehouse;
    rules::BucketNo bucket;
    rules::Quantity quantity;
    rules::Quantity returned;  // Of `quantity`.
    rules::Quantity shipped;   // Of what did not return.
  };
  std::vector<Part> parts;
};

struct FlowRow {
  rules::Flow flow;
  BatchId batch;
  std::int64_t i = 0;  // Position within the batch, from 0.
};

// The history of an order (B17): each ledger row that moved its units, and the recorded requests that caused
// them or made the order, both in order of time. Requests that were refused without moving anything are not
// part of it, because nothing indexes them by order.
struct Trace {
  OrderRow view;
  struct Step {
    FlowRow row;
    rules::SkuCode sku;
    std::string warehouse;
  };
  std::vector<Step> steps;
  std::vector<rules::IdempotencyRecord> requests;
};

// What a reader has collected in any order: steps as they were written, each request once, by its time.
void put_in_order(Trace& trace);

struct QuotaRow {
  rules::QuotaKey key;
  rules::Quota quota;
};

struct BatchRow {
  BatchId batch;
  bool aborted = false;
  std::int64_t flows = 0;  // How many flow rows it wrote.
  Time at;
};

struct HoldRow {
  rules::ItemId item;
  Time expires_at;
  rules::OrderId order;
};

// Due holds, and the time by which they are due.
struct DueHolds {
  std::vector<HoldRow> holds;
  Time now;
};

// How far a follower has read the ledger of one lane: up to this batch. The batch's time distinguishes it
// from a batch with the same number in another history.
struct Offset {
  std::int64_t n = 0;
  Time at;
  friend bool operator==(const Offset&, const Offset&) = default;
};

// By lane. A lane without an offset is read from its beginning.
using Offsets = std::map<rules::LaneId, Offset>;

// An order, and where it stands among all orders.
struct PlacedOrder {
  rules::Order order;
  rules::OrderPosition position;
};

// The ledger after some offsets: whole batches, none skipped.
struct LedgerPage {
  Offsets reached = {};  // After these batches.
  // Orders that these batches moved, each once, in their present state.
  std::vector<PlacedOrder> orders = {};
  std::int64_t batches_left = 0;                   // Committed after `reached`.
  std::optional<Time> oldest_left = std::nullopt;  // Of those batches; none without any.
  // The offsets belong to another history, of a file that was replaced or restored: nothing can be read after
  // them, and the other fields are empty.
  bool other_history = false;
  Time now = {};
};

// How much of a part of the order has returned, and how much of it the buyer has.
inline rules::Quantity returned_of(const rules::Order& order, const rules::Allocation& part) {
  return units_at(order.returned, part.item, part.bucket);
}
inline rules::Quantity shipped_of(const rules::Order& order, const rules::Allocation& part) {
  return units_at(order.shipped, part.item, part.bucket);
}

// Input of the sold-out check: requests that a closed gate would turn away (gate-protocol, CONFIRM).
struct SoldOutQuery {
  std::set<rules::ItemId> items;
  std::set<rules::RequestId> keys;
  std::set<rules::ActivityCode> activities;
};

struct SoldOutQueryResult {
  std::map<rules::ItemId, rules::Item> items;  // Those that exist.
  // When the first hold on the item expires; items that are left out have no hold. From `now` on, the judge
  // would release the hold before it answers sold_out (C9).
  std::map<rules::ItemId, Time> first_expiry;
  std::set<rules::RequestId> known;  // Keys that are in use, by any caller.
  std::map<rules::ActivityCode, rules::Activity> activities;
  Time now;
};

// An activity with its items, and whether a request's key is in use by any caller: what must be known before
// an act on the activity goes to the gate (B12).
struct ActivitySnapshot {
  std::optional<rules::Activity> activity;
  std::map<rules::ItemId, rules::Item> items;  // Of its lines; those that exist.
  bool is_key_known = false;
  Time now;
};

// The judge's time, and the wall clock that the database takes for it where it may (judge/time.h).
struct Clocks {
  Time judge;
  Time wall;
};

// A request that has a row of its own, and when it was answered.
struct RequestAge {
  rules::RequestId id;
  Time at;
};

// Requests in the order of their ids, and the time at which they were read.
struct RequestAges {
  std::vector<RequestAge> requests;
  Time now;
};

// The modes that operators have set; SKUs and activities that are not named use the service's mode (D1).
struct Modes {
  std::map<rules::SkuCode, rules::Mode> skus;
  std::map<rules::ActivityCode, rules::Mode> activities;
};

// A stock item, and what its buckets had available at positions of their ledger.
struct ItemHistory {
  std::optional<rules::Item> item;                       // None: there is no such item.
  std::map<rules::BucketNo, rules::Quantity> available;  // Left out: the ledger has no such position.
};

// Readers, by what their users need: each user takes the one interface that has its questions. An engine
// implements all of them in one class, Reader.

// What a closed gate's refusals rest on.
class SoldOutReader {
 public:
  virtual ~SoldOutReader() = default;
  // Everything in one consistent state, the primary's.
  virtual Result<SoldOutQueryResult> check_sold_out(const SoldOutQuery& check) = 0;
};

class ActivitiesReader {
 public:
  virtual ~ActivitiesReader() = default;
  virtual Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) = 0;
  // The activities whose code comes after `after`, in order of their codes, at most `count`.
  virtual Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                          std::size_t count) = 0;
  // Open activities with closes_at <= now, those that ended first in front, at most `count`.
  virtual Result<std::vector<rules::ActivityCode>> ended_activities(std::size_t count) = 0;
  virtual Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                                     const rules::RequestId& key) = 0;
};

class ModesReader {
 public:
  virtual ~ModesReader() = default;
  virtual Result<Modes> modes() = 0;
};

// Lists read many orders in one call, so that a server is asked once and not once per order. `ids` contains
// each id once. Orders that do not exist are left out; the others are returned in the order of `ids`.
class OrdersReader {
 public:
  virtual ~OrdersReader() = default;
  virtual Result<std::vector<OrderRow>> orders(std::span<const rules::OrderId> ids) = 0;
  virtual Result<std::vector<Trace>> traces(std::span<const rules::OrderId> ids) = 0;

  Result<std::optional<OrderRow>> order(rules::OrderId id);
  Result<std::optional<Trace>> trace(rules::OrderId id);
};

class RequestsReader {
 public:
  virtual ~RequestsReader() = default;
  // The recorded answer to the caller of `id`; nothing if the key belongs to another caller's request.
  virtual Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) = 0;
  // The rows (caller, key) that come after `after`, in order, at most `count`.
  virtual Result<RequestAges> request_ages(const std::optional<rules::RequestId>& after,
                                           std::size_t count) = 0;
};

class StockReader {
 public:
  virtual ~StockReader() = default;
  // All items of the SKU; nothing if the SKU does not exist.
  virtual Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode& sku) = 0;
  // The items that are short (E7) and come after `after`, in order of their numbers, at most `count`. Item 0
  // comes before all of them.
  virtual Result<std::vector<StockRow>> short_items(rules::ItemId after, std::size_t count) = 0;
  // `at` names a position in each of some buckets; position 0 is before every entry.
  virtual Result<ItemHistory> item_history(rules::ItemId id,
                                           const std::map<rules::BucketNo, std::int64_t>& at) = 0;
};

class HoldsReader {
 public:
  virtual ~HoldsReader() = default;
  // Held orders with expires_at <= now, the oldest first, at most `count`; each order once, with one of its
  // items.
  virtual Result<DueHolds> due(std::size_t count) = 0;
};

class ClocksReader {
 public:
  virtual ~ClocksReader() = default;
  virtual Result<Clocks> clocks() = 0;
};

class LedgerReader {
 public:
  virtual ~LedgerReader() = default;
  // The batches after `from` until they hold `flows_max` ledger rows; at least one, where there is one, so
  // that a follower who continues from `reached` comes to the end.
  virtual Result<LedgerPage> read_after(const Offsets& from, std::size_t flows_max) = 0;
};

// The whole database in one snapshot, table by table, for `verify` and canonical dumps.
class TablesReader {
 public:
  virtual ~TablesReader() = default;

  // The tables in the order of the functions, each in key order. A function that is empty skips its table.
  // flows come three times: by bucket chain, by batch and by order. The rows of a batch come together, its
  // flows before its row, in the order of batches; and so do the rows of an order: its flows, its row and the
  // request that the row carries, in the order of ids. So whoever looks at one batch or one order after the
  // other needs no memory for the rest.
  struct Visitor {
    std::function<void(const rules::Sku&)> sku;
    std::function<void(const rules::Activity&)> activity;
    std::function<void(const rules::Item&)> item;
    std::function<void(const FlowRow&)> flow_by_bucket;  // item, bucket, seq
    std::function<void(const FlowRow&)> flow_by_batch;   // lane, n, i
    std::function<void(const BatchRow&)> batch;
    std::function<void(const rules::IdempotencyRecord&)> request;  // caller, key: rows of their own
    // order, item, bucket, seq; flows without an order are left out.
    std::function<void(const FlowRow&)> flow_by_order;
    std::function<void(const rules::Order&)> order;
    std::function<void(const rules::IdempotencyRecord&)> order_as_request;  // by key
    std::function<void(const QuotaRow&)> quota;
    std::function<void(const HoldRow&)> hold;
  };

  // What the snapshot has of one order id.
  struct OrderRows {
    bool has_order = false;
    std::vector<FlowRow> flows;
  };

  // A walk through one snapshot in steps, so that a thread can do other things between two of them.
  // Destroying it ends it, whether or not it came to the end. It keeps the snapshot while it lives, and the
  // log of SQLite grows meanwhile.
  class Scan {
   public:
    virtual ~Scan() = default;
    // Shows the next rows, at most `rows_max` (at least 1). False: that was all. After an error it is over.
    virtual Result<bool> step(std::size_t rows_max) = 0;
    // In the same snapshot, by the tables' own keys.
    virtual Result<OrderRows> find(rules::OrderId id) = 0;
  };

  // Takes the snapshot. The scan belongs to this reader's thread; the reader outlives it, and answers nothing
  // else until the scan is destroyed.
  virtual Result<std::unique_ptr<Scan>> scan(Visitor visitor) = 0;

  // The folder for files of whoever sorts more rows than memory should hold: the one of the database's file.
  // Empty where the database has no file, since then it is in memory as a whole.
  virtual std::string scratch_folder() const = 0;

  // All of it in one go.
  Result<void> visit(Visitor visitor);
};

class Reader : public SoldOutReader,
               public ActivitiesReader,
               public ModesReader,
               public OrdersReader,
               public RequestsReader,
               public StockReader,
               public HoldsReader,
               public ClocksReader,
               public LedgerReader,
               public TablesReader {};

}  // namespace gavel::judge
