// Pipeline: the life of a request, narrated by one function. Read begin() in pipeline.cc first.
//
//   caller ─► form ─► admission ─► key in process? ─► gate ─► lane (judge) ─► verdict ─► caller
//
// In mode `direct` the gate is not asked, and the judge sees every request (A10, D1). Everything here runs on
// one executor (one thread); only the lane's callback arrives from another thread and delivers its verdict
// here. The pipeline outlives its coroutines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/mutex.h"
#include "ops/log.h"
#include "pipeline/admission.h"
#include "pipeline/lanes.h"
#include "pipeline/metrics.h"
#include "pipeline/turnstile.h"
#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::pipeline {

struct PipelineLimits {
  std::size_t in_flight_max;  // Requests between entrance and verdict.
  Duration judge_within;      // A request not begun by the judge within this is refused: certainly not done.
  Duration answer_within;  // A caller is told outcome_unknown after this; its key stays in process until the
                           // verdict.
};

class Pipeline {
 public:
  // Without a turnstile there is no gate; with one, the modes are obeyed (D1). All references outlive the
  // pipeline.
  Pipeline(boost::asio::any_io_executor executor, Lanes& lanes, const Clock& clock, Log& log,
           Sampler& sampler, PipelineLimits limits, Metrics metrics = {}, Turnstile* turnstile = nullptr);

  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Decides one command. Never throws; resumes on the pipeline's executor. The command goes on to its verdict
  // even if nobody waits for it any more.
  boost::asio::awaitable<rules::Verdict> submit(rules::Command command);

  // Decides commands that came together but depend on nothing of one another: each is admitted, refused and
  // judged as if it had come alone, in their order. Resumes once, when the last has its verdict; one verdict
  // each, in order. Never throws.
  boost::asio::awaitable<std::vector<rules::Verdict>> submit_all(std::vector<rules::Command> commands);

  // True while a request with this id has no verdict yet.
  bool in_process(const rules::RequestId& id) const { return keys_.contains(id); }

  // Tells callers whose answer is overdue that the outcome is unknown. Called regularly, on the executor's
  // thread.
  void step(Duration steady_now);

  std::size_t in_flight() const { return admission_.in_flight(); }

 private:
  using Answer = std::move_only_function<void(rules::Verdict)>;

  struct Waiting {
    std::optional<rules::RequestId> key;
    std::string_view act;
    Duration since;
    Answer answer;                                         // Empty once the caller was told outcome_unknown.
    std::optional<Turnstile::Token> token = std::nullopt;  // Dropped when the verdict is known.
    std::optional<rules::ItemId> denied = std::nullopt;    // What the gate had too few of (A7).
  };

  // Commands that came together, until the last of them has its verdict.
  struct Group {
    std::vector<rules::Verdict> verdicts;
    std::size_t open = 0;
    std::move_only_function<void(std::vector<rules::Verdict>)> answer;
  };

  void begin(rules::Command command, Answer answer);
  rules::Verdict refuse(rules::Outcome outcome);
  rules::Verdict malformed(const std::string& wrong);
  bool enter_key(const rules::Command& command);
  rules::Verdict leave(rules::Outcome outcome);
  void pass_gate(rules::Command command, Answer answer);
  rules::Verdict turn_away(const rules::Command& command, const rules::Verdict& refusal);
  void judge(rules::Command& command, const Turnstile::Passage& passage, Answer answer);
  void rebalance(rules::ItemId item);
  void deliver(std::uint64_t ticket, rules::Verdict verdict) GAVEL_EXCLUDES(mutex_);
  void collect() GAVEL_EXCLUDES(mutex_);
  void finish(std::uint64_t ticket, rules::Verdict verdict);

  boost::asio::any_io_executor executor_;
  Lanes& lanes_;
  const Clock& clock_;
  Log& log_;
  Sampler& sampler_;
  const PipelineLimits limits_;
  const Metrics metrics_;
  Turnstile* const turnstile_;
  Admission admission_;
  std::set<rules::RequestId> keys_;
  std::map<std::uint64_t, Waiting> waiting_;  // By arrival, hence by deadline.
  std::uint64_t next_ticket_ = 1;

  Mutex mutex_;
  std::vector<std::pair<std::uint64_t, rules::Verdict>> delivered_
      GAVEL_GUARDED_BY(mutex_);  // By the lane, to tickets.
};

// Has `metrics` read what is in flight, on the executor's thread. Both outlive the readings.
void watch(MetricsRegistry& metrics, const Pipeline& pipeline);

}  // namespace gavel::pipeline
