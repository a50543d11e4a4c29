// Store: one database engine under the judge. It loads and locks rows, writes rows, commits; it knows no
// rule.
//
// Calls of one batch, in this order, from the one thread of one lane:
//
//   begin ─► load_* (any number) ─► now ─► load_due* ─► write ─► commit
//     └────────── rollback after any error of these ──────┘
//
// Rows are loaded for update: nobody else changes them before commit or rollback. Loading adds to the State
// given and skips what it holds already. Every call blocks on the database; each has the store's own time
// limit. Errors:
//   conflict, duplicate, constraint, unavailable   certainly nothing of this batch is written; call rollback
//   unknown (from commit alone)                    perhaps written; call settle, and nothing else before it
//   has answered broken                                         every later call answers broken too; stop the
//   process
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "rules/state.h"

namespace gavel::judge {

// The identity of a batch: n is gapless within its lane, from 1 (architecture, "The batch row").
struct BatchId {
  rules::LaneId lane;
  std::int64_t n = 0;
  friend auto operator<=>(const BatchId&, const BatchId&) = default;
};

enum class Settlement : std::uint8_t {
  committed,  // The batch is stored, whole.
  buried,     // Its tombstone is stored: it never can be.
};

class Store {
 public:
  virtual ~Store() = default;

  // Deals a lane id that no other lane ever had. Outside of a batch.
  virtual Result<rules::LaneId> open_lane() = 0;

  virtual Result<void> begin() = 0;
  virtual Result<void> load_skus(const std::set<rules::SkuCode>& codes, rules::State& state) = 0;
  virtual Result<void> load_skus(const std::set<rules::SkuId>& ids, rules::State& state) = 0;
  virtual Result<void> load_activities(const std::set<rules::ActivityCode>& codes, rules::State& state) = 0;
  virtual Result<void> load_activities(const std::set<rules::ActivityId>& ids, rules::State& state) = 0;
  virtual Result<void> load_items(const std::set<rules::ItemId>& ids, rules::State& state) = 0;
  // Marked as loaded, with what the ledger counts of those that were acted upon (State::occurrences).
  virtual Result<void> load_orders(const std::set<rules::OrderId>& ids, rules::State& state) = 0;
  // Rows (caller, key), and the request part of orders whose id is a request's UUIDv7 key.
  virtual Result<void> load_requests(const std::set<rules::RequestId>& ids,
                                     const std::set<rules::OrderId>& keys_as_orders, rules::State& state) = 0;
  virtual Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, rules::State& state) = 0;
  virtual Result<void> load_counters(rules::State& state) = 0;

  // The judge's time: the database's, read after the locks were taken; never before an earlier answer of this
  // lane.
  virtual Result<Time> now() = 0;

  // Ids of held orders on `item` with expires_at <= `now`, the oldest first, at most `count`.
  virtual Result<std::vector<rules::OrderId>> find_due(rules::ItemId item, Time now, std::size_t count) = 0;
  // The same, of one user alone.
  virtual Result<std::vector<rules::OrderId>> find_due_of(rules::ItemId item, const rules::UserId& user,
                                                          Time now, std::size_t count) = 0;

  // Writes every row that `state` marks inserted or updated, its changed buckets guarded by their numbers as
  // loaded, its orders by their revision as loaded, and its flows, and the batch row; affected rows are
  // counted (A2, A11).
  virtual Result<void> write(const rules::State& state, BatchId batch, Time now) = 0;

  // Durable when it returns success.
  virtual Result<void> commit() = 0;

  // Ends the batch without a trace; idempotent.
  virtual void rollback() = 0;

  // Finds out whether a batch whose commit is in doubt is stored, by inserting its row again as a tombstone.
  // An error means: still in doubt, ask again.
  virtual Result<Settlement> settle(BatchId batch) = 0;

  // No command waits. What the store has to do outside of batches and would else do at the beginning of one
  // (SQLite: a checkpoint), it may do now. Outside of a batch; no row changes. `unavailable`: it will be done
  // later.
  virtual Result<void> idle() = 0;
};

}  // namespace gavel::judge
