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
      clock_(clock),
      log_(log),
      on_broken_(std::move(on_broken)),
      metrics_(std::move(metrics)),
      stage_(
          limits, clock, [this](const std::vector<rules::Command>& commands) { return decide(commands); },
          [this] {
            metrics_.verdicts.add(Outcome::overloaded);
            return rules::verdict_of(Outcome::overloaded);
          },
          [this] { idle(); }) {}

std::vector<Verdict> Lane::decide(const std::vector<rules::Command>& commands) {
  const Timer::Run run(metrics_.batch);
  std::vector<Verdict> verdicts = judge(commands);
  decided_.fetch_add(verdicts.size(), std::memory_order_relaxed);
  metrics_.batch_commands.observe(static_cast<double>(verdicts.size()));
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
  begin();
  Result<std::vector<Verdict>> verdicts = judge_.apply(commands);
  end(verdicts ? "" : verdicts.error().message);
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
  if (!done) {
    log_.write(Level::error, "upkeep_failed", {{"why", done.error().message}});
    if (done.error().code == ErrorCode::broken) break_off(done.error());
    return;
  }
  if (is_quiet()) try_begin();
}

// Nothing was asked of the judge for a while, so that nobody would know if it were stuck.
bool Lane::is_quiet() const {
  const MutexLock lock(mutex_);
  return clock_.steady() - ended_at_ >= stage::idle_every;
}

void Lane::try_begin() {
  begin();
  const Result<void> begun = judge_.try_begin();
  end(begun ? "" : begun.error().message);
  if (!begun && begun.error().code == ErrorCode::broken) break_off(begun.error());
}

void Lane::begin() {
  const MutexLock lock(mutex_);
  begun_at_ = clock_.steady();
}

void Lane::end(const std::string& why_undecided) {
  bool was_stuck = false;
  {
    const MutexLock lock(mutex_);
    begun_at_.reset();
    ended_at_ = clock_.steady();
    was_stuck = !why_undecided_.empty();
    why_undecided_ = why_undecided;
  }
  if (was_stuck == !why_undecided.empty()) return;
  if (was_stuck) return log_.write(Level::info, "judge_goes_on");
  log_.write(Level::error, "judge_stuck",
             {{"why", why_undecided}, {"next", "see what locks or delays the database; requests get 503"}});
}

std::optional<std::string> Lane::why_stuck() const {
  const MutexLock lock(mutex_);
  if (!why_undecided_.empty()) return why_undecided_;
  if (!begun_at_ || clock_.steady() - *begun_at_ < stuck_after) return std::nullopt;
  return "the database has not answered for " + std::to_string(stuck_after.count() / 1000) + " s";
}

void Lane::break_off(const Error& error) {
  if (stopped_.exchange(true)) return;
  on_broken_(error.message);
}

}  // namespace gavel::pipeline
