// SoldOutCheck: whether "sold out" is the only possible answer of the judge to a request that the closed gate
// would turn away (A8; docs/gate-protocol.md, CONFIRM).
//
//   ask ─► waits for the next read ─► one committed read for all that wait ─► the result of each
//
// The gate is never believed: its "closed" is confirmed by a committed read that began after the request
// came. That read asks, in one state of the database, whether the item's generation is still the empty one,
// whether a hold on it is due (C9), whether the key is in use (A9), and whether the sale is open. One read at
// a time serves all waiting requests, on a reader of its own, so that no long question delays it.
//
// Everything runs on the pipeline's executor. It outlives the executor's work and the stage's answers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "ops/log.h"
#include "pipeline/executor.h"
#include "pipeline/gate_modes.h"
#include "pipeline/gate_reads.h"
#include "pipeline/metrics.h"
#include "rules/state.h"

namespace gavel::pipeline {

class SoldOutCheck {
 public:
  struct Request {
    rules::ItemId item;
    rules::RequestId key;
    StockPool pool;
    std::int64_t shut;  // The generation that the gate calls empty; of a reply in which closed() held.
  };

  enum class Finding : std::uint8_t {
    sold_out,     // Nothing is left, and nothing else could be said.
    undecided,    // The judge's word: something may be left, or the key, a hold or the activity matters.
    reopened,     // Units came back since; all buckets are to be told of `generation`.
    corrupted,    // The gate knows a generation that never began, or calls empty what is not.
    unavailable,  // The read failed: nothing is known, so nothing can be said.
  };

  struct Result {
    Finding finding;
    std::int64_t generation = 0;  // The item's, of `sold_out` and `reopened`.
    Time at{};                    // The time of the read, of `sold_out`.
  };
  using Callback = std::move_only_function<void(const Result&)>;

  // `reads` is the gate's own; references outlive this.
  SoldOutCheck(Executor& executor, GateReads& reads, const Clock& clock, Log& log, GateMetrics metrics);

  SoldOutCheck(const SoldOutCheck&) = delete;
  SoldOutCheck& operator=(const SoldOutCheck&) = delete;

  // Calls `done` once, on the executor, perhaps before this returns.
  void ask(Request request, Callback done);

 private:
  struct Waiting {
    Request request;
    Callback done;
  };

  void read_for_all();
  void finish(std::vector<Waiting>& batch, const gavel::Result<judge::SoldOutQueryResult>& found,
              Duration begun);
  static void answer_all(std::vector<Waiting>& batch, const judge::SoldOutQueryResult& found, Time now);
  void warn_if_slow(Duration took, std::size_t requests);

  Executor& executor_;
  GateReads& reads_;
  const Clock& clock_;
  Log& log_;
  const GateMetrics metrics_;
  std::vector<Waiting> waiting_;  // For the next read.
  bool reading_ = false;
};

}  // namespace gavel::pipeline
