#include "jobs/schedule.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace gavel::jobs {
namespace {

// Work is left as long as earlier holds have no verdict, and while due holds remain because the lane's queue
// was full.
Result<bool> release_holds(Expiry& expiry) {
  const auto offered = expiry.step();
  if (!offered) return std::unexpected(offered.error());
  return *offered > 0 || expiry.outstanding() > 0 || expiry.oldest_overdue() > Duration(0);
}

Result<bool> forget_requests(Retention& retention) {
  const auto rows = retention.step();
  if (!rows) return std::unexpected(rows.error());
  return *rows > 0;
}

Result<bool> refresh_gate(Shortages& shortages, Refresh& refresh) {
  if (const auto counted = shortages.step(); !counted) return std::unexpected(counted.error());
  const auto step = refresh.step();
  if (!step) return std::unexpected(step.error());
  return *step == Refresh::Step::more;
}

Result<bool> close_sales(ClockWatch& clock_watch, Closing& closing) {
  if (const auto watched = clock_watch.step(); !watched) return std::unexpected(watched.error());
  const auto offered = closing.step();
  if (!offered) return std::unexpected(offered.error());
  return *offered > 0 || closing.outstanding() > 0;
}

}  // namespace

ScheduledJob::ScheduledJob(JobPace pace, Step step, Decided decided, const Clock& clock, Log& log,
                           OnBroken on_broken)
    : pace_(pace),
      step_(std::move(step)),
      decided_(std::move(decided)),
      clock_(clock),
      log_(log),
      on_broken_(std::move(on_broken)) {
  CHECK(!pace_.failure_event.empty());
  CHECK(pace_.busy_pause > Duration(0));
  CHECK(pace_.idle_pause >= pace_.busy_pause);
  CHECK(pace_.rest_factor_sale >= pace_.rest_factor_quiet);
  CHECK(pace_.rest_factor_sale == 0 || pace_.rest_max >= pace_.busy_pause);
}

ScheduledJob::Turn ScheduledJob::run() {
  const Duration begun = clock_.steady();
  const std::uint64_t decided = decided_();
  const Result<bool> is_work_left = step_();
  if (!is_work_left) return fail(is_work_left.error());
  const Work work = *is_work_left ? Work::left : Work::none;
  const Duration pause = pause_after(work, clock_.steady() - begun, decided_() != decided);
  CHECK(pause > Duration(0));
  return {work, pause};
}

Duration ScheduledJob::pause_after(Work work, Duration took, bool sale) const {
  CHECK(took >= Duration(0));
  if (work == Work::none) return pace_.idle_pause;
  const std::int64_t factor = sale ? pace_.rest_factor_sale : pace_.rest_factor_quiet;
  return std::max(pace_.busy_pause, std::min(took * factor, pace_.rest_max));
}

ScheduledJob::Turn ScheduledJob::fail(const Error& error) {
  if (error.code == ErrorCode::broken && on_broken_) {
    on_broken_(error.message);
    return {Work::failed, broken_pause};
  }
  if (clock_.steady() >= failure_logged_until_) {
    log_.write(Level::warn, pace_.failure_event, {{"why", error.message}});
    failure_logged_until_ = clock_.steady() + pace_.failure_logged_every;
  }
  return {Work::failed, pace_.idle_pause};
}

// An index that cannot be followed loses nothing: its lag grows, and answers tell it. It is not the judge's
// store, so that nothing ends where it breaks.
JobSchedule::JobSchedule(const Jobs& jobs, Duration refresh_every, const ScheduledJob::Decided& decided,
                         const Clock& clock, Log& log, const ScheduledJob::OnBroken& on_broken)
    : expiry(
          expiry_pace, [&expiry = jobs.expiry] { return release_holds(expiry); }, decided, clock, log,
          on_broken),
      projection(
          projection_pace, [&projection = jobs.projection] { return projection.step(); }, decided, clock, log,
          nullptr),
      retention(
          retention_pace, [&retention = jobs.retention] { return forget_requests(retention); }, decided,
          clock, log, on_broken),
      refresh(
          refresh_pace(refresh_every),
          [&shortages = jobs.shortages, &refresh = jobs.refresh] { return refresh_gate(shortages, refresh); },
          decided, clock, log, on_broken),
      closing(
          closing_pace,
          [&clock_watch = jobs.clock_watch, &closing = jobs.closing] {
            return close_sales(clock_watch, closing);
          },
          decided, clock, log, on_broken) {}

}  // namespace gavel::jobs
