// Lane: a batching stage with a judge behind it. Commands of many callers in, their verdicts out, one
// transaction for all that waited.
//
// offer() may be called from any thread; run(), or step(), from the one thread that owns the judge. What the
// judge could not decide is answered honestly: `overloaded` where certainly nothing was done,
// `outcome_unknown` where something may have been. When the store is broken, on_broken is called once, on the
// lane's thread, and nothing is acknowledged any more: the process is about to stop. Whoever else finds the
// store broken, another lane or a job, ends the acknowledging by stop_acknowledging().
//
// A lane is stuck while nothing can be decided: its last batch came back undecided, or the present one has
// been with the judge for stuck_after. Where nothing comes, run() tries about once a second whether a batch
// could begin, so that a lane knows it without callers and goes on without them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "judge/judge.h"
#include "ops/log.h"
#include "pipeline/metrics.h"
#include "rules/command.h"
#include "rules/verdict.h"
#include "stage/stage.h"

namespace gavel::pipeline {

// No transaction lasts longer while all is well (docs/adr/0003).
inline constexpr Duration stuck_after{2'000};

// Each caller is a party: callers take turns (A20).
inline stage::Party party_of(const rules::Command& command) {
  return std::hash<std::string_view>()(command.caller.text());
}

class Lane {
 public:
  using Commands = stage::Stage<rules::Command, rules::Verdict>;
  using Done = Commands::Done;
  using OnBroken = std::function<void(const std::string& why)>;

  Lane(judge::Judge& judge, stage::Limits limits, const Clock& clock, Log& log, OnBroken on_broken,
       Metrics metrics = {});

  // As Stage::offer: false, and neither argument consumed, when the queue is full or the lane closed.
  bool offer(rules::Command& command, Duration deadline, Done& done, stage::Rank rank = stage::Rank::caller) {
    const stage::Party party = party_of(command);
    return stage_.offer(command, deadline, done, rank, party);
  }
  std::size_t step() { return stage_.step(); }
  void run() { stage_.run(); }
  void close() { stage_.close(); }
  std::size_t waiting() const { return stage_.waiting(); }
  // Answers those that have waited too long `overloaded`, whatever the judge is at. Any thread.
  std::size_t answer_late() { return stage_.answer_late(); }

  // Commands that have not begun are answered `overloaded` from here on, and those of a batch that is under
  // way `outcome_unknown`, for the store cannot be trusted. Any thread; idempotent.
  void stop_acknowledging() { stopped_ = true; }

  // One line for people while the lane is stuck. Any thread.
  std::optional<std::string> why_stuck() const GAVEL_EXCLUDES(mutex_);

  // Commands that the judge was given so far. Any thread.
  std::uint64_t decided() const { return decided_.load(std::memory_order_relaxed); }

 private:
  std::vector<rules::Verdict> decide(const std::vector<rules::Command>& commands);
  std::vector<rules::Verdict> judge(const std::vector<rules::Command>& commands);
  void idle();
  bool is_quiet() const GAVEL_EXCLUDES(mutex_);
  void try_begin();
  void begin() GAVEL_EXCLUDES(mutex_);
  void end(const std::string& why_undecided) GAVEL_EXCLUDES(mutex_);
  void break_off(const Error& error);

  judge::Judge& judge_;
  const Clock& clock_;
  Log& log_;
  const OnBroken on_broken_;
  const Metrics metrics_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> decided_{0};
  mutable Mutex mutex_;
  std::optional<Duration> begun_at_ GAVEL_GUARDED_BY(mutex_);  // Of what the judge is at; the steady time.
  Duration ended_at_ GAVEL_GUARDED_BY(mutex_){0};              // Of what it was at last.
  std::string why_undecided_ GAVEL_GUARDED_BY(mutex_);         // Of the same; empty: it was decided.
  Commands stage_;
};

}  // namespace gavel::pipeline
