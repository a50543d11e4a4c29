#include "sim/sql_server.h"

#include <algorithm>
#include <utility>

#include "sim/slow_index.h"
#include "sim/slow_reader.h"
#include "sim/sql_store.h"

namespace gavel::sim {

using judge::BatchId;
using rules::State;

SqlServer::SqlServer(Scheduler& scheduler, TraceLog& tale, const Clock& clock, OnCommit on_commit)
    : scheduler_(scheduler),
      tale_(tale),
      clock_(clock),
      on_commit_(std::move(on_commit)),
      tables_(judge::open_memory_store(database_, clock)) {}

judge::Identity SqlServer::open_instance() {
  const auto identity = tables_->open_instance();
  CHECK(identity.has_value());
  return *identity;
}

std::unique_ptr<judge::Store> SqlServer::open_store(const Client& client) {
  return open_sql_store({client, *this});
}

std::unique_ptr<judge::Reader> SqlServer::open_reader(const Client& client) {
  return open_slow_reader(client, look());
}

std::unique_ptr<judge::OrderIndex> SqlServer::open_order_index(const Client& client) {
  return open_slow_index(client, judge::make_memory_order_index());
}

SqlServer::TransactionId SqlServer::begin() {
  transactions_.emplace(next_, Transaction());
  return next_++;
}

void SqlServer::abort(TransactionId id) { end(id); }

void SqlServer::abandon(TransactionId id, Micros notices_after) {
  stop_waiting(id);
  if (is_open(id)) transactions_.at(id).abandoned = true;
  // When all is well again a server does not sit on what is lost for long either: its time limits see to it.
  scheduler_.after(notices_after, [this, id] {
    if (is_open(id)) tale_.tell("sql", "rolls back t" + std::to_string(id) + ", whose client has gone");
    end(id);
  });
}

void SqlServer::end(TransactionId id) {
  const auto found = transactions_.find(id);
  if (found == transactions_.end()) return;
  const std::set<RowName> locks = std::move(found->second.locks);
  transactions_.erase(found);
  for (const RowName& row : locks) {
    const auto lock = locks_.find(row);
    lock->second.erase(id);
    if (lock->second.empty()) locks_.erase(lock);
    wake_waiters(row);
  }
}

bool SqlServer::permits(const Holders& holders, TransactionId id, LockMode mode) {
  return std::ranges::all_of(holders, [&](const auto& holder) {
    const auto& [other, other_mode] = holder;
    return other == id || (mode == LockMode::shared && other_mode == LockMode::shared);
  });
}

bool SqlServer::try_lock(TransactionId id, const RowName& row, LockMode mode) {
  CHECK(is_open(id));
  Holders& holders = locks_[row];
  if (!permits(holders, id, mode)) return false;
  const auto [held, added] = holders.emplace(id, mode);
  if (mode == LockMode::exclusive) held->second = mode;
  transactions_.at(id).locks.insert(row);
  return true;
}

void SqlServer::release(TransactionId id, const RowName& row) {
  if (transactions_.at(id).locks.erase(row) == 0) return;
  const auto lock = locks_.find(row);
  lock->second.erase(id);
  if (lock->second.empty()) locks_.erase(lock);
  wake_waiters(row);
}

bool SqlServer::holds(TransactionId id, const RowName& row, LockMode mode) const {
  const auto holders = locks_.find(row);
  if (holders == locks_.end()) return false;
  const auto held = holders->second.find(id);
  return held != holders->second.end() && (mode == LockMode::shared || held->second == LockMode::exclusive);
}

bool SqlServer::is_taken(TransactionId id, const RowName& row) const {
  const auto holders = locks_.find(row);
  return holders != locks_.end() &&
         std::ranges::any_of(holders->second, [&](const auto& holder) { return holder.first != id; });
}

bool SqlServer::is_held_by_silent(const RowName& row) const {
  const auto holders = locks_.find(row);
  return holders != locks_.end() && std::ranges::any_of(holders->second, [&](const auto& holder) {
           return transactions_.at(holder.first).abandoned;
         });
}

// Follows who waits for whom, from the holders of this row on.
bool SqlServer::is_deadlock(TransactionId id, const RowName& row, LockMode mode) const {
  std::set<TransactionId> seen;
  std::vector<std::pair<RowName, TransactionId>> open{{row, id}};
  while (!open.empty()) {
    const auto [wanted, waiter] = open.back();
    open.pop_back();
    const LockMode wanted_mode = waiter == id ? mode : transactions_.at(waiter).waiting->mode;
    const auto holders = locks_.find(wanted);
    if (holders == locks_.end()) continue;
    for (const auto& [holder, held] : holders->second) {
      if (holder == waiter || (wanted_mode == LockMode::shared && held == LockMode::shared)) continue;
      if (holder == id) return true;
      if (!seen.insert(holder).second) continue;
      const std::optional<Waiting>& next = transactions_.at(holder).waiting;
      if (next) open.emplace_back(next->row, holder);
    }
  }
  return false;
}

void SqlServer::wait(TransactionId id, const RowName& row, LockMode mode, Fiber& fiber) {
  transactions_.at(id).waiting = Waiting{row, mode, &fiber};
}

void SqlServer::stop_waiting(TransactionId id) {
  const auto found = transactions_.find(id);
  if (found != transactions_.end()) found->second.waiting.reset();
}

// All of them, in the order of their transactions: the first to come gets the lock, the others go on waiting.
void SqlServer::wake_waiters(const RowName& row) {
  for (const auto& [id, transaction] : transactions_) {
    if (transaction.waiting && transaction.waiting->row == row) transaction.waiting->fiber->wake();
  }
}

Result<void> SqlServer::write(TransactionId id, const State& state, BatchId batch, Time now) {
  auto written = with_tables([&](judge::Store& tables) { return tables.write(state, batch, now); });
  if (written) transactions_.at(id).written = Written{state, batch, now};
  return written;
}

bool SqlServer::commit(TransactionId id) {
  const auto found = transactions_.find(id);
  if (found == transactions_.end()) return false;
  CHECK(found->second.written.has_value());
  const Written written = *std::move(found->second.written);
  CHECK(tables_->begin().has_value());
  // The rows are locked since they were loaded or written, so nothing can have come between.
  if (const auto again = tables_->write(written.state, written.batch, written.now); !again) {
    complain("a lock was lost before commit: " + again.error().message);
    tables_->rollback();
    end(id);
    return false;
  }
  CHECK(tables_->commit().has_value());
  end(id);
  on_commit_(written.state, written.batch, written.now);
  return true;
}

}  // namespace gavel::sim
