// Expiry: releases holds whose time is past, in bounded batches (C9).
//
//   step(now): find due holds ─► offer them to the lane as Expire commands ─► their verdicts count down
//
// The judge decides by its own time whether a hold is due, so a step too early, twice or by two processes
// releases nothing wrongly. A step never blocks on a verdict. One thread; verdicts may arrive from another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "judge/reader.h"
#include "pipeline/lane.h"

namespace gavel::jobs {

inline constexpr std::size_t expiry_batch_max = 1000;

class Expiry {
 public:
  // `reader` is the job's own; all references outlive the job and every command that it offered.
  Expiry(judge::Reader& reader, pipeline::Lane& lane, const Clock& clock, Log& log);

  // Offers up to expiry_batch_max due holds; does nothing while earlier ones have no verdict. Returns how
  // many were offered. A hold that is overdue by more than two seconds is logged as `expiry_behind`.
  Result<std::size_t> step(Time now);

  // Commands offered that have no verdict yet. Any thread.
  std::size_t outstanding() const { return outstanding_.load(); }

  // Holds released so far. Any thread.
  std::uint64_t released() const { return released_.load(); }

  // How long the oldest hold that the last look found is past its time, 0 if none is. It grows while nothing
  // is released. Any thread.
  Duration oldest_overdue(Time now) const;

 private:
  judge::Reader& reader_;
  pipeline::Lane& lane_;
  const Clock& clock_;
  Log& log_;
  Time say_behind_at_{};
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<std::uint64_t> released_{0};
  std::atomic<Time> oldest_due_{Time::max()};  // Of the last look; max: none was due.
};

// Has `metrics` read how the release of holds goes, on any thread. All outlive the readings.
void watch(Metrics& metrics, const Expiry& expiry, const Clock& clock);

}  // namespace gavel::jobs
