#include "pipeline/lane.h"

#include <utility>

namespace gavel::pipeline {
namespace {

using rules::Outcome;
using rules::Verdict;

}  // namespace

Lane::Lane(judge::Judge& judge, stage::Limits limits, const Clock& clock, Log& log, OnBroken on_broken,
           Metrics metrics)
    : judge_(judge),
      log_(log),
      on_broken_(std::move(on_broken)),
      metrics_(std::move(metrics)),
      stage_(
          limits, clock, [this](std::vector<rules::Command> commands) { return decide(std::move(commands)); },
          [this] {
            metrics_.verdicts.add(Outcome::overloaded);
            return rules::verdict_of(Outcome::overloaded);
          },
          [this] { idle(); }) {}

std::vector<Verdict> Lane::decide(std::vector<rules::Command> commands) {
  const Timer::Run run(metrics_.batch);
  std::vector<Verdict> verdicts = judge(commands);
  decided_.fetch_add(commands.size(), std::memory_order_relaxed);
  metrics_.batch_commands.observe(static_cast<double>(commands.size()));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Verdict& verdict = verdicts[i];
    metrics_.verdicts.add(verdict.outcome);
    if (verdict.record == rules::Record::replayed) metrics_.replayed.add();
    if (metrics_.skus != nullptr) metrics_.skus->add(commands[i], verdict.outcome);
  }
  return verdicts;
}

std::vector<Verdict> Lane::judge(const std::vector<rules::Command>& commands) {
  if (stopped_) return std::vector<Verdict>(commands.size(), rules::verdict_of(Outcome::overloaded));
  Result<std::vector<Verdict>> verdicts = judge_.apply(commands);
  // Somebody found the store broken meanwhile, so that even a commit that succeeded proves nothing.
  if (stopped_) return std::vector<Verdict>(commands.size(), rules::verdict_of(Outcome::outcome_unknown));
  if (verdicts) return *std::move(verdicts);
  const Error& error = verdicts.error();
  log_.write(Level::error, "batch_failed",
             {{"commands", static_cast<std::int64_t>(commands.size())}, {"why", error.message}});
  if (error.code == ErrorCode::broken) break_off(error);
  const bool certainly_not_done = error.code == ErrorCode::unavailable;
  return std::vector<Verdict>(
      commands.size(),
      rules::verdict_of(certainly_not_done ? Outcome::overloaded : Outcome::outcome_unknown));
}

// Every caller has its answer: a failure is nobody's but ours.
void Lane::idle() {
  if (stopped_) return;
  const Result<void> done = judge_.idle();
  if (done) return;
  log_.write(Level::error, "upkeep_failed", {{"why", done.error().message}});
  if (done.error().code == ErrorCode::broken) break_off(done.error());
}

void Lane::break_off(const Error& error) {
  if (stopped_.exchange(true)) return;
  on_broken_(error.message);
}

}  // namespace gavel::pipeline
