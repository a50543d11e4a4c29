// Reader: committed rows for questions, projections and proofs. It never locks and never decides.
//
// Each call sees one consistent state of the database, at least as new as every verdict that was given before
// the call. Blocks; one thread per reader. Errors: unavailable (ask again), broken.
//
// Wherever an answer depends on the time, the time is the database's and stands in the answer as `now`: what
// Store::now() would say to a batch that begins at this moment, so never before the time of the newest batch.
// No caller brings a time of its own, since the clocks of two machines differ by minutes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "judge/store.h"
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
struct OrderView {
  rules::Order order;
  std::optional<rules::ActivityCode> activity;
  struct Part {
    rules::SkuCode sku;
    std::string warehouse;
    rules::BucketNo bucket;
    rules::Quantity quantity;
    rules::Quantity returned;  // Of `quantity`.
  };
  std::vector<Part> parts;
};

struct FlowRow {
  rules::Flow flow;
  BatchId batch;
  std::int64_t i = 0;  // Position within the batch, from 0.
};

// The chain behind an order (B17): each ledger row that moved its units, and the recorded requests that
// caused them or made the order, both in order of time. Requests that were refused without moving anything
// are not part of it: nothing finds them by their order.
struct Trace {
  OrderView view;
  struct Step {
    FlowRow row;
    rules::SkuCode sku;
    std::string warehouse;
  };
  std::vector<Step> steps;
  std::vector<rules::IdempotencyRecord> requests;
};

// What a reader has gathered in any order: steps as they were written, each request once, by its time.
void put_in_order(Trace& trace);

struct QuotaRow {
  rules::QuotaKey key;
  rules::Quota quota;
};

struct BatchRow {
  BatchId batch;
  bool buried = false;
  std::int64_t flows = 0;  // How many flow rows it wrote.
  Time at;
};

struct HoldRow {
  rules::ItemId item;
  Time expires_at;
  rules::OrderId order;
};

// Holds whose time is past, and by which time.
struct DueHolds {
  std::vector<HoldRow> holds;
  Time now;
};

// How far somebody has followed the ledger in one lane: up to this batch, whose time tells it from a batch of
// the same number in another history.
struct Cursor {
  std::int64_t n = 0;
  Time at;
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

// The lanes that somebody follows. A lane that has no cursor is followed from its beginning.
using Cursors = std::map<rules::LaneId, Cursor>;

// What the ledger says after some cursors: whole batches, none passed over.
struct Sequel {
  Cursors reached = {};                            // After these batches.
  std::vector<rules::Order> orders = {};           // That they moved, each once, as they are at present.
  std::int64_t batches_left = 0;                   // Committed after `reached`.
  std::optional<Time> oldest_left = std::nullopt;  // Of those batches; none without any.
  // The cursors are of another history, of a file that was replaced or put back: there is nothing to follow
  // from them, and nothing else is told.
  bool other_history = false;
  Time now = {};
};

// How much of a part of the order has returned.
inline rules::Quantity returned_of(const rules::Order& order, const rules::Allocation& part) {
  for (const rules::Allocation& back : order.returned) {
    if (back.item == part.item && back.bucket == part.bucket) return back.quantity;
  }
  return rules::no_units;
}

// What a closed gate turns away, and what must be known before it is told so (gate-protocol, CONFIRM).
struct Doubts {
  std::set<rules::ItemId> items;
  std::set<rules::RequestId> keys;
  std::set<rules::ActivityCode> activities;
};

struct Confirmation {
  std::map<rules::ItemId, rules::Item> items;  // Those that exist.
  // When the first hold on the item expires; none is held on those that are left out. From `now` on the judge
  // would release it before it says that nothing is left (C9).
  std::map<rules::ItemId, Time> first_expiry;
  std::set<rules::RequestId> known;  // Keys that stand for something, whoever's it is.
  std::map<rules::ActivityCode, rules::Activity> activities;
  Time now;
};

// An activity with its items, and whether a request's key stands for something, whoever's it is: what must be
// known before an act on the activity goes to the gate (B12).
struct ActivitySnapshot {
  std::optional<rules::Activity> activity;
  std::map<rules::ItemId, rules::Item> items;  // Of its lines; those that exist.
  bool is_key_known = false;
  Time now;
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

// What operators have set; SKUs and activities that are not named follow the service (D1).
struct Modes {
  std::map<rules::SkuCode, rules::Mode> skus;
  std::map<rules::ActivityCode, rules::Mode> activities;
};

// A stock item, and what its buckets had available at positions of their ledger.
struct ItemThen {
  std::optional<rules::Item> item;                  // None: there is no such item.
  std::map<rules::BucketNo, rules::Quantity> then;  // Left out: the ledger has no such position.
};

class Reader {
 public:
  virtual ~Reader() = default;

  virtual Result<Modes> modes() = 0;
  // `at` names a position in each of some buckets; position 0 is before every entry.
  virtual Result<ItemThen> item_then(rules::ItemId id, const std::map<rules::BucketNo, std::int64_t>& at) = 0;

  // Everything in one consistent state, the primary's.
  virtual Result<Confirmation> confirm(const Doubts& doubts) = 0;
  virtual Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                                     const rules::RequestId& key) = 0;

  virtual Result<std::optional<OrderView>> order(rules::OrderId id) = 0;
  virtual Result<std::optional<Trace>> trace(rules::OrderId id) = 0;
  virtual Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) = 0;
  // The rows (caller, key) that come after `after`, in order, at most `count`.
  virtual Result<RequestAges> request_ages(const std::optional<rules::RequestId>& after,
                                           std::size_t count) = 0;
  virtual Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) = 0;
  // The activities whose code comes after `after`, in order of their codes, at most `count`.
  virtual Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                          std::size_t count) = 0;
  // All items of the SKU; nothing if the SKU does not exist.
  virtual Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode& sku) = 0;
  // The items that are short (E7) and come after `after`, in order of their numbers, at most `count`. Item 0
  // comes before all of them.
  virtual Result<std::vector<StockRow>> short_items(rules::ItemId after, std::size_t count) = 0;
  // Held orders with expires_at <= now, the oldest first, at most `count`; each order once, with one of its
  // items.
  virtual Result<DueHolds> due(std::size_t count) = 0;

  // The batches after `from` until they hold `flows_max` ledger rows; at least one, where there is one, so
  // that whoever goes on from what was reached comes to the end.
  virtual Result<Sequel> follow(const Cursors& from, std::size_t flows_max) = 0;

  // The whole database in one snapshot, table by table, each in key order, for `verify` and canonical dumps.
  // A visitor function that is empty skips its table. flows come twice: by bucket chain and by order.
  struct Visitor {
    std::function<void(const rules::Sku&)> sku;
    std::function<void(const rules::Activity&)> activity;
    std::function<void(const rules::Item&)> item;
    std::function<void(const FlowRow&)> flow_by_bucket;  // item, bucket, seq
    std::function<void(const FlowRow&)> flow_by_batch;   // lane, n, i
    std::function<void(const FlowRow&)>
        flow_by_order;  // order, item, bucket, seq; flows without an order left out
    std::function<void(const rules::Order&)> order;
    std::function<void(const rules::IdempotencyRecord&)> request;           // caller, key: rows of their own
    std::function<void(const rules::IdempotencyRecord&)> order_as_request;  // by key
    std::function<void(const QuotaRow&)> quota;
    std::function<void(const HoldRow&)> hold;
    std::function<void(const BatchRow&)> batch;
  };
  virtual Result<void> visit(const Visitor& visitor) = 0;
};

}  // namespace gavel::judge
