#include "jobs/expiry.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "rules/command.h"
#include "stage/stage.h"

namespace gavel::jobs {
namespace {

constexpr Duration behind_after{2'000};  // C9: a due hold is released within two seconds.
constexpr Duration behind_every{5'000};  // … or the log says so, no more often than this.
constexpr std::int64_t behind_max = expiry_batch_max * expiry_share_of_behind;  // More makes no piece larger.
constexpr Duration judge_within{
    10'000};  // A release that waits longer than this is found again by a later step.

}  // namespace

Expiry::Expiry(judge::HoldsReader& reader, pipeline::Lanes& lanes, const Clock& clock, Log& log,
               Histogram delays)
    : reader_(reader), lanes_(lanes), clock_(clock), log_(log), delays_(delays) {}

Duration Expiry::oldest_overdue() const {
  const Duration oldest = oldest_due_.load();
  return std::max(clock_.steady(), oldest) - oldest;
}

void Expiry::keep_pace() {
  const Duration now = clock_.steady();
  const Duration since = std::min(now - last_step_at_.value_or(now), Duration(1'000));
  CHECK(since >= Duration(0));
  last_step_at_ = now;
  behind_ = std::min(behind_ + expiry_per_second * since.count() / 1'000, behind_max);
}

std::size_t Expiry::batch_size() const {
  return std::clamp(static_cast<std::size_t>(behind_) / expiry_share_of_behind, expiry_batch_min,
                    expiry_batch_max);
}

void Expiry::log_if_behind() {
  const Duration late = oldest_overdue();
  if (late <= behind_after || clock_.steady() < behind_logged_until_) return;
  log_.write(Level::warn, "expiry_behind", {{"oldest_overdue_ms", late.count()}});
  behind_logged_until_ = clock_.steady() + behind_every;
}

Result<std::size_t> Expiry::step() {
  keep_pace();
  if (outstanding_.load() > 0) {
    log_if_behind();
    return 0;
  }
  const std::size_t count_max = batch_size();
  const Result<judge::DueHolds> due = reader_.due(count_max);
  if (!due) return std::unexpected(due.error());
  CHECK(due->holds.size() <= count_max);
  CHECK(std::ranges::is_sorted(due->holds, {}, &judge::HoldRow::expires_at));
  oldest_due_ =
      due->holds.empty() ? Duration::max() : clock_.steady() - (due->now - due->holds.front().expires_at);
  log_if_behind();
  std::size_t offered = 0;
  for (const judge::HoldRow& hold : due->holds) {
    CHECK(hold.expires_at <= due->now);
    rules::Command command{rules::Caller("gavel"), std::nullopt, rules::OrderId{}, rules::Expire{hold.order}};
    pipeline::Lanes::Done done = [this](const rules::Verdict& verdict) {
      if (verdict.outcome == rules::Outcome::expired) ++released_;
      CHECK(outstanding_ > 0);
      --outstanding_;
    };
    ++outstanding_;
    if (!lanes_.offer(command, clock_.steady() + judge_within, done, stage::Rank::background)) {
      --outstanding_;
      break;  // The queue is full; the rest is found again by a later step.
    }
    ++offered;
    delays_.observe(std::chrono::duration<double>(due->now - hold.expires_at).count());
  }
  CHECK(offered <= due->holds.size());
  const bool is_all = due->holds.size() < count_max && offered == due->holds.size();
  behind_ = is_all ? 0 : std::max<std::int64_t>(0, behind_ - static_cast<std::int64_t>(offered));
  return offered;
}

Histogram expiry_delays(MetricsRegistry& metrics) {
  return metrics.histogram("gavel_jobs_expiry_delay_seconds",
                           "How late a due hold was given to the judge for release.",
                           {0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30});
}

void watch(MetricsRegistry& metrics, const Expiry& expiry) {
  metrics.watch_counter("gavel_jobs_expiry_released_total",
                        "Holds that the job released; an order that needs the units may come first.",
                        [&expiry] { return expiry.released(); });
  metrics.watch_gauge("gavel_jobs_expiry_oldest_overdue_seconds", "How long the oldest due hold is overdue.",
                      [&expiry] { return std::chrono::duration<double>(expiry.oldest_overdue()).count(); });
}

}  // namespace gavel::jobs
