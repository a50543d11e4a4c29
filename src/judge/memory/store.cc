#include "judge/memory/store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "judge/memory/database.h"

namespace gavel::judge {
namespace {

using rules::OrderId;
using rules::State;

// A row that the state has is left as it is: it may have been changed by the batch.
template <class Map, class Key>
void add_row(const Map& table, const Key& key, Map& loaded) {
  const auto found = table.find(key);
  if (found != table.end()) loaded.emplace(key, found->second);
}

void load_occurrences(const Tables& tables, OrderId id, State& state) {
  const OccurrenceId first{id, rules::ItemId{0}, 0, rules::Action{}, 0};
  for (auto row = tables.occurrences.lower_bound(first); row != tables.occurrences.end(); ++row) {
    const auto& [order, item, bucket, action, occurrence] = *row;
    if (order != id) break;
    state.occurrences[{order, item, bucket, action}] = occurrence;  // The last one of a kind is the highest.
  }
}

std::vector<OrderId> due_of_item(const Tables& tables, const DueQuestion& question, Time now) {
  std::vector<OrderId> due;
  for (auto hold = tables.holds.lower_bound({question.item, Time::min(), OrderId{}});
       hold != tables.holds.end() && due.size() < question.count_max; ++hold) {
    const auto& [of, expires_at, order] = *hold;
    if (of != question.item || expires_at > now) break;
    due.push_back(order);
  }
  return due;
}

std::vector<OrderId> due_of_user(const Tables& tables, const DueQuestion& question, Time now) {
  std::vector<OrderId> due;
  for (auto hold = tables.holds_by_user.lower_bound({question.item, *question.user, Time::min(), OrderId{}});
       hold != tables.holds_by_user.end() && due.size() < question.count_max; ++hold) {
    const auto& [of, by, expires_at, order] = *hold;
    if (of != question.item || by != question.user || expires_at > now) break;
    due.push_back(order);
  }
  return due;
}

class MemoryStore final : public Store {
 public:
  MemoryStore(std::shared_ptr<MemoryDatabase> database, const Clock& clock)
      : database_(std::move(database)), time_(clock) {
    static_cast<void>(MemoryStore::now());
  }
  ~MemoryStore() override { MemoryStore::rollback(); }
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  Result<Identity> open_instance() override {
    CHECK(!open_);
    return Identity{database_->incarnation(), database_->change([](Tables& tables) {
                      return rules::InstanceId{tables.next_instance++};
                    })};
  }

  Result<rules::LaneId> open_lane() override {
    CHECK(!open_);
    return database_->change([](Tables& tables) { return rules::LaneId{tables.next_lane++}; });
  }

  Result<void> begin() override {
    CHECK(!open_);
    if (!database_->enter()) return fail(ErrorCode::conflict, "another transaction is still in progress");
    open_ = true;
    return {};
  }

  // Nobody else writes, so that what is read is loaded.
  Result<void> read_orders(const std::set<OrderId>& ids, State& state) override {
    return load_orders(ids, state);
  }

  Result<void> load_skus(const SkuKeys& keys, State& state) override {
    return load([&](const Tables& tables) {
      for (const rules::SkuCode& code : keys.codes) add_row(tables.skus, code, state.skus);
      for (const rules::SkuId id : keys.ids) {
        const auto code = tables.sku_codes.find(id);
        if (code != tables.sku_codes.end()) add_row(tables.skus, code->second, state.skus);
      }
    });
  }

  Result<void> load_activities(const ActivityKeys& keys, State& state) override {
    return load([&](const Tables& tables) {
      for (const rules::ActivityCode& code : keys.codes) add_row(tables.activities, code, state.activities);
      for (const rules::ActivityId id : keys.ids) {
        const auto code = tables.activity_codes.find(id);
        if (code != tables.activity_codes.end()) add_row(tables.activities, code->second, state.activities);
      }
    });
  }

  Result<void> load_items(const std::set<rules::ItemId>& ids, State& state) override {
    return load([&](const Tables& tables) {
      for (const rules::ItemId id : ids) {
        const auto found = tables.items.find(id);
        if (found == tables.items.end()) continue;
        const auto [at, added] = state.items.emplace(id, found->second);
        if (added) at->second.loaded = at->second.buckets;
      }
    });
  }

  Result<void> load_orders(const std::set<OrderId>& ids, State& state) override {
    return load([&](const Tables& tables) {
      for (const OrderId id : ids) {
        const auto found = tables.orders.find(id);
        if (found == tables.orders.end() || state.orders.contains(id)) continue;
        if (state.add_loaded(found->second.order)) load_occurrences(tables, id, state);
      }
    });
  }

  Result<void> load_requests(const std::set<rules::RequestId>& ids, const std::set<OrderId>& keys_as_orders,
                             State& state) override {
    return load([&](const Tables& tables) {
      for (const rules::RequestId& id : ids) add_row(tables.requests, id, state.requests);
      for (const OrderId id : keys_as_orders) {
        if (tables.key_guards.contains(id)) state.ids_in_use.insert(id);
        const auto found = tables.orders.find(id);
        if (found == tables.orders.end()) continue;
        if (found->second.request) {
          state.orders_as_requests.emplace(id, *found->second.request);
        } else {
          state.ids_in_use.insert(id);
        }
      }
    });
  }

  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, State& state) override {
    return load([&](const Tables& tables) {
      for (const rules::QuotaKey& key : keys) {
        const auto found = tables.quotas.find(key);
        if (found == tables.quotas.end()) continue;
        const auto [at, added] = state.quotas.emplace(key, found->second);
        if (added) at->second.loaded = at->second.claimed;
      }
    });
  }

  Result<void> load_counters(State& state) override {
    return load([&](const Tables& tables) {
      if (state.counters.row_state == rules::RowState::clean) state.counters = tables.counters;
    });
  }

  Result<Time> now() override {
    database_->read([&](const Tables& tables) {
      if (tables.time) time_.follow(*tables.time);
    });
    return time_.now();
  }

  Result<DueOrders> find_due(std::span<const DueQuestion> questions, Time now) override {
    CHECK(open_);
    return database_->read([&](const Tables& tables) {
      DueOrders all;
      for (const DueQuestion& question : questions)
        all.push_back(question.user ? due_of_user(tables, question, now)
                                    : due_of_item(tables, question, now));
      return all;
    });
  }

  Result<void> write(const State& state, BatchId batch, Time now) override {
    CHECK(open_ && !staged_);
    CHECK(batch.lane.value >= 1 && batch.n >= 1);
    staged_ = staged_from(state, batch, time_.kept(now));
    return database_->read([&](const Tables& tables) { return check_constraints(tables, *staged_); });
  }

  Result<void> commit() override {
    CHECK(open_ && staged_);
    database_->change([&](Tables& tables) { apply(tables, *staged_); });
    rollback();
    return {};
  }

  void rollback() override {
    staged_.reset();
    if (std::exchange(open_, false)) database_->leave();
  }

  Result<void> idle() override { return {}; }

  // The transaction in doubt is gone like that of a lost connection; if another store's is in progress, its
  // end is awaited, as the tombstone's lock would be.
  Result<Resolution> resolve(BatchId batch) override {
    CHECK(batch.lane.value >= 1 && batch.n >= 1);
    rollback();
    if (!database_->enter()) return fail(ErrorCode::conflict, "another transaction is still in progress");
    const Time at = *now();
    const bool aborted = database_->change([&](Tables& tables) {
      return tables.batches.emplace(batch, BatchRow{batch, true, 0, at}).first->second.aborted;
    });
    database_->leave();
    return aborted ? Resolution::aborted : Resolution::committed;
  }

 private:
  template <class Use>
  Result<void> load(Use use) {
    CHECK(open_);
    database_->read(use);
    return {};
  }

  const std::shared_ptr<MemoryDatabase> database_;
  JudgeTime time_;
  bool open_ = false;  // A transaction is in progress, and it is this store's.
  std::optional<Staged> staged_;
};

}  // namespace

std::shared_ptr<MemoryDatabase> make_memory_database(rules::Incarnation incarnation) {
  return std::make_shared<MemoryDatabase>(incarnation);
}

std::unique_ptr<Store> open_memory_store(std::shared_ptr<MemoryDatabase> database, const Clock& clock) {
  return std::make_unique<MemoryStore>(std::move(database), clock);
}

}  // namespace gavel::judge
