#include "pipeline/pipeline.h"

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
                   Sampler& sampler, PipelineLimits limits, Metrics metrics, Turnstile* turnstile)
    : executor_(std::move(executor)),
      lanes_(lanes),
      clock_(clock),
      log_(log),
      sampler_(sampler),
      limits_(limits),
      metrics_(std::move(metrics)),
      turnstile_(turnstile),
      admission_(limits.in_flight_max) {}

// The life of a request. Each line is a stage; what follows a return was never reached by the request.
void Pipeline::begin(Command command, Answer answer) {
  if (const auto wrong = rules::malformation(command)) return answer(malformed(*wrong));
  if (!admission_.enter()) return answer(refuse(Outcome::overloaded));
  if (!enter_key(command)) return answer(leave(Outcome::key_in_flight));
  pass_gate(std::move(command), std::move(answer));
}

boost::asio::awaitable<Verdict> Pipeline::submit(Command command) {
  co_return co_await stage::await_result<Verdict>(
      [&](Answer answer) { begin(std::move(command), std::move(answer)); });
}

// One coroutine for all of them: a thousand of them would cost more than their verdicts.
boost::asio::awaitable<std::vector<Verdict>> Pipeline::submit_all(std::vector<Command> commands) {
  if (commands.empty()) co_return std::vector<Verdict>();
  co_return co_await stage::await_result<std::vector<Verdict>>([&](auto answer) {
    const auto group = std::make_shared<Group>();
    const std::size_t count = commands.size();
    group->verdicts.resize(count);
    group->open = count;
    group->answer = std::move(answer);
    for (std::size_t i = 0; i < count; ++i) {
      begin(std::move(commands[i]), [group, i](Verdict verdict) {
        group->verdicts[i] = std::move(verdict);
        if (--group->open == 0) group->answer(std::move(group->verdicts));
      });
    }
  });
}

// Every refusal before the lane is counted here.
Verdict Pipeline::refuse(Outcome outcome) {
  metrics_.refused.add(outcome);
  return rules::verdict_of(outcome);
}

Verdict Pipeline::malformed(const std::string& wrong) {
  metrics_.refused.add(Outcome::malformed);
  return rules::malformed(wrong);
}

// A9: while a request is in process its key answers nobody else. The entry lives until the verdict is known,
// not until the client leaves.
bool Pipeline::enter_key(const Command& command) {
  return !command.key || keys_.emplace(command.caller, *command.key).second;
}

Verdict Pipeline::leave(Outcome outcome) {
  admission_.leave();
  return refuse(outcome);
}

// The closed gate's no, confirmed by a read: the request never reached the judge, and its key is free again.
Verdict Pipeline::turn_away(const Command& command, const Verdict& refusal) {
  if (command.key) keys_.erase(rules::RequestId{command.caller, *command.key});
  admission_.leave();
  metrics_.refused.add(refusal.outcome);
  if (metrics_.skus != nullptr) metrics_.skus->add(command, refusal.outcome);
  return refusal;
}

// The turnstile says which way; what is direct it lets pass at once. The command outlives the waiting at the
// gate in its own answer.
void Pipeline::pass_gate(Command command, Answer answer) {
  if (turnstile_ == nullptr) return judge(command, {}, std::move(answer));
  auto kept = std::make_unique<Command>(std::move(command));
  const Command& asked = *kept;
  turnstile_->pass(
      asked, [this, kept = std::move(kept), answer = std::move(answer)](Turnstile::Passage passage) mutable {
        if (passage.refusal) return answer(turn_away(*kept, *passage.refusal));
        judge(*kept, passage, std::move(answer));
      });
}

// Hands the command to the lane; the verdict comes back over the executor, where finish() meets whoever still
// waits.
void Pipeline::judge(Command& command, const Turnstile::Passage& passage, Answer answer) {
  if (passage.token) command.token = passage.token->key.bucket;
  const Duration now = clock_.steady();
  const std::uint64_t ticket = next_ticket_++;
  Waiting waiting{std::nullopt,  rules::word(command.act), now, std::move(answer), passage.token,
                  passage.denied};
  if (command.key) waiting.key.emplace(command.caller, *command.key);
  waiting_.emplace(ticket, std::move(waiting));
  Lanes::Done done = [this, ticket](Verdict verdict) { deliver(ticket, std::move(verdict)); };
  if (!lanes_.offer(command, now + limits_.judge_within, done)) finish(ticket, refuse(Outcome::overloaded));
}

// On the lane's thread. One post brings over all that a batch answers: each by itself would wake the
// executor's thread, which costs both of them more than the answer.
void Pipeline::deliver(std::uint64_t ticket, Verdict verdict) {
  {
    const MutexLock lock(mutex_);
    delivered_.emplace_back(ticket, std::move(verdict));
    if (delivered_.size() > 1) return;  // Whoever delivered the first has posted.
  }
  boost::asio::post(executor_, [this] { collect(); });
}

void Pipeline::collect() {
  std::vector<std::pair<std::uint64_t, Verdict>> collected;
  {
    const MutexLock lock(mutex_);
    collected.swap(delivered_);
  }
  for (auto& [ticket, verdict] : collected) finish(ticket, std::move(verdict));
}

void Pipeline::finish(std::uint64_t ticket, Verdict verdict) {
  const auto found = waiting_.find(ticket);
  CHECK(found != waiting_.end());
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (waiting.key) keys_.erase(*waiting.key);
  if (waiting.token) {
    metrics_.granted.add(verdict.outcome);
    turnstile_->drop(*waiting.token);
  }
  admission_.leave();
  if (waiting.denied && traits(verdict.outcome).act) rebalance(*waiting.denied);
  if (sampler_.take()) {
    log_.write(Level::info, "request",
               {{"act", waiting.act},
                {"outcome", rules::word(verdict.outcome)},
                {"ms", (clock_.steady() - waiting.since).count()}});
  }
  if (waiting.answer) waiting.answer(std::move(verdict));
}

// The judge found units that the gate denied at the probes: the full buckets give to the empty ones, here
// and, by the statements that follow the commit, at the gate. Nobody waits for it, and a full queue may drop
// it.
void Pipeline::rebalance(rules::ItemId item) {
  std::optional<Command> command = turnstile_->rebalance(item);
  if (!command) return;
  Lanes::Done done = [](const Verdict&) {};
  lanes_.offer(*command, clock_.steady() + limits_.judge_within, done);
}

void Pipeline::step(Duration steady_now) {
  if (turnstile_ != nullptr) turnstile_->wake();
  for (auto& [ticket, waiting] : waiting_) {  // By arrival: the first that is not overdue ends the search.
    if (steady_now < waiting.since + limits_.answer_within) break;
    if (!waiting.answer) continue;
    metrics_.overdue.add();
    log_.write(Level::warn, "answer_overdue", {{"act", waiting.act}});
    Answer answer = std::exchange(waiting.answer, nullptr);
    answer(rules::verdict_of(Outcome::outcome_unknown));
  }
}

void watch(MetricsRegistry& metrics, const Pipeline& pipeline) {
  metrics.watch_gauge("gavel_pipeline_in_flight_commands", "Commands between entrance and verdict.",
                      [&pipeline] { return static_cast<double>(pipeline.in_flight()); });
}

}  // namespace gavel::pipeline
