// Pipeline: the life of a request, narrated by one function: read serve() in pipeline.cc first.
//
//   caller ─► form ─► admission ─► key in process? ─► gate ─► lane (judge) ─► verdict ─► caller
//
// If nothing is gated, the gate is not asked, and the judge sees every request (A10, D1). Everything here
// runs on one executor (one thread); only the lane's callback arrives from another thread and delivers its
// verdict here. The pipeline outlives its callers' coroutines.
//
// Deadlines, from the moment at which a request was admitted:
//
//   judge_within    Of a call with several commands it counts from the call, for all of them. A request that
//                   the judge has not begun by then is refused as `overloaded`, wherever it
//                   waits, at the gate or in the lane's queue, and whatever the lane is at meanwhile:
//                   certainly nothing was done, so the caller may try again.
//   answer_within   A request that the judge was given and has not answered by then: the caller is told
//                   `outcome_unknown`, and its key stays in process until the verdict. At the gate nothing
//                   can have been done, so there the earlier of the two deadlines means `overloaded`, never
//                   `outcome_unknown`.
#pragma once

#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

#include "base/clock.h"
#include "base/mutex.h"
#include "ops/log.h"
#include "pipeline/admission.h"
#include "pipeline/gate_client.h"
#include "pipeline/keys_in_process.h"
#include "pipeline/lanes.h"
#include "pipeline/metrics.h"
#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"
#include "stage/task.h"

namespace gavel::pipeline {

struct PipelineLimits {
  std::size_t in_flight_max;  // Requests between entrance and verdict.
  Duration judge_within;      // Both above 0.
  Duration answer_within;
  std::size_t call_commands_max = 2'000;  // Commands of one call that are in flight at a time. At least 1.
};

class Pipeline {
 public:
  // Without a gate client there is no gate; with one, the modes are obeyed (D1). All references outlive the
  // pipeline.
  Pipeline(boost::asio::any_io_executor executor, Lanes& lanes, const Clock& clock, Log& log,
           Sampler& sampler, PipelineLimits limits, Metrics metrics = {}, GateClient* gate = nullptr);

  // Requests that still wait are dropped without an answer, as by a crash.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Decides one command. Never throws; resumes on the pipeline's executor. The command goes on to its verdict
  // even if nobody waits for it any more.
  boost::asio::awaitable<rules::Verdict> submit(rules::Command command);

  // Decides commands that came together but depend on nothing of one another: each is admitted, refused and
  // judged as if it had come alone, in their order, a bounded number at a time. Resumes once, when the last
  // has its verdict; one verdict each, in order. Never throws.
  boost::asio::awaitable<std::vector<rules::Verdict>> submit_all(std::vector<rules::Command> commands);

  // True while a request with this id has no verdict yet.
  bool in_process(const rules::RequestId& id) const { return keys_.contains(id); }

  // Answers the callers of requests that are overdue, here, at the gate and in the lanes. Called ten times a
  // second or so, on the executor's thread.
  void step(Duration steady_now);

  std::size_t in_flight() const { return admission_.in_flight(); }

 private:
  using Answer = std::move_only_function<void(rules::Verdict)>;
  using KeyEntry = std::optional<KeysInProcess::Entry>;
  using AutoUnlink =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  // A request that was admitted. It lives in the frame of its serve().
  struct Request : AutoUnlink {
    Request(std::string_view act_word, Duration entered, Duration judge_until, KeyEntry key_entry,
            Answer callback)
        : act(act_word), since(entered), judge_by(judge_until), key(key_entry), answer(std::move(callback)) {}

    const std::string_view act;
    const Duration since;
    const Duration judge_by;            // The judge begins with it until then.
    const KeyEntry key;                 // Until it is left.
    Answer answer;                      // Empty once the caller was told outcome_unknown.
    bool at_judge = false;              // The lane has taken it, so something may be done.
    std::coroutine_handle<> suspended;  // Its serve(), while that waits.
    stage::Await<rules::Verdict>::Callback on_verdict;
  };

  // Commands that came together, until the last of them has its verdict.
  struct Call {
    std::vector<rules::Command> commands;  // Those that are served are empty.
    std::vector<rules::Verdict> verdicts;
    Duration judge_by;
    std::move_only_function<void(std::vector<rules::Verdict>)> answer;
    std::size_t served = 0;
    std::size_t answered = 0;
    bool is_serving = false;
  };

  stage::Task serve(rules::Command command, Duration judge_by, Answer answer);
  void serve_some(const std::shared_ptr<Call>& call);
  rules::Verdict refuse(rules::Outcome outcome);
  rules::Verdict refuse_malformed(const std::string& wrong);
  std::optional<rules::Verdict> enter_key(const rules::Command& command, KeyEntry& entry);
  void leave_key(const Request& request);
  stage::Await<GateClient::Result> ask_gate(Request& request, const rules::Command& command);
  stage::Await<rules::Verdict> ask_judge(Request& request, rules::Command& command);
  void count_refusal(const rules::Command& command, const rules::Verdict& refusal);
  void release(const GateClient::Token& token, const rules::Verdict& verdict);
  void rebalance(rules::ItemId item);
  void advise(rules::Verdict& verdict);
  void log(const Request& request, const rules::Verdict& verdict);
  void deliver(Request& request, rules::Verdict verdict) GAVEL_EXCLUDES(mutex_);
  void collect() GAVEL_EXCLUDES(mutex_);

  boost::asio::any_io_executor executor_;
  Lanes& lanes_;
  const Clock& clock_;
  Log& log_;
  Sampler& sampler_;
  const PipelineLimits limits_;
  const Metrics metrics_;
  GateClient* const gate_;
  Admission admission_;
  KeysInProcess keys_;
  boost::intrusive::list<Request, boost::intrusive::constant_time_size<false>> requests_;  // By arrival.

  Mutex mutex_;
  std::vector<std::pair<Request*, rules::Verdict>> delivered_ GAVEL_GUARDED_BY(mutex_);  // By the lane.
};

// Has `metrics` read what is in flight, on the executor's thread. Both outlive the readings.
void watch(MetricsRegistry& metrics, const Pipeline& pipeline);

}  // namespace gavel::pipeline
