// One noun: the store.
#include "judge/sqlite/store.h"

#include <algorithm>
#include <map>
#include <utility>

#include <sqlite3.h>

#include "base/check.h"
#include "judge/sqlite/load.h"
#include "judge/sqlite/lock.h"
#include "judge/sqlite/log_owner.h"
#include "judge/sqlite/open.h"
#include "judge/sqlite/rows.h"
#include "judge/sqlite/storage.h"
#include "judge/sqlite/write.h"

namespace gavel::judge {
namespace sqlite {
namespace {

using rules::OrderId;
using rules::State;

// Where nothing waits, a checkpoint comes when the log has grown by an eighth of what it may.
constexpr std::int64_t idle_share = 8;

// Finds what `keys` name and `there` does not hold, and adds it under the key that `name` gives it.
template <class Key, class Rows, class Find>
Result<void> load_missing(Queries& queries, const std::set<Key>& keys, Rows& rows, Find find, auto name) {
  for (const Key& key : keys) {
    if constexpr (std::is_same_v<Key, typename Rows::key_type>) {
      if (rows.contains(key)) continue;
    }
    auto found = find(queries, key);
    if (!found) return std::unexpected(found.error());
    if (!*found) continue;
    auto under = name(**found);
    rows.emplace(std::move(under), **std::move(found));
  }
  return {};
}

class SqliteStore final : public Store {
 public:
  SqliteStore(FileLock lock, std::unique_ptr<Connection> connection, Queries queries,
              std::shared_ptr<StorageWatch> storage, const JudgeTime& time, const SqliteOptions& options)
      : lock_(std::move(lock)),
        connection_(std::move(connection)),
        queries_(std::move(queries)),
        storage_(std::move(storage)),
        time_(time),
        checkpoint_pages_(options.checkpoint_pages),
        has_system_files_(options.vfs.empty()) {
    note(FileUse::at_rest);
    sqlite3_wal_hook(connection_->raw(), &SqliteStore::note_log_pages, this);
  }
  // Closing writes the log into the database, which must be this store's for that.
  ~SqliteStore() override {
    connection_->roll_back();
    if (check(storage_->difference())) note(FileUse::written);
  }
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Result<Identity> open_instance() override;
  Result<rules::LaneId> open_lane() override;
  Result<void> begin() override;
  // Nobody else writes, so that what is read is loaded.
  Result<void> read_orders(const std::set<OrderId>& ids, State& state) override {
    return load_orders(ids, state);
  }
  Result<void> load_skus(const SkuKeys& keys, State& state) override;
  Result<void> load_activities(const ActivityKeys& keys, State& state) override;
  Result<void> load_items(const std::set<rules::ItemId>& ids, State& state) override;
  Result<void> load_orders(const std::set<OrderId>& ids, State& state) override;
  Result<void> load_requests(const std::set<rules::RequestId>& ids, const std::set<OrderId>& keys_as_orders,
                             State& state) override;
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, State& state) override;
  Result<void> load_counters(State& state) override;
  Result<Time> now() override;
  Result<DueOrders> find_due(std::span<const DueQuestion> questions, Time now) override;
  Result<void> write(const State& state, BatchId batch, Time now) override;
  Result<void> commit() override;
  void rollback() override;
  Result<Resolution> resolve(BatchId batch) override;
  Result<void> idle() override;

 private:
  using DueByUser = std::map<rules::UserId, std::vector<OrderId>>;

  static int note_log_pages(void* store, sqlite3*, const char*, int pages);
  Result<void> check(const std::optional<std::string>& difference);
  void note(FileUse use);
  Result<void> checkpoint_from(std::int64_t pages);
  int checkpoint();
  Result<void> start();
  Result<Resolution> resolve_within(BatchId batch);
  Result<std::vector<OrderId>> find_due_of_item(const DueQuestion& question, Time now);
  Result<DueByUser> find_due_by_user(rules::ItemId item, Time now);
  template <class... Values>
  Result<std::int64_t> deal(Query query, const Values&... values);

  // In this order: statements go before their connection, and the lock after both.
  FileLock lock_;
  std::unique_ptr<Connection> connection_;
  Queries queries_;
  const std::shared_ptr<StorageWatch> storage_;
  JudgeTime time_;
  const std::int64_t checkpoint_pages_;
  const bool has_system_files_;
  std::int64_t log_pages_ = 0;           // Of the log after the last commit.
  bool is_log_new_ = false;              // It began with the last commit, which is not noted yet.
  std::int64_t checkpointed_pages_ = 0;  // Of the log when it was last checkpointed.
};

Result<Identity> SqliteStore::open_instance() {
  Identity identity;
  bool is_there = false;
  const auto read = queries_[Query::incarnation].for_each([&](Row& row) {
    identity.incarnation.uuid = row.order_id(0).uuid;
    is_there = true;
  });
  if (!read) return std::unexpected(read.error());
  CHECK(is_there);  // Every database has one, since its first schema.
  const auto number = deal(Query::insert_instance);
  if (!number) return std::unexpected(number.error());
  identity.instance = {*number};
  CHECK(identity.instance.value >= 1);
  return identity;
}

Result<rules::LaneId> SqliteStore::open_lane() {
  const auto number = deal(Query::insert_lane, time_.kept(time_.now()).boot);
  if (!number) return std::unexpected(number.error());
  return rules::LaneId{*number};
}

// Inserts a row whose key is the next free number.
template <class... Values>
Result<std::int64_t> SqliteStore::deal(Query query, const Values&... values) {
  if (auto begun = start(); !begun) return std::unexpected(begun.error());
  std::int64_t number = 0;
  const auto dealt = queries_[query].for_each([&](Row& row) { number = row.integer(0); }, *now(), values...);
  if (!dealt) {
    rollback();
    return std::unexpected(dealt.error());
  }
  if (auto done = commit(); !done) return std::unexpected(done.error());
  return number;
}

Result<void> SqliteStore::begin() {
  if (auto done = checkpoint_from(checkpoint_pages_); !done) return done;
  return start();
}

Result<void> SqliteStore::start() {
  CHECK(!connection_->in_transaction());
  const auto begun = queries_[Query::begin_immediate].run();
  if (begun) return {};
  if (begun.error().code != ErrorCode::conflict) return std::unexpected(begun.error());
  // Only a foreign program can hold the lock, and it held it for as long as SQLite waits (docs/adr/0003): no
  // batch is at fault, so that none is tried again or halved.
  return fail(ErrorCode::unavailable, begun.error().message + "; another program has locked the database");
}

Result<void> SqliteStore::load_skus(const SkuKeys& keys, State& state) {
  const auto by_code = [](Queries& queries, const rules::SkuCode& code) { return find_sku(queries, code); };
  const auto by_id = [](Queries& queries, rules::SkuId id) { return find_sku(queries, id); };
  const auto name = [](const rules::Sku& sku) { return sku.code; };
  if (auto done = load_missing(queries_, keys.codes, state.skus, by_code, name); !done) return done;
  return load_missing(queries_, keys.ids, state.skus, by_id, name);
}

Result<void> SqliteStore::load_activities(const ActivityKeys& keys, State& state) {
  const auto by_code = [](Queries& queries, const rules::ActivityCode& code) {
    return find_activity(queries, code);
  };
  const auto by_id = [](Queries& queries, rules::ActivityId id) { return find_activity(queries, id); };
  const auto name = [](const rules::Activity& activity) { return activity.code; };
  if (auto done = load_missing(queries_, keys.codes, state.activities, by_code, name); !done) return done;
  return load_missing(queries_, keys.ids, state.activities, by_id, name);
}

Result<void> SqliteStore::load_items(const std::set<rules::ItemId>& ids, State& state) {
  return load_missing(queries_, ids, state.items, find_item, [](const rules::Item& item) { return item.id; });
}

Result<void> SqliteStore::load_orders(const std::set<OrderId>& ids, State& state) {
  for (const OrderId id : ids) {
    if (state.orders.contains(id)) continue;
    auto found = find_order(queries_, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) continue;
    if (!state.add_loaded(**std::move(found))) continue;
    if (auto counted = add_occurrences(queries_, id, state); !counted) return counted;
  }
  return {};
}

Result<void> SqliteStore::load_requests(const std::set<rules::RequestId>& ids,
                                        const std::set<OrderId>& keys_as_orders, State& state) {
  const auto name = [](const rules::IdempotencyRecord& found) {
    return rules::RequestId{found.caller, found.key};
  };
  if (auto done = load_missing(queries_, ids, state.requests, find_request, name); !done) return done;
  for (const OrderId id : keys_as_orders) {
    if (state.orders_as_requests.contains(id)) continue;
    auto found = find_request_of_order(queries_, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) continue;
    if ((*found)->request) {
      state.orders_as_requests.emplace(id, *std::move((*found)->request));
    } else {
      state.ids_in_use.insert(id);
    }
  }
  return {};
}

Result<void> SqliteStore::load_quotas(const std::set<rules::QuotaKey>& keys, State& state) {
  for (const rules::QuotaKey& key : keys) {
    if (state.quotas.contains(key)) continue;
    const auto add = [&](Row& row) { state.quotas.emplace(key, quota_of(row).quota); };
    auto read = queries_[Query::quota_by_key].for_each(add, key.activity, key.sku, key.user);
    if (!read) return read;
  }
  return {};
}

Result<void> SqliteStore::load_counters(State& state) {
  rules::Counters& counters = state.counters;
  if (counters.row_state != rules::RowState::clean) return {};
  return queries_[Query::counters].for_each([&](Row& row) {
    const std::string_view name = row.text(0);
    if (name == "sku") counters.next_sku = row.integer(1);
    if (name == "item") counters.next_item = row.integer(1);
    if (name == "activity") counters.next_activity = row.integer(1);
  });
}

Result<Time> SqliteStore::now() { return time_.now(); }

// The holds of one user among those of a hot item have no index, for it would be the one random index on the
// path of a sale. All due holds of the item are read once for the whole call instead, whoever asks for his.
Result<DueOrders> SqliteStore::find_due(std::span<const DueQuestion> questions, Time now) {
  std::map<rules::ItemId, DueByUser> by_user;
  DueOrders all;
  all.reserve(questions.size());
  for (const DueQuestion& question : questions) {
    if (!question.user) {
      auto due = find_due_of_item(question, now);
      if (!due) return std::unexpected(due.error());
      all.push_back(*std::move(due));
      continue;
    }
    auto known = by_user.find(question.item);
    if (known == by_user.end()) {
      auto read = find_due_by_user(question.item, now);
      if (!read) return std::unexpected(read.error());
      known = by_user.emplace(question.item, *std::move(read)).first;
    }
    std::vector<OrderId> due = known->second[*question.user];
    if (due.size() > question.count_max) due.resize(question.count_max);
    all.push_back(std::move(due));
  }
  return all;
}

Result<std::vector<OrderId>> SqliteStore::find_due_of_item(const DueQuestion& question, Time now) {
  std::vector<OrderId> due;
  const auto read =
      queries_[Query::due_of_item].for_each([&](Row& row) { due.push_back(row.order_id(0)); }, question.item,
                                            now, static_cast<std::int64_t>(question.count_max));
  if (!read) return std::unexpected(read.error());
  return due;
}

Result<SqliteStore::DueByUser> SqliteStore::find_due_by_user(rules::ItemId item, Time now) {
  DueByUser due;
  const auto add = [&](Row& row) { due[row.code<rules::UserId>(1)].push_back(row.order_id(0)); };
  const auto read = queries_[Query::due_with_users].for_each(add, item, now);
  if (!read) return std::unexpected(read.error());
  return due;
}

Result<void> SqliteStore::write(const State& state, BatchId batch, Time now) {
  CHECK(connection_->in_transaction() || connection_->broken());
  CHECK(batch.lane.value >= 1 && batch.n >= 1);
  return Writing(queries_, state, batch, time_.kept(now)).everything();
}

// A commit that fails to write or to sync is `broken` like any such error, never `unknown`: its pages may lie
// whole in the log, another sync would not tell, and only a restart that reads the file can. What was written
// into a file that no name leads to any longer is not acknowledged either.
Result<void> SqliteStore::commit() {
  const auto done = queries_[Query::commit].run();
  if (!done) return std::unexpected(done.error());
  if (auto same = check(storage_->difference_of_data()); !same) return same;
  if (std::exchange(is_log_new_, false)) note(FileUse::at_rest);
  return {};
}

// Never of a file that is not this store's. Files of another layer than the system's are not what the system
// shows of them.
void SqliteStore::note(FileUse use) {
  if (has_system_files_ && !storage_->difference_of_data()) note_files(lock_, use);
}

// Where the storage is another than the one that was opened, nothing is written any more.
Result<void> SqliteStore::check(const std::optional<std::string>& difference) {
  if (connection_->broken()) return std::unexpected(*connection_->broken());
  if (!difference) return {};
  connection_->set_remedy(std::string(StorageWatch::remedy));
  return std::unexpected(connection_->break_off(*difference));
}

void SqliteStore::rollback() { connection_->roll_back(); }

Result<Resolution> SqliteStore::resolve(BatchId batch) {
  CHECK(batch.lane.value >= 1 && batch.n >= 1);
  rollback();
  if (auto begun = start(); !begun) return std::unexpected(begun.error());
  Result<Resolution> resolved = resolve_within(batch);
  rollback();
  return resolved;
}

// Whoever writes has the lock, so that no row comes between the look and the insert.
Result<Resolution> SqliteStore::resolve_within(BatchId batch) {
  std::optional<Resolution> known;
  const auto look = [&](Row& row) {
    known = row.integer(0) != 0 ? Resolution::aborted : Resolution::committed;
  };
  const auto read = queries_[Query::batch_by_id].for_each(look, batch.lane, batch.n);
  if (!read) return std::unexpected(read.error());
  if (known) return *known;
  const KeptTime time = time_.kept(time_.now());
  const auto inserted =
      queries_[Query::insert_batch].run(batch.lane, batch.n, 1, 0, time.at, time.steady->count());
  if (!inserted) return std::unexpected(inserted.error());
  const auto done = commit();
  return done ? Result<Resolution>(Resolution::aborted) : std::unexpected(done.error());
}

int SqliteStore::note_log_pages(void* store, sqlite3*, const char*, int pages) {
  auto& self = *static_cast<SqliteStore*>(store);
  // With the first commit, and wherever the log began anew.
  if (pages <= self.log_pages_ || self.log_pages_ == 0) self.is_log_new_ = true;
  self.log_pages_ = pages;
  return SQLITE_OK;
}

// Early, and so a short one: whoever comes meanwhile waits for it, but no batch begins with one.
Result<void> SqliteStore::idle() { return checkpoint_from(checkpoint_pages_ / idle_share); }

// Checkpoints, if the log has grown by so many pages, between batches and not by SQLite's own hook, which
// would drop the error: an fsync of the database file that fails must end the acknowledging, and is not tried
// again.
Result<void> SqliteStore::checkpoint_from(std::int64_t pages) {
  if (connection_->broken()) return std::unexpected(*connection_->broken());
  if (log_pages_ < checkpointed_pages_) checkpointed_pages_ = 0;  // The log began anew.
  if (log_pages_ - checkpointed_pages_ < pages) return {};
  if (auto same = check(storage_->difference()); !same) return same;
  note(FileUse::written);
  const int code = checkpoint();
  note(FileUse::at_rest);
  checkpointed_pages_ = log_pages_;
  // A reader that holds an old snapshot stops a checkpoint short; the next one goes on from there.
  if (code == SQLITE_OK || code == SQLITE_BUSY) return {};
  return std::unexpected(connection_->failure(code, "checkpoint"));
}

int SqliteStore::checkpoint() {
  const StorageWatch::Writing writing(*storage_);
  return sqlite3_wal_checkpoint_v2(connection_->raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

// From here on the time goes on by the steady clock.
Result<JudgeTime> time_of_database(Queries& queries, const Clock& clock) {
  JudgeTime time(clock);
  const auto read = queries[Query::latest_batch].for_each([&](Row& row) { time.follow(kept_time_of(row)); });
  if (!read) return std::unexpected(read.error());
  static_cast<void>(time.now());
  return time;
}

}  // namespace
}  // namespace sqlite

Result<WatchedStore> open_watched_sqlite_store(const SqliteOptions& options, const Clock& clock) {
  auto lock = sqlite::FileLock::take(options.path);
  if (!lock) return std::unexpected(lock.error());
  if (options.vfs.empty()) {
    if (const auto own = sqlite::take_over_files(*lock); !own) return std::unexpected(own.error());
  }
  auto connection = sqlite::open_current(options, sqlite::Role::writer);
  if (!connection) return std::unexpected(connection.error());
  auto queries = sqlite::Queries::prepare(**connection, sqlite::Use::store);
  if (!queries) return std::unexpected(queries.error());
  const auto time = sqlite::time_of_database(*queries, clock);
  if (!time) return std::unexpected(time.error());
  // The first query has opened the log.
  auto storage = StorageWatch::begin(options.path, *lock);
  if (!storage) return std::unexpected(storage.error());
  auto store = std::make_unique<sqlite::SqliteStore>(*std::move(lock), *std::move(connection),
                                                     *std::move(queries), *storage, *time, options);
  return WatchedStore{std::move(store), *std::move(storage), time->after_boot()};
}

Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options, const Clock& clock) {
  auto opened = open_watched_sqlite_store(options, clock);
  if (!opened) return std::unexpected(opened.error());
  return std::move(opened->store);
}

}  // namespace gavel::judge
