// Store: one database engine under the judge. It loads and locks rows, writes rows and commits; it knows no
// rule.
//
// Calls of one batch, from the one thread of one lane:
//
//   open_lane, once
//   begin ─► read_orders ─► load_* ─► now ─► find_due ─► load_* of what is due ─► write ─► commit
//     └──────────────── rollback, after any error of these or to give the batch up ────────┘
//
// Locks. "Loaded for update" means: until commit or rollback nobody else changes the row and nobody else
// loads it for update. Items (with their buckets), orders, quotas and counters are always loaded for update.
// SKUs and activities are loaded for update where the batch writes them (RowKeys::written) and under shared
// locks where it only reads them: then nobody changes them, and other lanes may read them at the same time,
// so that lanes do not queue for the row of a hot sale. Requests are read without a lock, since a first
// answer never changes: whoever inserts the same key meets its unique key (`duplicate`), and whoever deletes
// it is counted (`conflict`). A row that does not exist is not locked.
//   * Rows are locked by one call per table, in the order of activities, SKUs, items, quotas, orders,
//     counters, and within one call in key order. A call before now() waits for a lock; because every lane
//     takes its locks in this one order, no two of them wait for each other (loading.h says why).
//   * After now() no call waits for a lock: a row that somebody else has locked is a `conflict`.
//   * A form whose begin() keeps all others out (SQLite, memory) has every lock from then on.
//
// What is read without a lock (read_orders, find_due, load_requests) is what was committed when the call
// began (READ COMMITTED, never a snapshot from the beginning of the transaction), or what the batch itself
// has locked. Loading adds to the State given. It skips rows that the State holds already, except that
// load_orders reads again what read_orders has brought, where anybody can have changed it since.
//
// Every call blocks on the database; each form has its own time limit, and no call waits longer. Errors:
//   conflict, duplicate, constraint, unavailable   Certainly nothing of this batch is stored; call rollback.
//                                                  A database that another program keeps locked is
//                                                  `unavailable`: no batch can begin, whatever is in it.
//   unknown                                        From commit alone: the batch is perhaps stored. Call
//   resolve,
//                                                  and nothing else before it has answered.
//   broken                                         From any call: the storage cannot be trusted. Every later
//                                                  call returns broken; stop the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "rules/ids.h"
#include "rules/state.h"

namespace gavel::judge {

// The identity of a batch: n is gapless within its lane, from 1 (architecture, "The batch row").
struct BatchId {
  rules::LaneId lane;
  std::int64_t n = 0;
  friend auto operator<=>(const BatchId&, const BatchId&) = default;
};

enum class Resolution : std::uint8_t {
  committed,  // The batch is stored, whole.
  aborted,    // Its tombstone is stored: it never can be.
};

// Who writes where: the database, and this process among all that ever used it.
struct Identity {
  rules::Incarnation incarnation;  // Of the database; another one after it was made anew.
  rules::InstanceId instance;      // At least 1; no other start of any process ever had it.
  friend bool operator==(const Identity&, const Identity&) = default;
};

// Rows of a table whose rows have a code and a number, each named by either. Those in `written`, which are in
// `codes` too, are loaded for update; all others under a shared lock.
template <class Code, class Id>
struct RowKeys {
  std::set<Code> codes = {};
  std::set<Id> ids = {};
  std::set<Code> written = {};
  bool empty() const { return codes.empty() && ids.empty(); }
};
using SkuKeys = RowKeys<rules::SkuCode, rules::SkuId>;
using ActivityKeys = RowKeys<rules::ActivityCode, rules::ActivityId>;

// Which holds on `item` are past their time, of one user alone where one is given: the oldest `count_max`.
struct DueQuestion {
  rules::ItemId item;
  std::optional<rules::UserId> user;
  std::size_t count_max = 0;
};

// The ids of orders, one vector for each question.
using DueOrders = std::vector<std::vector<rules::OrderId>>;

class Store {
 public:
  virtual ~Store() = default;

  // Deals an instance number, and says what database this is. Once, before the first batch of the process.
  virtual Result<Identity> open_instance() = 0;
  // Deals a lane id that no other lane ever had. Outside of a batch.
  virtual Result<rules::LaneId> open_lane() = 0;

  virtual Result<void> begin() = 0;

  // Orders as they are at this moment, without a lock: what they take says which items must be locked first.
  virtual Result<void> read_orders(const std::set<rules::OrderId>& ids, rules::State& state) = 0;

  virtual Result<void> load_activities(const ActivityKeys& keys, rules::State& state) = 0;
  virtual Result<void> load_skus(const SkuKeys& keys, rules::State& state) = 0;
  virtual Result<void> load_items(const std::set<rules::ItemId>& ids, rules::State& state) = 0;
  virtual Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, rules::State& state) = 0;
  // Marked as loaded, with what the ledger counts of those that were acted upon (State::occurrences).
  virtual Result<void> load_orders(const std::set<rules::OrderId>& ids, rules::State& state) = 0;
  // Rows (caller, key), and for keys that are UUIDv7 what stands under them as the id of an order: the
  // request that made it, or that the id is in use (State::ids_in_use), be it by an order or by another act's
  // guard.
  virtual Result<void> load_requests(const std::set<rules::RequestId>& ids,
                                     const std::set<rules::OrderId>& keys_as_orders, rules::State& state) = 0;
  virtual Result<void> load_counters(rules::State& state) = 0;

  // The judge's time: the database's, read after the locks were taken; never before an earlier answer of this
  // lane.
  virtual Result<Time> now() = 0;

  // For each question, in their order, the ids of held orders with expires_at <= `now`, the oldest first.
  // Without a lock.
  virtual Result<DueOrders> find_due(std::span<const DueQuestion> questions, Time now) = 0;

  // Writes every row that `state` marks inserted or updated, its flows and the batch row. Each update is
  // guarded by what was loaded: a SKU and an activity by their version, a bucket by its seq, an order by its
  // revision, a quota by what was claimed. Affected rows are counted (A2, A11): `conflict` if one is not as
  // it was loaded. An inserted request of any act but an order, whose key is a UUIDv7 that no order has for
  // its id (State::ids_in_use), takes that id too, so that one key never stands for two kinds of act, whoever
  // writes them at the same time (docs/adr/0004): `duplicate`.
  virtual Result<void> write(const rules::State& state, BatchId batch, Time now) = 0;

  // Durable when it returns success.
  virtual Result<void> commit() = 0;

  // Ends the batch without a trace; idempotent.
  virtual void rollback() = 0;

  // Finds out whether a batch whose commit is in doubt is stored, by inserting its row again as a tombstone.
  // An error means: still in doubt, ask again.
  virtual Result<Resolution> resolve(BatchId batch) = 0;

  // No command waits. What the store has to do outside of batches and would else do at the beginning of one
  // (SQLite: a checkpoint), it may do at once. Outside of a batch; no row changes. `unavailable`: it will be
  // done later.
  virtual Result<void> idle() = 0;
};

}  // namespace gavel::judge
