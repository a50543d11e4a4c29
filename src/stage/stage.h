// Stage<In, Out>: the batching stage, the one place where requests of many callers become one batch.
//
//   offer() ──► bounded queue ──► step(): seal what waits ──► work(batch) ──► one answer each
//
// A stage takes whatever waits as soon as it is free, up to a limit: load makes batches bigger, not queues longer, and
// there is no artificial delay. It knows nothing of what it carries. It is driven either by one thread inside run(), or
// by calling step() from one thread (tests, simulation); never by both.
//
// After: FoundationDB's commit batching and LevelDB's BuildBatchGroup, in idea.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace gavel::stage {

struct Limits {
  std::size_t queue_max;  // Entries that wait; offer() refuses more. At least 1.
  std::size_t batch_max;  // Entries of one batch. At least 1.
};

template <class In, class Out>
class Stage {
 public:
  // Called once per entry, on the thread that drives the stage, and must not block or throw.
  using Done = std::move_only_function<void(Out)>;

  // Answers a whole batch, one Out for each In and in the same order. Runs on the driving thread; may block.
  using Work = std::function<std::vector<Out>(std::vector<In> batch)>;

  // What an entry gets whose deadline passed before its batch was sealed. It was certainly not worked on.
  using Late = std::function<Out()>;

  Stage(Limits limits, const Clock& clock, Work work, Late late)
      : limits_(limits), clock_(clock), work_(std::move(work)), late_(std::move(late)) {
    CHECK(limits_.queue_max >= 1);
    CHECK(limits_.batch_max >= 1);
  }

  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Queues one entry; any thread; never blocks on work. False, with neither argument consumed, when the queue is full
  // or the stage is closed: certainly not done. `deadline` is in the clock's steady time; work that has begun is never
  // cut short by it.
  bool offer(In& in, Duration deadline, Done& done) GAVEL_EXCLUDES(mutex_);

  // Seals one batch of what waits, works on it, answers; returns how many entries were answered (0: nothing waited).
  std::size_t step() GAVEL_EXCLUDES(mutex_);

  // Steps until close() was called and the queue is empty. Blocks.
  void run() GAVEL_EXCLUDES(mutex_);

  // Refuses new entries; those queued are still worked on. Any thread; idempotent.
  void close() GAVEL_EXCLUDES(mutex_);

  // Entries that wait at this moment. Any thread.
  std::size_t waiting() const GAVEL_EXCLUDES(mutex_);

 private:
  struct Entry {
    In in;
    Duration deadline;
    Done done;
  };

  std::vector<Entry> seal() GAVEL_EXCLUDES(mutex_);

  const Limits limits_;
  const Clock& clock_;
  const Work work_;
  const Late late_;
  mutable Mutex mutex_;
  Condition arrived_;
  std::deque<Entry> queue_ GAVEL_GUARDED_BY(mutex_);
  bool closed_ GAVEL_GUARDED_BY(mutex_) = false;
};

template <class In, class Out>
bool Stage<In, Out>::offer(In& in, Duration deadline, Done& done) {
  const MutexLock lock(mutex_);
  if (closed_ || queue_.size() >= limits_.queue_max) return false;
  queue_.push_back(Entry{std::move(in), deadline, std::move(done)});
  if (queue_.size() == 1) arrived_.notify_one();  // The driver waits only on an empty queue.
  return true;
}

template <class In, class Out>
std::size_t Stage<In, Out>::step() {
  std::vector<Entry> entries = seal();
  const std::size_t count = entries.size();
  const Duration now = clock_.steady();
  std::vector<In> batch;
  std::vector<Done> waiting;
  batch.reserve(count);
  waiting.reserve(count);
  for (Entry& entry : entries) {
    if (entry.deadline < now) {
      entry.done(late_());
      continue;
    }
    batch.push_back(std::move(entry.in));
    waiting.push_back(std::move(entry.done));
  }
  if (batch.empty()) return count;
  std::vector<Out> answers = work_(std::move(batch));
  CHECK(answers.size() == waiting.size());
  for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i](std::move(answers[i]));
  return count;
}

template <class In, class Out>
void Stage<In, Out>::run() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !closed_) arrived_.wait(mutex_);
      if (queue_.empty()) return;
    }
    step();
  }
}

template <class In, class Out>
void Stage<In, Out>::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  arrived_.notify_all();
}

template <class In, class Out>
std::size_t Stage<In, Out>::waiting() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

template <class In, class Out>
std::vector<typename Stage<In, Out>::Entry> Stage<In, Out>::seal() {
  const MutexLock lock(mutex_);
  std::vector<Entry> entries;
  const std::size_t count = std::min(queue_.size(), limits_.batch_max);
  entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return entries;
}

}  // namespace gavel::stage
