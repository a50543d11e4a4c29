#include "judge/time.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::judge {

void JudgeTime::follow(const KeptTime& kept) {
  if (kept == followed_) return;
  const Duration steady = clock_.steady();
  const bool same_boot = !boot_.empty() && kept.boot == boot_ && kept.steady && *kept.steady <= steady;
  const Time start = same_boot ? kept.at - *kept.steady : go_on_from(kept) - steady;
  start_ = std::max(start_.value_or(start), start);
  followed_ = kept;
}

// The time for which the machine was off is not known to the steady clock.
Time JudgeTime::go_on_from(const KeptTime& kept) {
  const Time wall = clock_.now();
  const bool believed = wall > kept.at && wall - kept.at <= wall_leap_after_boot_max;
  const Time at = believed ? wall : kept.at;
  if (!followed_) after_boot_ = TimeAfterBoot{kept.at, wall, at};
  return at;
}

Time JudgeTime::now() {
  const Duration steady = clock_.steady();
  const Time wall = clock_.now();
  if (!start_) start_ = wall - steady;
  const Time elapsed = *start_ + steady;
  const bool wall_leads = wall > elapsed && wall - elapsed <= wall_leap_max;
  if (wall_leads) start_ = wall - steady;
  return *start_ + steady;
}

KeptTime JudgeTime::kept(Time at) const {
  CHECK(start_);
  return {at, boot_, at - *start_};
}

}  // namespace gavel::judge
