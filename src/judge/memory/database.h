// MemoryDatabase: the tables of the memory form, the lock of its one transaction, and the constraints of its
// rows.
//
// Private to memory_store.cc and memory_reader.cc. Tables change only in apply(), which commit calls under
// the mutex. Readers hold the mutex too, so every reader sees whole transactions. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "judge/memory/store.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "judge/time.h"
#include "rules/state.h"

namespace gavel::judge {

// Names of rows, in the order in which tables are visited.
using FlowId = std::tuple<rules::ItemId, rules::BucketNo, std::int64_t>;                       // seq
using OrderFlowId = std::tuple<rules::OrderId, rules::ItemId, rules::BucketNo, std::int64_t>;  // seq
using OccurrenceId = std::tuple<rules::OrderId, rules::ItemId, rules::BucketNo, rules::Action, std::int32_t>;
using HoldId = std::tuple<rules::ItemId, Time, rules::OrderId>;
using UserHoldId = std::tuple<rules::ItemId, rules::UserId, Time, rules::OrderId>;

// An order, and the request that made it where its key is the order's id.
struct StoredOrder {
  rules::Order order;
  std::optional<rules::IdempotencyRecord> request;
};

struct Tables {
  std::map<rules::SkuCode, rules::Sku> skus;
  std::map<rules::SkuId, rules::SkuCode> sku_codes;
  std::map<rules::ActivityCode, rules::Activity> activities;
  std::map<rules::ActivityId, rules::ActivityCode> activity_codes;
  std::map<rules::ItemId, rules::Item> items;
  std::map<rules::OrderId, StoredOrder> orders;
  std::set<rules::OrderId> key_guards;  // Ids that no order may have, being keys of other acts.
  std::map<rules::RequestId, rules::IdempotencyRecord> requests;
  std::map<rules::QuotaKey, rules::Quota> quotas;
  std::map<FlowId, FlowRow> flows;
  std::map<std::pair<BatchId, std::int64_t>, FlowId> flows_by_batch;
  std::set<OrderFlowId> flows_by_order;
  std::set<OccurrenceId> occurrences;
  std::set<HoldId> holds;
  std::set<UserHoldId> holds_by_user;
  std::set<std::tuple<Time, rules::OrderId, rules::ItemId>> holds_by_time;
  std::map<BatchId, BatchRow> batches;
  std::optional<KeptTime> time;  // Of the latest batch.
  rules::Counters counters;
  std::int64_t next_lane = 1;
  std::int64_t next_instance = 1;
};

// What one batch writes, kept apart until it commits.
struct Staged {
  rules::State rows;  // The inserted and updated ones alone, the items with changed buckets, and the flows.
  BatchRow batch;
  KeptTime time;
};

// The rows of `state` that a store has to write.
Staged staged_from(const rules::State& state, BatchId batch, const KeptTime& time);

// Why the constraints refuse the batch: duplicate, conflict (a guarded row is not as it was loaded) or
// constraint.
Result<void> check_constraints(const Tables& tables, const Staged& staged);

// Writes a batch that check_constraints has accepted.
void apply(Tables& tables, const Staged& staged);

class MemoryDatabase {
 public:
  explicit MemoryDatabase(rules::Incarnation incarnation) : incarnation_(incarnation) {}

  rules::Incarnation incarnation() const { return incarnation_; }

  // Waits for the transaction in progress, at most about a second; false: it is still there.
  bool enter() GAVEL_EXCLUDES(mutex_);
  void leave() GAVEL_EXCLUDES(mutex_);

  // Runs `use` on the committed tables, which do not change meanwhile. `use` must not call this database.
  template <class Use>
  auto read(Use use) const GAVEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return use(std::as_const(tables_));
  }

  // The tables for the one who may change them: the transaction in progress, or the assignment of a lane id.
  template <class Use>
  auto change(Use use) GAVEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return use(tables_);
  }

 private:
  const rules::Incarnation incarnation_;
  mutable Mutex mutex_;
  Condition left_;
  bool entered_ GAVEL_GUARDED_BY(mutex_) = false;
  Tables tables_ GAVEL_GUARDED_BY(mutex_);
};

}  // namespace gavel::judge
