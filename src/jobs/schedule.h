// JobSchedule: when each background job takes its next step, and what is logged when a step fails.
//
// The service and the simulator run their jobs through the same schedule, each job on a thread (or a fiber)
// of its own, so that the simulator sees the timing of the product:
//
//   loop of a job's thread:  turn = job.run() ─► sleep for turn.pause
//
// A schedule has no thread and never sleeps. Each ScheduledJob belongs to the thread that runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"
#include "jobs/clock_watch.h"
#include "jobs/closing.h"
#include "jobs/expiry.h"
#include "jobs/projection.h"
#include "jobs/refresh.h"
#include "jobs/retention.h"
#include "jobs/shortages.h"
#include "ops/log.h"

namespace gavel::jobs {

// The pace of one job.
struct JobPace {
  std::string_view failure_event;    // Of the log line about a step that failed.
  Duration busy_pause;               // After a step that left work for the next one.
  Duration idle_pause;               // After a step that left none, or failed.
  Duration failure_logged_every{0};  // Failures are logged no more often than this.
  // A step that left work is followed by a rest of at least this many times its own duration: the first while
  // nothing is judged, the second while something is. `rest_max` limits it, because a step seems to have
  // lasted for hours if the process stood still meanwhile.
  std::int64_t rest_factor_quiet = 0;
  std::int64_t rest_factor_sale = 0;
  Duration rest_max{0};
};

// While there is work, the release of holds takes many steps, so that its pieces can be small (expiry.h).
inline constexpr JobPace expiry_pace{.failure_event = "expiry_failed",
                                     .busy_pause = Duration(1),
                                     .idle_pause = Duration(100),
                                     .failure_logged_every = Duration(5'000)};

// The index of orders by user may be behind, because an answer adds what the index has not reached. So the
// job rests as long as it works, and nine times as long while anything is judged, because the sale needs the
// machine then.
inline constexpr JobPace projection_pace{.failure_event = "order_index_failed",
                                         .busy_pause = Duration(2),
                                         .idle_pause = Duration(200),
                                         .failure_logged_every = Duration(60'000),
                                         .rest_factor_quiet = 1,
                                         .rest_factor_sale = 9,
                                         .rest_max = Duration(1'000)};

// A28: 1,000 rows a step make 10,000 a second that are looked at, and at most as many that are deleted.
inline constexpr JobPace retention_pace{.failure_event = "retention_failed",
                                        .busy_pause = Duration(100),
                                        .idle_pause = Duration(100),
                                        .failure_logged_every = Duration(60'000)};

// E23: a sale closes within 2 s; E25: a difference of the clocks is told within one.
inline constexpr JobPace closing_pace{.failure_event = "closing_failed",
                                      .busy_pause = Duration(100),
                                      .idle_pause = Duration(500),
                                      .failure_logged_every = Duration(60'000)};

// A pass over the gate is slow on purpose: 10 items a step make at most 100 a second. `every` is the time
// from the end of one pass to the beginning of the next.
constexpr JobPace refresh_pace(Duration every) {
  return {.failure_event = "refresh_failed", .busy_pause = Duration(100), .idle_pause = every};
}

// A job that found the store broken has nothing more to do: the process is about to end.
inline constexpr Duration broken_pause{10'000};

// One job with its pace.
class ScheduledJob {
 public:
  // True if the step left work for the next one.
  using Step = std::function<Result<bool>()>;
  // How many commands the judge has been given so far.
  using Decided = std::function<std::uint64_t()>;
  using OnBroken = std::function<void(const std::string& why)>;

  enum class Work : std::uint8_t { none, left, failed };

  struct Turn {
    Work work;       // What the step left.
    Duration pause;  // Before the next step; not negative.
  };

  // `on_broken` is called on the job's thread for each step that found the store broken; without it such a
  // step is a failure like others. `clock` and `log` outlive the job.
  ScheduledJob(JobPace pace, Step step, Decided decided, const Clock& clock, Log& log, OnBroken on_broken);

  // Takes one step; blocks as the step does.
  Turn run();

 private:
  Turn fail(const Error& error);
  Duration pause_after(Work work, Duration took, bool sale) const;

  const JobPace pace_;
  const Step step_;
  const Decided decided_;
  const Clock& clock_;
  Log& log_;
  const OnBroken on_broken_;
  Duration failure_logged_until_{0};  // By the steady clock.
};

struct JobSchedule {
  // What the schedule runs. All of it outlives the schedule.
  struct Jobs {
    Expiry& expiry;
    Projection& projection;
    Retention& retention;
    Shortages& shortages;
    Refresh& refresh;
    Closing& closing;
    ClockWatch& clock_watch;
  };

  // The arguments are as for ScheduledJob.
  JobSchedule(const Jobs& jobs, Duration refresh_every, const ScheduledJob::Decided& decided,
              const Clock& clock, Log& log, const ScheduledJob::OnBroken& on_broken);

  ScheduledJob expiry;
  ScheduledJob projection;
  ScheduledJob retention;
  ScheduledJob refresh;  // With the count of shortages, which reads through the same reader.
  ScheduledJob closing;  // With the watch over the clocks, likewise.
};

}  // namespace gavel::jobs
