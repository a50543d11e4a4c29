// SqlServer: a database server that behaves like MariaDB and PostgreSQL, over tables in memory.
//
// A client sees it through SqlStore. This class has the parts that outlive a client: transactions with their
// locks, the order of commits, and what happens to a transaction whose client has gone.
//
//   * Rows are locked one by one, shared or exclusively, until the end of the transaction. Rows that do not
//     exist have no locks, so two transactions may insert the same key: the second one waits for the first.
//   * A transaction that waits in a circle is told so at once (deadlock) and is rolled back. One that waits
//     too long is told so, and only its statement is undone: it keeps its locks until it rolls back (MariaDB
//     1205).
//   * A transaction whose connection is lost stays until the server notices. A COMMIT that was sent may take
//     effect after its sender has gone.
//
// The committed tables are judge::MemoryDatabase, whose constraints hold here as well. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "judge/memory/store.h"
#include "judge/store.h"
#include "sim/database.h"
#include "sim/fiber.h"
#include "sim/scheduler.h"
#include "sim/trace_log.h"

namespace gavel::sim {

// A row that may be locked: "item 12", "request shop/k1".
using RowName = std::string;

class SqlServer final : public SimDatabase {
 public:
  using TransactionId = std::uint64_t;

  // `clock` is the server's own. All references outlive the server.
  SqlServer(Scheduler& scheduler, TraceLog& tale, const Clock& clock, OnCommit on_commit);

  judge::Identity open_instance() override;
  std::unique_ptr<judge::Store> open_store(const Client& client) override;
  std::unique_ptr<judge::Reader> open_reader(const Client& client) override;
  // In the memory of the instance: one that starts makes its own from the beginning.
  std::unique_ptr<judge::OrderIndex> open_order_index(const Client& client) override;
  std::unique_ptr<judge::Reader> look() override { return judge::open_memory_reader(database_, clock_); }
  std::vector<std::string> complaints() const override { return complaints_; }
  std::size_t open_transactions() const override { return transactions_.size(); }

  // What its clients are made of.
  TransactionId begin();
  bool is_open(TransactionId id) const { return transactions_.contains(id); }
  void abort(TransactionId id);
  // The client has gone: the server rolls back once it notices.
  void abandon(TransactionId id, Micros notices_after);

  // True if the transaction has the lock, which it may have had before.
  bool try_lock(TransactionId id, const RowName& row, LockMode mode);
  void release(TransactionId id, const RowName& row);
  // True if the transaction has a lock on the row that is at least as strong.
  bool holds(TransactionId id, const RowName& row, LockMode mode) const;
  // Whether somebody else has a lock on the row, or somebody whose client has gone.
  bool is_taken(TransactionId id, const RowName& row) const;
  bool is_held_by_silent(const RowName& row) const;
  // Whether waiting for this lock would close a circle of waiting.
  bool is_deadlock(TransactionId id, const RowName& row, LockMode mode) const;
  // Of a transaction that was ended because it would have closed such a circle. The judge takes its locks in
  // one order, so that a run need not have any.
  void note_deadlock() { ++deadlocks_; }
  std::uint64_t deadlocks() const { return deadlocks_; }
  // Notes who waits for what, until stop_waiting; `fiber` is woken whenever a lock on the row is released.
  void wait(TransactionId id, const RowName& row, LockMode mode, Fiber& fiber);
  void stop_waiting(TransactionId id);

  // What the transaction will commit. The constraints of the tables are checked here.
  Result<void> write(TransactionId id, const rules::State& state, judge::BatchId batch, Time now);
  // Makes it so, at once; false if the transaction is no more.
  bool commit(TransactionId id);

  // A store on the committed tables, outside of any transaction of the clients.
  judge::Store& tables() { return *tables_; }
  // The same within a transaction of its own, which is over within this call.
  template <class Use>
  auto with_tables(Use use) {
    CHECK(tables_->begin().has_value());
    auto used = use(*tables_);
    tables_->rollback();
    return used;
  }
  const Clock& clock() const { return clock_; }

  // What a client did that the contract of judge/store.h forbids.
  void complain(std::string what) { complaints_.push_back(std::move(what)); }

 private:
  struct Waiting {
    RowName row;
    LockMode mode;
    Fiber* fiber;
  };
  struct Written {
    rules::State state;
    judge::BatchId batch;
    Time now;
  };
  struct Transaction {
    std::set<RowName> locks;
    std::optional<Waiting> waiting;
    std::optional<Written> written;
    bool abandoned = false;
  };
  using Holders = std::map<TransactionId, LockMode>;

  static bool permits(const Holders& holders, TransactionId id, LockMode mode);
  void wake_waiters(const RowName& row);
  void end(TransactionId id);

  Scheduler& scheduler_;
  TraceLog& tale_;
  const Clock& clock_;
  const OnCommit on_commit_;
  std::shared_ptr<judge::MemoryDatabase> database_ = judge::make_memory_database();
  std::unique_ptr<judge::Store> tables_;
  std::map<TransactionId, Transaction> transactions_;
  std::map<RowName, Holders> locks_;
  TransactionId next_ = 1;
  std::uint64_t deadlocks_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace gavel::sim
