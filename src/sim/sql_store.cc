// One noun: the store on the simulated SQL server.
#include "sim/sql_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace gavel::sim {
namespace {

using judge::BatchId;
using judge::Resolution;
using rules::OrderId;
using rules::State;

RowName row_of(const rules::SkuCode& code) { return "sku " + code.text(); }
RowName row_of(const rules::ActivityCode& code) { return "activity " + code.text(); }
RowName row_of(rules::ItemId id) { return "item " + std::to_string(id.value); }
RowName row_of(OrderId id) { return "order " + to_text(id.uuid); }
RowName row_of(const rules::RequestId& id) {
  return "request " + id.first.text() + "/" + std::string(id.second.text());
}
RowName row_of(const rules::QuotaKey& key) {
  return "quota " + std::to_string(key.activity.value) + "/" + std::to_string(key.sku.value) + "/" +
         key.user.text();
}
RowName row_of(BatchId batch) {
  return "batch " + std::to_string(batch.lane.value) + "." + std::to_string(batch.n);
}

const RowName counters_row = "counters";

// Every row that the batch writes, and those of them that it must have loaded for update.
struct WrittenRows {
  std::set<RowName> all;  // Inserts wait for others that insert the same key.
  std::set<RowName> updated;

  void add(const RowName& name, rules::RowState row_state) {
    if (row_state == rules::RowState::clean) return;
    all.insert(name);
    if (row_state == rules::RowState::updated) updated.insert(name);
  }
};

WrittenRows rows_written(const State& state, BatchId batch) {
  WrittenRows rows;
  rows.all.insert(row_of(batch));
  for (const auto& [code, sku] : state.skus) rows.add(row_of(code), sku.row_state);
  for (const auto& [code, activity] : state.activities) rows.add(row_of(code), activity.row_state);
  for (const auto& [id, item] : state.items) {
    const bool in_buckets = item.row_state == rules::RowState::clean && item.buckets != item.loaded;
    rows.add(row_of(id), in_buckets ? rules::RowState::updated : item.row_state);
  }
  for (const auto& [id, order] : state.orders) rows.add(row_of(id), order.row_state);
  for (const auto& [key, quota] : state.quotas) rows.add(row_of(key), quota.row_state);
  for (const auto& [id, record] : state.requests) rows.add(row_of(id), record.row_state);
  for (const rules::RequestId& id : state.forgotten) rows.all.insert(row_of(id));
  for (const OrderId& id : state.key_guards) rows.all.insert(row_of(id));
  for (const OrderId& id : state.key_guards_freed) rows.all.insert(row_of(id));
  rows.add(counters_row, state.counters.row_state);
  return rows;
}

// A row that is to be locked, and whether it is there.
struct Row {
  RowName name;
  LockMode mode;
  std::function<bool()> exists;
};

class SqlStore final : public judge::Store {
 public:
  explicit SqlStore(const SqlClient& client) : c_(client) {}
  // A connection that is closed ends its transaction, sooner or later.
  ~SqlStore() override { lose_connection(Fault::sql_connection_lost); }
  SqlStore(const SqlStore&) = delete;
  SqlStore& operator=(const SqlStore&) = delete;

  Result<judge::Identity> open_instance() override;
  Result<rules::LaneId> open_lane() override;
  Result<void> begin() override;
  Result<void> read_orders(const std::set<OrderId>& ids, State& state) override;
  Result<void> load_activities(const judge::ActivityKeys& keys, State& state) override;
  Result<void> load_skus(const judge::SkuKeys& keys, State& state) override;
  Result<void> load_items(const std::set<rules::ItemId>& ids, State& state) override;
  Result<void> load_orders(const std::set<OrderId>& ids, State& state) override;
  Result<void> load_requests(const std::set<rules::RequestId>& ids, const std::set<OrderId>& keys_as_orders,
                             State& state) override;
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, State& state) override;
  Result<void> load_counters(State& state) override;
  Result<Time> now() override;
  Result<judge::DueOrders> find_due(std::span<const judge::DueQuestion> questions, Time now) override;
  Result<void> write(const State& state, BatchId batch, Time now) override;
  Result<void> commit() override;
  void rollback() override;
  Result<Resolution> resolve(BatchId batch) override;
  Result<void> idle() override { return {}; }  // A server sees to itself.

 private:
  enum class Phase : std::uint8_t { idle, open, written, failed, in_doubt };
  // The server's answer to a commit, which may come when nobody waits for it any more.
  struct Answer {
    Fiber* asker;
    std::optional<bool> committed = std::nullopt;
  };

  Result<void> call(const char* name, Phase phase);
  Error failed(ErrorCode code, const std::string& what);
  std::unexpected<Error> dead(const std::string& what);
  void lose_connection(Fault fault);
  enum class IfTaken : std::uint8_t { wait, give_up };
  Result<void> lock(const RowName& row, LockMode mode, IfTaken if_taken);
  Result<void> wait_for(const RowName& row, LockMode mode);
  Result<void> lock_rows(const char* name, const std::vector<Row>& rows);
  // What the server's tables hold of what `load` asks for. They are in its memory, where no read fails.
  template <class Load>
  State in_tables(Load load) {
    State found;
    CHECK(c_.server.with_tables([&](judge::Store& tables) { return load(tables, found); }).has_value());
    return found;
  }
  Result<void> send_commit();
  Result<void> lose_commit(Fault fault);
  Result<Resolution> abort(BatchId batch);

  const SqlClient c_;
  Phase phase_ = Phase::idle;
  bool knows_time_ = false;  // From here on nothing that is loaded is waited for.
  std::optional<SqlServer::TransactionId> transaction_;
};

// The contract's order of calls, outermost first; then what they share.

Result<judge::Identity> SqlStore::open_instance() {
  if (const auto called = call("open_instance", Phase::idle); !called) return std::unexpected(called.error());
  return c_.server.tables().open_instance();
}

Result<rules::LaneId> SqlStore::open_lane() {
  if (const auto called = call("open_lane", Phase::idle); !called) return std::unexpected(called.error());
  return c_.server.tables().open_lane();
}

Result<void> SqlStore::begin() {
  if (transaction_) {
    c_.server.complain(c_.name + ": begin while a transaction is open");
    rollback();
  }
  if (const auto called = call("begin", Phase::idle); !called) return called;
  transaction_ = c_.server.begin();
  phase_ = Phase::open;
  knows_time_ = false;
  return {};
}

Result<void> SqlStore::read_orders(const std::set<OrderId>& ids, State& state) {
  if (const auto called = call("read_orders", Phase::open); !called) return called;
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_orders(ids, state); });
}

// A number never changes its name, so that it may be looked up before anything is locked.
Result<void> SqlStore::load_activities(const judge::ActivityKeys& keys, State& state) {
  const State numbered = in_tables(
      [&](judge::Store& tables, State& to) { return tables.load_activities({{}, keys.ids, {}}, to); });
  std::set<rules::ActivityCode> codes = keys.codes;
  for (const auto& [code, activity] : numbered.activities) codes.insert(code);
  std::vector<Row> rows;
  for (const rules::ActivityCode& code : codes) {
    rows.push_back(
        {row_of(code), keys.written.contains(code) ? LockMode::exclusive : LockMode::shared, [this, code] {
           const State found = in_tables(
               [&](judge::Store& tables, State& to) { return tables.load_activities({{code}, {}, {}}, to); });
           return !found.activities.empty();
         }});
  }
  if (const auto locked = lock_rows("load_activities", rows); !locked) return locked;
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_activities(keys, state); });
}

Result<void> SqlStore::load_skus(const judge::SkuKeys& keys, State& state) {
  const State numbered =
      in_tables([&](judge::Store& tables, State& to) { return tables.load_skus({{}, keys.ids, {}}, to); });
  std::set<rules::SkuCode> codes = keys.codes;
  for (const auto& [code, sku] : numbered.skus) codes.insert(code);
  std::vector<Row> rows;
  for (const rules::SkuCode& code : codes) {
    rows.push_back(
        {row_of(code), keys.written.contains(code) ? LockMode::exclusive : LockMode::shared, [this, code] {
           const State found = in_tables(
               [&](judge::Store& tables, State& to) { return tables.load_skus({{code}, {}, {}}, to); });
           return !found.skus.empty();
         }});
  }
  if (const auto locked = lock_rows("load_skus", rows); !locked) return locked;
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_skus(keys, state); });
}

Result<void> SqlStore::load_items(const std::set<rules::ItemId>& ids, State& state) {
  std::vector<Row> rows;
  for (const rules::ItemId id : ids) {
    rows.push_back({row_of(id), LockMode::exclusive, [this, id] {
                      const State found = in_tables(
                          [&](judge::Store& tables, State& to) { return tables.load_items({id}, to); });
                      return !found.items.empty();
                    }});
  }
  if (const auto locked = lock_rows("load_items", rows); !locked) return locked;
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_items(ids, state); });
}

// What was read without a lock is read again.
void forget_order(OrderId id, State& state) {
  state.orders.erase(id);
  auto first = state.occurrences.lower_bound({id, rules::ItemId{0}, 0, rules::Action{}});
  while (first != state.occurrences.end() && first->first.order == id) first = state.occurrences.erase(first);
}

Result<void> SqlStore::load_orders(const std::set<OrderId>& ids, State& state) {
  std::vector<Row> rows;
  std::vector<OrderId> unlocked;
  for (const OrderId id : ids) {
    if (!c_.server.holds(*transaction_, row_of(id), LockMode::exclusive)) unlocked.push_back(id);
    rows.push_back({row_of(id), LockMode::exclusive, [this, id] {
                      const State found = in_tables(
                          [&](judge::Store& tables, State& to) { return tables.load_orders({id}, to); });
                      return !found.orders.empty();
                    }});
  }
  if (const auto locked = lock_rows("load_orders", rows); !locked) return locked;
  for (const OrderId id : unlocked) forget_order(id, state);
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_orders(ids, state); });
}

Result<void> SqlStore::load_requests(const std::set<rules::RequestId>& ids,
                                     const std::set<OrderId>& keys_as_orders, State& state) {
  if (const auto called = call("load_requests", Phase::open); !called) return called;
  return c_.server.with_tables(
      [&](judge::Store& tables) { return tables.load_requests(ids, keys_as_orders, state); });
}

Result<void> SqlStore::load_quotas(const std::set<rules::QuotaKey>& keys, State& state) {
  std::vector<Row> rows;
  for (const rules::QuotaKey& key : keys) {
    rows.push_back({row_of(key), LockMode::exclusive, [this, key] {
                      const State found = in_tables(
                          [&](judge::Store& tables, State& to) { return tables.load_quotas({key}, to); });
                      return !found.quotas.empty();
                    }});
  }
  if (const auto locked = lock_rows("load_quotas", rows); !locked) return locked;
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_quotas(keys, state); });
}

Result<void> SqlStore::load_counters(State& state) {
  const Row row{counters_row, LockMode::exclusive, [] { return true; }};
  if (const auto locked = lock_rows("load_counters", {row}); !locked) return locked;
  return c_.server.with_tables([&](judge::Store& tables) { return tables.load_counters(state); });
}

Result<Time> SqlStore::now() {
  if (const auto called = call("now", Phase::open); !called) return std::unexpected(called.error());
  knows_time_ = true;
  return c_.server.tables().now();
}

Result<judge::DueOrders> SqlStore::find_due(std::span<const judge::DueQuestion> questions, Time now) {
  if (const auto called = call("find_due", Phase::open); !called) return std::unexpected(called.error());
  return c_.server.with_tables([&](judge::Store& tables) { return tables.find_due(questions, now); });
}

Result<void> SqlStore::write(const State& state, BatchId batch, Time now) {
  if (const auto called = call("write", Phase::open); !called) return called;
  const WrittenRows rows = rows_written(state, batch);
  for (const RowName& row : rows.updated) {
    if (c_.server.is_open(*transaction_) && !c_.server.holds(*transaction_, row, LockMode::exclusive))
      c_.server.complain(c_.name + ": " + row + " is updated and was not loaded for update");
  }
  for (const RowName& row : rows.all) {
    if (const auto locked = lock(row, LockMode::exclusive, IfTaken::wait); !locked) return locked;
  }
  const auto written = c_.server.write(*transaction_, state, batch, now);
  if (!written) {
    c_.sightings.saw_if(written.error().code == ErrorCode::duplicate, RareState::duplicate_at_write);
    return std::unexpected(failed(written.error().code, "write: " + written.error().message));
  }
  phase_ = Phase::written;
  return {};
}

Result<void> SqlStore::commit() {
  if (const auto called = call("commit", Phase::written); !called) return called;
  if (c_.faults.strikes(Fault::sql_commit_conflict)) {
    c_.server.abort(*transaction_);
    return std::unexpected(failed(ErrorCode::conflict, "commit: certification failed"));
  }
  for (const Fault fault : {Fault::sql_commit_stored, Fault::sql_commit_lost, Fault::sql_commit_in_flight}) {
    if (c_.faults.strikes(fault)) return lose_commit(fault);
  }
  return send_commit();
}

// The server commits whether or not somebody waits for its answer.
Result<void> SqlStore::send_commit() {
  const auto answer = std::make_shared<Answer>(c_.fiber);
  const auto id = *std::exchange(transaction_, std::nullopt);
  c_.scheduler.after(c_.draw_time(), [answer, id, &server = c_.server, &sightings = c_.sightings] {
    answer->committed = server.commit(id);
    sightings.saw_if(*answer->committed && answer->asker == nullptr, RareState::commit_after_death);
    if (answer->asker != nullptr) answer->asker->wake();
  });
  if (c_.faults.strikes(Fault::instance_crashed_in_call)) c_.crash();
  while (c_.power.on() && !answer->committed) c_.fiber->park();
  answer->asker = nullptr;
  phase_ = Phase::idle;
  if (!c_.power.on()) return dead("commit");
  if (!*answer->committed) return std::unexpected(failed(ErrorCode::conflict, "commit: it was rolled back"));
  return {};
}

Result<void> SqlStore::lose_commit(Fault fault) {
  const auto id = *transaction_;
  if (fault == Fault::sql_commit_lost) lose_connection(Fault::sql_silent_client);
  transaction_.reset();
  if (fault == Fault::sql_commit_stored) c_.server.commit(id);
  if (fault == Fault::sql_commit_in_flight) {
    const bool happens = c_.random.chance(1, 2);
    c_.scheduler.after(Micros(c_.random.below(300'000)), [id, happens, &server = c_.server,
                                                          &sightings = c_.sightings] {
      sightings.saw(happens ? RareState::commit_in_flight_happened : RareState::commit_in_flight_vanished);
      if (happens) server.commit(id);
      if (!happens) server.abort(id);
    });
  }
  failed(ErrorCode::unknown, "commit: " + std::string(word(fault)));
  phase_ = Phase::in_doubt;
  return fail(ErrorCode::unknown, "the connection was lost at COMMIT");
}

void SqlStore::rollback() {
  if (phase_ == Phase::in_doubt) c_.server.complain(c_.name + ": rollback while a commit is in doubt");
  if (transaction_) c_.server.abort(*transaction_);
  transaction_.reset();
  if (phase_ != Phase::in_doubt) phase_ = Phase::idle;
}

Result<Resolution> SqlStore::resolve(BatchId batch) {
  if (const auto called = call("resolve", Phase::in_doubt); !called) return std::unexpected(called.error());
  transaction_ = c_.server.begin();
  const auto resolved = abort(batch);
  if (transaction_) c_.server.abort(*transaction_);
  transaction_.reset();
  phase_ = resolved ? Phase::idle : Phase::in_doubt;
  return resolved;
}

// The insert waits for the lock of the transaction in doubt, if that one still is.
Result<Resolution> SqlStore::abort(BatchId batch) {
  c_.sightings.saw_if(c_.server.is_taken(*transaction_, row_of(batch)), RareState::resolve_waited);
  if (const auto locked = lock(row_of(batch), LockMode::exclusive, IfTaken::wait); !locked)
    return std::unexpected(locked.error());
  auto resolved = c_.server.tables().resolve(batch);
  if (c_.faults.strikes(Fault::sql_resolve_lost)) {
    return std::unexpected(failed(ErrorCode::unavailable, "resolve: its answer was lost"));
  }
  return resolved;
}

// What every call has in common: it comes in turn, takes its time, and may find nobody there.
Result<void> SqlStore::call(const char* name, Phase phase) {
  const std::string what = name;
  if (phase != phase_) c_.server.complain(c_.name + ": " + what + " is called out of turn");
  c_.tale.tell(c_.name, "sql: " + what);
  if (c_.faults.strikes(Fault::instance_crashed_in_call)) c_.crash();
  c_.spend_time();
  if (!c_.power.on()) return dead(what);
  for (const Fault fault : {Fault::sql_connection_lost, Fault::sql_silent_client}) {
    if (!c_.faults.strikes(fault)) continue;
    lose_connection(fault);
    return std::unexpected(failed(ErrorCode::unavailable, what + ": " + std::string(word(fault))));
  }
  if (transaction_ && c_.faults.strikes(Fault::sql_conflict)) {
    c_.server.abort(*transaction_);
    return std::unexpected(failed(ErrorCode::conflict, what + ": deadlock, says the server"));
  }
  return {};
}

Error SqlStore::failed(ErrorCode code, const std::string& what) {
  if (phase_ == Phase::open || phase_ == Phase::written) phase_ = Phase::failed;
  c_.tale.tell(c_.name, "sql: " + what);
  return {code, what};
}

std::unexpected<Error> SqlStore::dead(const std::string& what) {
  lose_connection(Fault::sql_connection_lost);
  phase_ = Phase::failed;
  return fail(ErrorCode::broken, what + ": the instance is dead");
}

// The server keeps what it has until it notices.
void SqlStore::lose_connection(Fault fault) {
  if (!transaction_) return;
  const bool silent = fault == Fault::sql_silent_client && !c_.faults.healed();
  c_.server.abandon(*transaction_,
                    Micros(static_cast<std::int64_t>(c_.random.below(silent ? 400'000 : 2'000))));
  transaction_.reset();
}

Result<void> SqlStore::lock_rows(const char* name, const std::vector<Row>& rows) {
  if (const auto called = call(name, Phase::open); !called) return called;
  for (const Row& row : rows) {
    const bool exists = row.exists();
    if (!c_.manners.sees_inserts && !exists) continue;
    c_.sightings.saw_if(!exists && c_.server.is_taken(*transaction_, row.name), RareState::waited_for_insert);
    const IfTaken if_taken = knows_time_ ? IfTaken::give_up : IfTaken::wait;
    if (const auto locked = lock(row.name, row.mode, if_taken); !locked) return locked;
    if (!row.exists()) c_.server.release(*transaction_, row.name);
  }
  return {};
}

Result<void> SqlStore::lock(const RowName& row, LockMode mode, IfTaken if_taken) {
  if (!c_.server.is_open(*transaction_)) {
    return std::unexpected(failed(ErrorCode::conflict, "the transaction was rolled back"));
  }
  if (c_.server.try_lock(*transaction_, row, mode)) return {};
  if (if_taken == IfTaken::give_up) {
    c_.sightings.saw(RareState::locked_after_time);
    return std::unexpected(failed(ErrorCode::conflict, row + " is locked, and nothing waits after the time"));
  }
  c_.tale.tell(c_.name, "sql: waits for " + row);
  c_.sightings.saw_if(c_.server.is_held_by_silent(row), RareState::silent_client_held_locks);
  return wait_for(row, mode);
}

Result<void> SqlStore::wait_for(const RowName& row, LockMode mode) {
  const Micros until = c_.scheduler.now() + c_.manners.lock_wait_max;
  while (true) {
    if (c_.server.is_deadlock(*transaction_, row, mode)) {
      c_.server.abort(*transaction_);
      c_.server.note_deadlock();
      return std::unexpected(failed(ErrorCode::conflict, "deadlock at " + row));
    }
    // The statement alone is undone: the transaction keeps its locks until it is rolled back.
    if (c_.scheduler.now() >= until) {
      c_.sightings.saw(RareState::lock_wait_timeout);
      return std::unexpected(failed(ErrorCode::conflict, "lock wait timeout at " + row));
    }
    c_.server.wait(*transaction_, row, mode, *c_.fiber);
    c_.fiber->park(until - c_.scheduler.now());
    c_.server.stop_waiting(*transaction_);
    if (!c_.power.on()) return dead("lock");
    if (!c_.server.is_open(*transaction_)) {
      return std::unexpected(failed(ErrorCode::conflict, "rolled back while it waited for " + row));
    }
    if (c_.server.try_lock(*transaction_, row, mode)) return {};
  }
}

}  // namespace

std::unique_ptr<judge::Store> open_sql_store(const SqlClient& client) {
  return std::make_unique<SqlStore>(client);
}

}  // namespace gavel::sim
