// Expiry: releases due holds, in bounded batches (C9).
//
// When all holds of a sale expire in one second, new orders must not wait behind them (E20). The holds are
// therefore offered at a steady pace, a quarter above what C9 demands, and in small pieces. A piece grows
// only, and slowly, when the release is behind its pace: a piece that took long must not make the next one
// even longer. For the judge due holds are free in any case, whether released or not.
//
//   step: find due holds ─► offer them to the lanes as Expire commands ─► their verdicts count down
//
// The database's clock says which holds are due, and the judge decides by the same clock, so a step that runs
// twice or in two processes releases nothing wrongly. A step never blocks on a verdict. One thread; verdicts
// may arrive from another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "ops/metrics.h"
#include "pipeline/lanes.h"

namespace gavel::jobs {

// A piece is a twentieth of what is behind, so that it has the largest size once that is half a second's
// pace. Beside a rush that fills batches of 1,000, of 15 ms each, some 400 are needed for C9.
inline constexpr std::size_t expiry_batch_max = 600;
inline constexpr std::size_t expiry_batch_min = 25;
inline constexpr std::int64_t expiry_per_second = 25'000;
inline constexpr std::size_t expiry_share_of_behind = 20;

class Expiry {
 public:
  // `reader` is the job's own; all references outlive the job and every command that it offered. `delays`
  // receives how late each hold was offered, in seconds.
  Expiry(judge::HoldsReader& reader, pipeline::Lanes& lanes, const Clock& clock, Log& log,
         Histogram delays = {});

  // Offers due holds, at most expiry_batch_min to expiry_batch_max, by how far the release is behind its
  // pace; none while earlier ones have no verdict. Returns how many were offered. A hold that is overdue by
  // more than two seconds is logged as `expiry_behind`, whether or not the lane comes to it.
  Result<std::size_t> step();

  // Commands offered that have no verdict yet. Any thread.
  std::size_t outstanding() const { return outstanding_.load(); }

  // Holds released so far. Any thread.
  std::uint64_t released() const { return released_.load(); }

  // How overdue the oldest hold of the last look is, 0 if there is none. It grows while nothing is released.
  // Any thread.
  Duration oldest_overdue() const;

 private:
  std::size_t batch_size() const;
  void keep_pace();
  void log_if_behind();

  judge::HoldsReader& reader_;
  pipeline::Lanes& lanes_;
  const Clock& clock_;
  Log& log_;
  const Histogram delays_;
  Duration behind_logged_until_{0};  // By the steady clock, as the next.
  std::optional<Duration> last_step_at_;
  std::int64_t behind_ = 0;  // Holds that should have been offered by the pace, and were not.
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<std::uint64_t> released_{0};
  // When the oldest hold of the last look fell due, by the steady clock; max: none was due.
  std::atomic<Duration> oldest_due_{Duration::max()};
};

// The delays of `metrics`.
Histogram expiry_delays(MetricsRegistry& metrics);

// Has `metrics` read how the release of holds goes, on any thread. Both outlive the readings.
void watch(MetricsRegistry& metrics, const Expiry& expiry);

}  // namespace gavel::jobs
