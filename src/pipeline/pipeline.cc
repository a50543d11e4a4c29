#include "pipeline/pipeline.h"

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

Verdict of(Outcome outcome) {
  Verdict verdict;
  verdict.outcome = outcome;
  return verdict;
}

}  // namespace

Pipeline::Pipeline(boost::asio::any_io_executor executor, Lane& lane, const Clock& clock, Log& log,
                   Sampler& sampler, PipelineLimits limits)
    : executor_(std::move(executor)),
      lane_(lane),
      clock_(clock),
      log_(log),
      sampler_(sampler),
      limits_(limits),
      admission_(limits.in_flight_max) {}

// The life of a request. Each line is a stage; what follows a co_return was never reached by the request.
boost::asio::awaitable<Verdict> Pipeline::submit(Command command) {
  if (const auto wrong = rules::malformation(command)) co_return malformed(*wrong);
  if (!admission_.enter()) co_return of(Outcome::overloaded);
  if (!enter_key(command)) co_return leave(Outcome::key_in_flight);
  co_return co_await stage::await_result<Verdict>([&](Answer answer) { judge(command, std::move(answer)); });
}

Verdict Pipeline::malformed(const std::string& wrong) {
  Verdict verdict = of(Outcome::malformed);
  verdict.detail.explanation = wrong;
  return verdict;
}

// A9: while a request is in process its key answers nobody else. The entry lives until the verdict is known,
// not until the client leaves.
bool Pipeline::enter_key(const Command& command) {
  return !command.key || keys_.emplace(command.caller, *command.key).second;
}

Verdict Pipeline::leave(Outcome outcome) {
  admission_.leave();
  return of(outcome);
}

// Hands the command to the lane; the verdict comes back over the executor, where finish() meets whoever still
// waits.
void Pipeline::judge(Command& command, Answer answer) {
  const Duration now = clock_.steady();
  const std::uint64_t ticket = next_ticket_++;
  Waiting waiting{std::nullopt, rules::word(command.act), now, std::move(answer)};
  if (command.key) waiting.key.emplace(command.caller, *command.key);
  waiting_.emplace(ticket, std::move(waiting));
  Lane::Done done = [this, ticket](Verdict verdict) {
    boost::asio::post(executor_, [this, ticket, verdict = std::move(verdict)]() mutable {
      finish(ticket, std::move(verdict));
    });
  };
  if (!lane_.offer(command, now + limits_.judge_within, done)) finish(ticket, of(Outcome::overloaded));
}

void Pipeline::finish(std::uint64_t ticket, Verdict verdict) {
  const auto found = waiting_.find(ticket);
  CHECK(found != waiting_.end());
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (waiting.key) keys_.erase(*waiting.key);
  admission_.leave();
  if (sampler_.take()) {
    log_.write(Level::info, "request",
               {{"act", waiting.act},
                {"outcome", rules::word(verdict.outcome)},
                {"ms", (clock_.steady() - waiting.since).count()}});
  }
  if (waiting.answer) waiting.answer(std::move(verdict));
}

void Pipeline::step(Duration steady_now) {
  for (auto& [ticket, waiting] : waiting_) {  // By arrival: the first that is not overdue ends the search.
    if (steady_now < waiting.since + limits_.answer_within) break;
    if (!waiting.answer) continue;
    log_.write(Level::warn, "answer_overdue", {{"act", waiting.act}});
    Answer answer = std::exchange(waiting.answer, nullptr);
    answer(of(Outcome::outcome_unknown));
  }
}

}  // namespace gavel::pipeline
