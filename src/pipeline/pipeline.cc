#include "pipeline/pipeline.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/check.h"
#include "rules/decide.h"
#include "stage/await.h"

namespace gavel::pipeline {
namespace {

using rules::Command;
using rules::Outcome;
using rules::Verdict;

}  // namespace

Pipeline::Pipeline(boost::asio::any_io_executor executor, Lanes& lanes, const Clock& clock, Log& log,
                   Sampler& sampler, PipelineLimits limits, Metrics metrics, GateClient* gate)
    : executor_(std::move(executor)),
      lanes_(lanes),
      clock_(clock),
      log_(log),
      sampler_(sampler),
      limits_(limits),
      metrics_(std::move(metrics)),
      gate_(gate),
      admission_(limits.in_flight_max) {
  CHECK(limits_.judge_within > Duration(0) && limits_.answer_within > Duration(0));
  CHECK(limits_.call_commands_max >= 1);
}

Pipeline::~Pipeline() {
  while (!requests_.empty()) requests_.front().suspended.destroy();
}

// The life of a request, from its form to its answer. A request that is refused at one stage does not reach
// the next one; what was taken on the way in is given back on the way out.
stage::Task Pipeline::serve(Command command, Duration judge_by, Answer answer) {
  // Form, admission, key.
  if (const auto wrong = rules::malformation(command)) co_return answer(refuse_malformed(*wrong));
  const stage::Party party = party_of(command);
  if (!admission_.enter(party)) co_return answer(refuse(Outcome::overloaded));
  KeyEntry key;
  if (auto refusal = enter_key(command, key)) {
    admission_.leave(party);
    co_return answer(*std::move(refusal));
  }
  Request request(rules::word(command.act), clock_.steady(), judge_by, key, std::move(answer));
  requests_.push_back(request);  // From here on its deadlines hold.

  // The gate turns away requests that cannot succeed. While nothing is gated it is not asked.
  GateClient::Result gate;
  if (gate_ != nullptr && gate_->any_gated()) gate = co_await ask_gate(request, command);

  // The lane leads to the judge, which decides.
  Verdict verdict;
  if (gate.refusal) {
    verdict = *std::move(gate.refusal);
    count_refusal(command, verdict);
  } else {
    if (gate.token) command.token = gate.token->key.bucket;
    verdict = co_await ask_judge(request, command);
  }

  // Token, key and place are free again, and the caller gets the answer if it is still waiting.
  if (gate.token) release(*gate.token, verdict);
  leave_key(request);
  admission_.leave(party);
  if (gate.denied && traits(verdict.outcome).act) rebalance(*gate.denied);
  log(request, verdict);
  advise(verdict);
  if (request.answer) request.answer(std::move(verdict));
}

boost::asio::awaitable<Verdict> Pipeline::submit(Command command) {
  co_return co_await stage::await_result<Verdict>([&](Answer answer) {
    serve(std::move(command), clock_.steady() + limits_.judge_within, std::move(answer));
  });
}

// One coroutine of Asio for all of them: a thousand of them would cost more than their verdicts.
boost::asio::awaitable<std::vector<Verdict>> Pipeline::submit_all(std::vector<Command> commands) {
  if (commands.empty()) co_return std::vector<Verdict>();
  co_return co_await stage::await_result<std::vector<Verdict>>([&](auto answer) {
    const auto call = std::make_shared<Call>();
    call->verdicts.resize(commands.size());
    call->commands = std::move(commands);
    call->judge_by = clock_.steady() + limits_.judge_within;
    call->answer = std::move(answer);
    serve_some(call);
  });
}

// As many as may be in flight, and no more, so that a large call fills neither the places nor the queue that
// others need (A20). An answer may come within serve(), hence `is_serving`.
void Pipeline::serve_some(const std::shared_ptr<Call>& call) {
  if (std::exchange(call->is_serving, true)) return;
  while (call->served < call->commands.size() && call->served - call->answered < limits_.call_commands_max) {
    const std::size_t i = call->served++;
    serve(std::move(call->commands[i]), call->judge_by, [this, call, i](Verdict verdict) {
      call->verdicts[i] = std::move(verdict);
      ++call->answered;
      serve_some(call);
    });
  }
  call->is_serving = false;
  if (call->answered < call->commands.size()) return;
  if (call->answer) std::exchange(call->answer, nullptr)(std::move(call->verdicts));
}

// Every refusal before the lane is counted here, or in count_refusal.
Verdict Pipeline::refuse(Outcome outcome) {
  metrics_.refused.add(outcome);
  return rules::verdict_of(outcome);
}

Verdict Pipeline::refuse_malformed(const std::string& wrong) {
  metrics_.refused.add(Outcome::malformed);
  return rules::malformed(wrong);
}

// A9: while a request is in process its key answers nobody else. Nothing: the key is entered, or there is
// none.
std::optional<Verdict> Pipeline::enter_key(const Command& command, KeyEntry& entry) {
  if (!command.key) return std::nullopt;
  auto entered = keys_.enter(command);
  if (entered) {
    entry = *entered;
    return std::nullopt;
  }
  metrics_.refused.add(entered.error().outcome);
  return std::move(entered.error());
}

void Pipeline::leave_key(const Request& request) {
  if (request.key) keys_.leave(*request.key);
}

// What waits at the gate was not begun by the judge, so the earlier deadline turns it away.
stage::Await<GateClient::Result> Pipeline::ask_gate(Request& request, const Command& command) {
  return {request.suspended, [this, &request, &command](GateClient::Callback done) {
            gate_->ask(command, std::min(request.judge_by, request.since + limits_.answer_within),
                       std::move(done));
          }};
}

// The verdict comes back over the executor.
stage::Await<Verdict> Pipeline::ask_judge(Request& request, Command& command) {
  return {request.suspended, [this, &request, &command](stage::Await<Verdict>::Callback on_verdict) {
            request.on_verdict = std::move(on_verdict);
            Lanes::Done done = [this, &request](Verdict verdict) { deliver(request, std::move(verdict)); };
            request.at_judge = lanes_.offer(command, request.judge_by, done);
            if (!request.at_judge) std::exchange(request.on_verdict, nullptr)(refuse(Outcome::overloaded));
          }};
}

// On the lane's thread. One post brings over all that a batch answers: each by itself would wake the
// executor's thread, which costs both of them more than the answer.
void Pipeline::deliver(Request& request, Verdict verdict) {
  {
    const MutexLock lock(mutex_);
    delivered_.emplace_back(&request, std::move(verdict));
    if (delivered_.size() > 1) return;  // Whoever delivered the first has posted.
  }
  boost::asio::post(executor_, [this] { collect(); });
}

void Pipeline::collect() {
  std::vector<std::pair<Request*, Verdict>> collected;
  {
    const MutexLock lock(mutex_);
    collected.swap(delivered_);
  }
  for (auto& [request, verdict] : collected) {
    CHECK(request->on_verdict != nullptr);
    std::exchange(request->on_verdict, nullptr)(std::move(verdict));
  }
}

// The closed gate's no, confirmed by a read, or a request that was overdue there: it never reached the judge.
void Pipeline::count_refusal(const Command& command, const Verdict& refusal) {
  metrics_.refused.add(refusal.outcome);
  if (metrics_.skus != nullptr) metrics_.skus->add(command, refusal.outcome);
}

void Pipeline::release(const GateClient::Token& token, const Verdict& verdict) {
  metrics_.granted.add(verdict.outcome);
  gate_->release(token);
}

// The judge found units that the gate denied at the probes: the full buckets give to the empty ones, here
// and, by the statements that follow the commit, at the gate. Nobody waits for it, and a full queue may drop
// it.
void Pipeline::rebalance(rules::ItemId item) {
  std::optional<Command> command = gate_->rebalance(item);
  if (!command) return;
  Lanes::Done done = [](const Verdict&) {};
  lanes_.offer(*command, clock_.steady() + limits_.judge_within, done);
}

// E28: whoever is refused for lack of stock, unrecorded, is told when to ask again, by the gate as by the
// judge.
void Pipeline::advise(Verdict& verdict) {
  const bool lacks = verdict.outcome == Outcome::sold_out || verdict.outcome == Outcome::insufficient;
  CHECK((lacks && verdict.record == rules::Record::no) == verdict.short_of.has_value());
  if (!verdict.short_of) return;
  verdict.retry_after = lanes_.sold_out_times().retry_after(*verdict.short_of, clock_.steady());
}

void Pipeline::log(const Request& request, const Verdict& verdict) {
  if (!sampler_.take()) return;
  log_.write(Level::info, "request",
             {{"act", request.act},
              {"outcome", rules::word(verdict.outcome)},
              {"ms", (clock_.steady() - request.since).count()}});
}

// What waits is refused before anything is called unknown: a lane that hangs has not begun it.
void Pipeline::step(Duration steady_now) {
  if (gate_ != nullptr) gate_->step(steady_now);
  lanes_.answer_late();
  for (Request& request : requests_) {  // By arrival: the first that is not overdue ends the search.
    if (steady_now < request.since + limits_.answer_within) break;
    if (!request.answer) continue;
    CHECK(request.at_judge);
    metrics_.overdue.add();
    log_.write(Level::warn, "answer_overdue", {{"act", request.act}});
    std::exchange(request.answer, nullptr)(rules::verdict_of(Outcome::outcome_unknown));
  }
}

void watch(MetricsRegistry& metrics, const Pipeline& pipeline) {
  metrics.watch_gauge("gavel_pipeline_in_flight_commands", "Commands between entrance and verdict.",
                      [&pipeline] { return static_cast<double>(pipeline.in_flight()); });
}

}  // namespace gavel::pipeline
