// OrderedStore: a store in front of another one that remembers in which order the batches of several lanes
// were committed, which nothing in the database says exactly.
//
// One per lane; all of them share a CommitOrder, under whose mutex each commits. For tests.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "judge/store.h"

namespace gavel {

class CommitOrder {
 public:
  // Runs `commit`, and notes the batch if it is stored. Thread-safe.
  template <class Commit>
  Result<void> commit(std::optional<judge::BatchId> batch, Commit commit) GAVEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Result<void> done = commit();
    if (done && batch) places_.emplace(*batch, places_.size());
    return done;
  }

  // Batch -> its place among all of them, from 0. After all lanes have ended.
  std::map<judge::BatchId, std::size_t> places() const GAVEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return places_;
  }

 private:
  mutable Mutex mutex_;
  std::map<judge::BatchId, std::size_t> places_ GAVEL_GUARDED_BY(mutex_);
};

class OrderedStore final : public judge::Store {
 public:
  // `order` outlives this.
  OrderedStore(std::unique_ptr<judge::Store> inner, CommitOrder& order)
      : inner_(std::move(inner)), order_(order) {}

  Result<rules::LaneId> open_lane() override { return inner_->open_lane(); }
  Result<void> begin() override { return inner_->begin(); }
  Result<void> load_skus(const std::set<rules::SkuCode>& codes, rules::State& state) override {
    return inner_->load_skus(codes, state);
  }
  Result<void> load_skus(const std::set<rules::SkuId>& ids, rules::State& state) override {
    return inner_->load_skus(ids, state);
  }
  Result<void> load_activities(const std::set<rules::ActivityCode>& codes, rules::State& state) override {
    return inner_->load_activities(codes, state);
  }
  Result<void> load_activities(const std::set<rules::ActivityId>& ids, rules::State& state) override {
    return inner_->load_activities(ids, state);
  }
  Result<void> load_items(const std::set<rules::ItemId>& ids, rules::State& state) override {
    return inner_->load_items(ids, state);
  }
  Result<void> load_orders(const std::set<rules::OrderId>& ids, rules::State& state) override {
    return inner_->load_orders(ids, state);
  }
  Result<void> load_requests(const std::set<rules::RequestId>& ids,
                             const std::set<rules::OrderId>& keys_as_orders, rules::State& state) override {
    return inner_->load_requests(ids, keys_as_orders, state);
  }
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, rules::State& state) override {
    return inner_->load_quotas(keys, state);
  }
  Result<void> load_counters(rules::State& state) override { return inner_->load_counters(state); }
  Result<Time> now() override { return inner_->now(); }
  Result<std::vector<rules::OrderId>> find_due(rules::ItemId item, Time now, std::size_t count) override {
    return inner_->find_due(item, now, count);
  }
  Result<std::vector<rules::OrderId>> find_due_of(rules::ItemId item, const rules::UserId& user, Time now,
                                                  std::size_t count) override {
    return inner_->find_due_of(item, user, now, count);
  }
  Result<void> write(const rules::State& state, judge::BatchId batch, Time now) override {
    batch_ = batch;
    return inner_->write(state, batch, now);
  }
  Result<void> commit() override {
    return order_.commit(batch_, [this] { return inner_->commit(); });
  }
  void rollback() override { inner_->rollback(); }
  Result<judge::Settlement> settle(judge::BatchId batch) override { return inner_->settle(batch); }
  Result<void> idle() override { return inner_->idle(); }

 private:
  const std::unique_ptr<judge::Store> inner_;
  CommitOrder& order_;
  std::optional<judge::BatchId> batch_;
};

}  // namespace gavel
