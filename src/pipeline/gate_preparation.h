// GatePreparation: what warming, checking and opening an activity do at the gate, before the judge (B12, B13;
// docs/adr/0014).
//
//   warm          states the activity's items to their buckets, and waits until all have the statement
//   check, open   compare what the buckets show with what the judge has
//
// Items that are not gated are not touched. The judge says what is wrong with the act itself. Runs on the
// pipeline's executor.
#pragma once

#include <chrono>
#include <coroutine>
#include <functional>
#include <optional>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "gate/gate.h"
#include "ops/log.h"
#include "pipeline/executor.h"
#include "pipeline/gate_modes.h"
#include "pipeline/gate_reads.h"
#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"
#include "stage/task.h"

namespace gavel::pipeline {

class GatePreparation {
 public:
  // The part of an act at the gate, and the activity it is about.
  struct Act {
    rules::RequestId key;
    rules::ActivityCode activity;
    // The first state in which it has a part: from draft on it loads the gate, from a later one it compares.
    rules::ActivityState from;
  };
  static std::optional<Act> act_of(const rules::Command& command);

  // Whether one more item may be led through the gate, or this one is already.
  using HasRoom = std::function<bool(rules::ItemId)>;

  // The refusal: not_ready where the gate does not answer, mismatch with both numbers of the first bucket
  // that differs, overloaded where the judge cannot be read. Nothing: the judge decides.
  using Callback = std::move_only_function<void(std::optional<rules::Verdict>)>;

  // References outlive this. Requests are remembered for `requests_kept` (A28).
  GatePreparation(Executor& executor, gate::Gate& gate, rules::Incarnation incarnation, GateReads& reads,
                  Log& log, const GateModes& modes, HasRoom has_room, std::chrono::hours requests_kept);

  // What is under way ends without an answer; Gate::close() was called.
  ~GatePreparation();
  GatePreparation(const GatePreparation&) = delete;
  GatePreparation& operator=(const GatePreparation&) = delete;

  // Calls `done` once, on the executor, perhaps before it returns.
  stage::Task prepare(Act act, Callback done);

 private:
  using AutoUnlink =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  // One prepare() that is under way.
  struct Running : AutoUnlink {
    std::coroutine_handle<> suspended;
  };
  using Snapshot = Result<judge::ActivitySnapshot>;
  using Erased = std::vector<Result<void>>;
  using Replies = std::vector<Result<gate::Reply>>;
  using Buckets = std::vector<Result<std::optional<gate::Bucket>>>;

  stage::Await<Snapshot> read_activity(Running& running, const Act& act);
  stage::Await<Erased> erase(Running& running, const rules::Item& item);
  stage::Await<Replies> state(Running& running, const rules::Item& item);
  stage::Await<Buckets> read_buckets(Running& running, const rules::Item& item);
  bool is_judges(const judge::ActivitySnapshot& found, const Act& act) const;
  std::optional<rules::Verdict> find_mismatch(const StockPool& pool, const rules::Item& item,
                                              const Buckets& buckets);

  Executor& executor_;
  gate::Gate& gate_;
  const rules::Incarnation incarnation_;
  GateReads& reads_;
  Log& log_;
  const GateModes& modes_;
  const HasRoom has_room_;
  const std::chrono::hours requests_kept_;
  boost::intrusive::list<Running, boost::intrusive::constant_time_size<false>> running_;
};

}  // namespace gavel::pipeline
