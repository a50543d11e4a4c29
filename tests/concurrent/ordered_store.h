// OrderedStore: a store in front of another one that remembers in which order the batches of several lanes
// were committed, which nothing in the database says exactly.
//
// One per lane; all of them share a CommitOrder, under whose mutex each commits. For tests.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "judge/store.h"
#include "judge/testing/store_wrapper.h"

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

class OrderedStore final : public judge::StoreWrapper {
 public:
  // `order` outlives this.
  OrderedStore(std::unique_ptr<judge::Store> inner, CommitOrder& order)
      : StoreWrapper(*inner), inner_(std::move(inner)), order_(order) {}

  Result<void> write(const rules::State& state, judge::BatchId batch, Time now) override {
    batch_ = batch;
    return StoreWrapper::write(state, batch, now);
  }
  Result<void> commit() override {
    return order_.commit(batch_, [this] { return StoreWrapper::commit(); });
  }

 private:
  const std::unique_ptr<judge::Store> inner_;
  CommitOrder& order_;
  std::optional<judge::BatchId> batch_;
};

}  // namespace gavel
