// JudgeTime: the judge's time, which goes on at the speed of time whatever the wall clock does (E25).
//
// It is what was given last and the steady time that has passed since, or the wall clock where that is later
// by at most an hour. A wall clock that was set back does not stop it, and one that leaps ahead does not take
// it along; both are told (jobs/clock_watch.h).
//
// The last time is kept in the database, with the steady reading that belongs to it and the start of the
// machine that this reading counts from:
//
//   same start of the machine       the time has gone on since, by the steady clock
//   another, or it is not known     how long the machine was off only the wall clock knows: it is believed
//                                   where it is later by at most a week; else time goes on from what is kept
//
// So a restart of the process changes nothing. One thread; each store and each reader has its own.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/time.h"

namespace gavel::judge {

// A time that the judge gave.
struct KeptTime {
  Time at;
  std::string boot;                // Clock::boot(); empty where it was not noted.
  std::optional<Duration> steady;  // Clock::steady() at that time.
  friend bool operator==(const KeptTime&, const KeptTime&) = default;
};

// What was made of the time of an earlier start of the machine.
struct TimeAfterBoot {
  Time kept;
  Time wall;   // Of the first look after the start.
  Time judge;  // What was decided: one of the two.
};

inline constexpr std::chrono::hours wall_leap_max{1};
inline constexpr std::chrono::hours wall_leap_after_boot_max{7 * 24};

class JudgeTime {
 public:
  // `clock` outlives it.
  explicit JudgeTime(const Clock& clock) : clock_(clock), boot_(clock.boot()) {}

  // Is at or after `kept` from here on. What is already known has no effect.
  void follow(const KeptTime& kept);

  // Never before an earlier answer.
  Time now();

  // As it is at this moment, whatever the judge makes of it.
  Time wall() const { return clock_.now(); }

  // What to keep of `at`, a time that now() gave.
  KeptTime kept(Time at) const;

  // Nothing where the first time followed was of the present start of the machine, or none was.
  const std::optional<TimeAfterBoot>& after_boot() const { return after_boot_; }

 private:
  Time go_on_from(const KeptTime& kept);

  const Clock& clock_;
  const std::string boot_;
  std::optional<KeptTime> followed_;
  std::optional<Time> start_;  // The judge's time when the steady clock stood at 0. It only ever rises.
  std::optional<TimeAfterBoot> after_boot_;
};

}  // namespace gavel::judge
