// Judge: the only authority on who gets a unit. Batches in, verdicts out, one transaction each.
//
//   1 plan     which rows the batch touches
//   2 load     one transaction; everything is locked, then the time is read
//   3 decide   each command in order of arrival, by rules::decide
//   4 write    guarded updates, inserts, the batch row
//   5 commit   durable, then and only then is anything answered
//
// One Judge serves one lane: one thread, one store connection, one series of batch numbers. It never calls
// anything but its store between begin and commit (A27).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "judge/metrics.h"
#include "judge/rows_bound.h"
#include "judge/store.h"
#include "ops/log.h"
#include "rules/command.h"
#include "rules/decide.h"
#include "rules/verdict.h"

namespace gavel::judge {

struct JudgeLimits {
  int attempts_max = 5;               // Tries of one batch that meets conflicts, before it is halved.
  Duration pause_max{20};             // Longest pause between two of them; drawn at random up to it.
  std::size_t due_orders_max = 8192;  // Due holds that one batch may release on the way.
  // Rows that one transaction writes, released holds included (rows_bound.h). One command by itself may need
  // more, but the largest order does not.
  std::size_t batch_rows_max = 16'384;
  int resolve_attempts_max = 20;  // Tries to resolve a commit in doubt within one call of apply.
};

static_assert(rows_of_order_max <= JudgeLimits().batch_rows_max);

class Judge {
 public:
  using Pause = std::function<void(Duration)>;  // Sleeps; the simulator's only advances its clock.
  // Receives the state of every batch once its end is known, on the lane's thread and before the verdicts are
  // returned: what was committed, or what was loaded and left unchanged. A batch in doubt is reported when it
  // is known to be committed, which may be in a later call of apply, before the batches of that call. The
  // observer must not block.
  using Observer = std::function<void(const rules::State&)>;

  // All references outlive the judge. No I/O happens before apply.
  Judge(Store& store, Log& log, Random random, Pause pause, rules::Policy policy, JudgeLimits limits,
        Metrics metrics = {}, Observer observer = nullptr);

  // Decides the first of `commands`, at least one: all of them, unless they would write more rows than one
  // transaction may. One transaction, or, if the store refuses the batch as a whole, several. One verdict per
  // command that was decided, in order; a verdict that acts or is recorded is durable. Blocks. Thread: the
  // lane's.
  //
  // Errors are of the whole call: unavailable  certainly nothing was done for any command unknown      some
  // commands may have been executed: the callers get outcome_unknown, and retry with their keys
  //   broken       as unknown, and the process must stop
  Result<std::vector<rules::Verdict>> apply(std::span<const rules::Command> commands);

  // No command is waiting: the store may do its other work (store.h). Blocks. Thread: the lane's. `broken`:
  // the process must stop; `unavailable`: it will be done later.
  Result<void> idle();

  // Whether a batch could begin at this moment: begins one, as apply does, and gives it up. Blocks. Thread:
  // the lane's. Errors as those of apply, before anything is decided.
  Result<void> try_begin();

 private:
  using Verdicts = std::vector<rules::Verdict>;

  Result<Verdicts> persist(std::span<const rules::Command> commands);
  Result<Verdicts> attempt(std::span<const rules::Command> commands);
  Verdicts decide(rules::State& state, std::span<const rules::Command> commands, Time now) const;
  Result<Verdicts> resolve_or_stay(Verdicts verdicts);
  void tell(const rules::State& state) const;
  void tell_shortage(const rules::State& state, const rules::Flow& flow) const;
  Result<std::optional<Resolution>> resolve_in_doubt();
  Result<void> ensure_lane();
  Result<void> timed_commit();
  std::unexpected<Error> abandon(Error error);
  Verdicts give_up(const Error& error);

  Store& store_;
  Log& log_;
  Random random_;
  Pause pause_;
  const rules::Policy policy_;
  const JudgeLimits limits_;
  const Metrics metrics_;
  const Observer observer_;
  std::optional<rules::LaneId> lane_;
  std::int64_t next_n_ = 1;
  Time latest_ = Time::min();  // The time of the latest batch that was loaded.
  // The state that batch next_n_ has written, if the end of its commit is unknown. No other batch may begin
  // before it is known.
  std::optional<rules::State> in_doubt_;
};

}  // namespace gavel::judge
