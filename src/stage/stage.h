// Stage<In, Out>: the batching stage, the one place where requests of many callers become one batch.
//
//   offer() ──► bounded queue ──► step(): seal what waits ──► work(batch) ──► one answer each
//
// As soon as it is free, a stage takes everything that is waiting, up to a limit. More load makes batches
// larger instead of queues longer, and there is no artificial delay. Parties take turns (turn_queue.h).
// Background entries yield to callers' entries for one batch if the callers' are fewer. What work leaves of a
// batch is the first of its party in the next one. A stage knows nothing about what it carries. It is driven
// either by one thread inside run(), or by calls of step() from one thread (tests, simulation), never by
// both. Neither may be called from within work, an answer or idle; offer(), close() and waiting() may be.
//
// While work hangs, nothing is sealed: whoever drives nothing but watches the time calls answer_late(), so
// that an entry that waits gets its answer in time whatever becomes of the batch before it.
//
// No exception passes through a stage. One that is thrown by work, by an answer, by idle or for lack of
// memory ends the process, because it would be unknown what was done, and the callers would wait for ever.
// Work turns failures into answers.
//
// Before a stage is destroyed, run() and every offer() must have returned. Entries that are still waiting are
// dropped without a call of their Done, as in a crash; for an orderly end, close() it and let run() return.
//
// The idea is that of FoundationDB's commit batching and LevelDB's BuildBatchGroup.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "stage/turn_queue.h"

namespace gavel::stage {

struct Limits {
  std::size_t queue_max;  // Entries that wait; offer() refuses more. At least 1.
  std::size_t batch_max;  // Entries of one batch. At least 1.
  // Entries of one party that wait; none: queue_max. What is left of the queue is for the others.
  std::optional<std::size_t> party_max = std::nullopt;
};

// How often a driver that finds nothing to do calls Idle.
inline constexpr Duration idle_every{1'000};

enum class Rank {
  caller,      // Somebody waits for the answer.
  background,  // Nobody does.
};

template <class In, class Out>
class Stage {
 public:
  // Called once per entry, on the thread that drives the stage or calls answer_late(), and must not block.
  using Done = std::move_only_function<void(Out)>;

  // Answers a batch, one Out for each In and in the same order, or only the first of them, at least one: the
  // others stay in `batch`, which keeps its size, for the next one. Runs on the driving thread; may block.
  using Work = std::function<std::vector<Out>(std::vector<In>& batch)>;

  // Called when a batch is answered and nothing waits, and by run() about every idle_every while nothing
  // comes, on the driving thread; may block.
  using Idle = std::function<void()>;

  // The answer to an entry whose deadline passed before its batch was sealed: it was certainly not processed.
  // Made on the thread that calls Done.
  using Late = std::function<Out()>;

  Stage(Limits limits, const Clock& clock, Work work, Late late, Idle idle = nullptr)
      : limits_(limits),
        clock_(clock),
        work_(std::move(work)),
        late_(std::move(late)),
        idle_(std::move(idle)) {
    CHECK(work_ && late_);
    CHECK(limits_.queue_max >= 1);
    CHECK(limits_.batch_max >= 1);
    CHECK(!limits_.party_max || *limits_.party_max >= 1);
  }

  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Queues one entry; any thread; never blocks on work. False, with neither argument consumed, when the queue
  // is full or the stage is closed: certainly not done. `deadline` is in the clock's steady time; work that
  // has begun is never cut short by it. Both ranks share the queue's limit.
  bool offer(In& in, Duration deadline, Done& done, Rank rank = Rank::caller, Party party = 0) noexcept
      GAVEL_EXCLUDES(mutex_);

  // Seals one batch of the waiting entries, works on it and answers; returns how many entries were answered
  // (0 if none was waiting).
  std::size_t step() noexcept GAVEL_EXCLUDES(mutex_);

  // Answers the waiting entries whose deadline has passed, as step() would; returns how many. Any thread,
  // also while step() is at work.
  std::size_t answer_late() noexcept GAVEL_EXCLUDES(mutex_);

  // Steps until close() was called and the queue is empty. Blocks.
  void run() noexcept GAVEL_EXCLUDES(mutex_);

  // Refuses new entries; those queued are still worked on. Any thread; idempotent.
  void close() noexcept GAVEL_EXCLUDES(mutex_);

  // Entries that wait at this moment. Any thread.
  std::size_t waiting() const noexcept GAVEL_EXCLUDES(mutex_);

 private:
  struct Entry {
    In in;
    Duration deadline;
    Done done;
    Rank rank;
    Party party;
  };

  using Queue = TurnQueue<Entry>::Queue;

  enum class Wake { entries, nothing, end };

  Queue seal() GAVEL_EXCLUDES(mutex_);
  void put_back(Queue& entries, std::vector<In>& batch, std::size_t answered) GAVEL_EXCLUDES(mutex_);
  bool has_room(Party party) const GAVEL_REQUIRES(mutex_);
  TurnQueue<Entry>& queue_of(Rank rank) GAVEL_REQUIRES(mutex_) {
    return rank == Rank::caller ? callers_ : background_;
  }
  Wake wait() GAVEL_EXCLUDES(mutex_);
  std::size_t count() const GAVEL_REQUIRES(mutex_) { return callers_.size() + background_.size(); }

  const Limits limits_;
  const Clock& clock_;
  const Work work_;
  const Late late_;
  const Idle idle_;
  mutable Mutex mutex_;
  Condition arrived_;
  TurnQueue<Entry> callers_ GAVEL_GUARDED_BY(mutex_);
  TurnQueue<Entry> background_ GAVEL_GUARDED_BY(mutex_);
  bool passed_by_ GAVEL_GUARDED_BY(mutex_) = false;  // Whether the last batch left the background waiting.
  bool closed_ GAVEL_GUARDED_BY(mutex_) = false;
};

// NOLINTBEGIN(misc-confusable-identifiers): `In` is like the name of a parameter within Boost, `ln`.
template <class In, class Out>
bool Stage<In, Out>::offer(In& in, Duration deadline, Done& done, Rank rank, Party party) noexcept {
  CHECK(done != nullptr);
  {
    const MutexLock lock(mutex_);
    if (closed_ || !has_room(party)) return false;
    queue_of(rank).push_back(Entry{std::move(in), deadline, std::move(done), rank, party});
    // Only the entry that ends emptiness wakes the driver: it begins to wait under this lock and on an empty
    // queue, so whoever makes the queue grow further finds it awake or about to be. Where answer_late()
    // empties the queue, the next entry ends emptiness again.
    if (count() > 1) return true;
  }
  // Outside the lock, which the woken driver wants at once.
  arrived_.notify_one();
  return true;
}

template <class In, class Out>
bool Stage<In, Out>::has_room(Party party) const {
  if (count() >= limits_.queue_max) return false;
  if (!limits_.party_max) return true;
  return callers_.size_of(party) + background_.size_of(party) < *limits_.party_max;
}

template <class In, class Out>
std::size_t Stage<In, Out>::step() noexcept {
  Queue sealed = seal();
  CHECK(sealed.size() <= limits_.batch_max);
  const Duration now = clock_.steady();
  std::vector<In> batch;
  Queue entries;
  batch.reserve(sealed.size());
  for (Entry& entry : sealed) {
    if (entry.deadline < now) {
      entry.done(late_());
      continue;
    }
    batch.push_back(std::move(entry.in));
    entries.push_back(std::move(entry));
  }
  const std::size_t late = sealed.size() - entries.size();
  if (batch.empty()) return late;
  std::vector<Out> answers = work_(batch);
  CHECK(answers.size() >= 1 && answers.size() <= entries.size());
  put_back(entries, batch, answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) entries[i].done(std::move(answers[i]));
  if (idle_ && waiting() == 0) idle_();
  return late + answers.size();
}

// What was sealed had its place in the queue before those that came since.
template <class In, class Out>
void Stage<In, Out>::put_back(Queue& entries, std::vector<In>& batch, std::size_t answered) {
  if (answered == entries.size()) return;
  CHECK(batch.size() == entries.size());
  const MutexLock lock(mutex_);
  for (; entries.size() > answered; entries.pop_back(), batch.pop_back()) {
    Entry& entry = entries.back();
    entry.in = std::move(batch.back());
    queue_of(entry.rank).push_front(std::move(entry));
  }
}

template <class In, class Out>
std::size_t Stage<In, Out>::answer_late() noexcept {
  Queue late;
  // Deadlines mostly stand in the order of arrival, but for those of entries that waited elsewhere before.
  const auto is_late = [now = clock_.steady()](const Entry& entry) { return entry.deadline < now; };
  {
    const MutexLock lock(mutex_);
    callers_.take_if(late, is_late);
    background_.take_if(late, is_late);
  }
  for (Entry& entry : late) entry.done(late_());
  return late.size();
}

template <class In, class Out>
void Stage<In, Out>::run() noexcept {
  while (true) {
    switch (wait()) {
      case Wake::entries:
        step();
        break;
      case Wake::nothing:
        if (idle_) idle_();
        break;
      case Wake::end:
        return;
    }
  }
}

template <class In, class Out>
typename Stage<In, Out>::Wake Stage<In, Out>::wait() {
  const MutexLock lock(mutex_);
  if (count() == 0 && !closed_) arrived_.wait_for(mutex_, idle_every);
  if (count() > 0) return Wake::entries;
  return closed_ ? Wake::end : Wake::nothing;
}

template <class In, class Out>
void Stage<In, Out>::close() noexcept {
  const MutexLock lock(mutex_);
  closed_ = true;
  // Under the lock: once it is let go, run() may return and the stage be destroyed.
  arrived_.notify_one();
}

template <class In, class Out>
std::size_t Stage<In, Out>::waiting() const noexcept {
  const MutexLock lock(mutex_);
  return count();
}

template <class In, class Out>
typename Stage<In, Out>::Queue Stage<In, Out>::seal() {
  Queue sealed;
  const MutexLock lock(mutex_);
  // Many callers lose little by the background's company, and in a rush it would wait for a batch in two.
  const bool pass_by = !callers_.empty() && callers_.size() < background_.size() && !passed_by_;
  passed_by_ = pass_by;
  if (!pass_by) background_.take(sealed, limits_.batch_max);
  callers_.take(sealed, limits_.batch_max);
  return sealed;
}

// NOLINTEND(misc-confusable-identifiers)

}  // namespace gavel::stage
