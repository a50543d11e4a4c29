// ClockWatch: how far the wall clock is from the judge's time, as a log line, a metric and a warning (E25).
//
// The judge's time goes on by itself, so that a wrong wall clock ends no hold and stops none; somebody has to
// set it right all the same. step() reads both. Beyond clock_difference_told the difference is logged when it
// comes, every clock_logged_every while it lasts, and when it goes. One thread; the difference may be read
// from any.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "ops/metrics.h"

namespace gavel::jobs {

inline constexpr Duration clock_difference_told{5'000};
inline constexpr Duration clock_logged_every{10 * 60 * 1000};

class ClockWatch {
 public:
  // The reader is the job's own, or belongs to another job on the same thread. All outlive the job.
  ClockWatch(judge::ClocksReader& reader, const Clock& clock, Log& log)
      : reader_(reader), clock_(clock), log_(log) {}

  // `unavailable` or `broken` as the reader says; the difference then stays as it was.
  Result<void> step();

  // The wall clock less the judge's time, at the last step.
  Duration difference() const { return difference_; }

  // One line for people; nothing while the difference is no more than clock_difference_told.
  std::optional<std::string> warning() const;

 private:
  void tell(const judge::Clocks& clocks);

  judge::ClocksReader& reader_;
  const Clock& clock_;
  Log& log_;
  bool told_ = false;
  Duration told_again_at_{0};  // By the steady clock.
  std::atomic<Duration> difference_{Duration(0)};
};

// gavel_jobs_clock_difference_seconds. `clock_watch` outlives the metrics' last text.
void watch(MetricsRegistry& metrics, const ClockWatch& clock_watch);

}  // namespace gavel::jobs
