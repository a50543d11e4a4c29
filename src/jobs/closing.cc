#include "jobs/closing.h"

#include <vector>

#include "base/check.h"
#include "rules/command.h"
#include "stage/stage.h"

namespace gavel::jobs {
namespace {

constexpr Duration close_within{10'000};  // What waits longer than this is found again by a later step.

}  // namespace

Result<std::size_t> Closing::step() {
  if (outstanding_.load() > 0) return 0;
  const auto ended = reader_.ended_activities(closing_batch_max);
  if (!ended) return std::unexpected(ended.error());
  CHECK(ended->size() <= closing_batch_max);
  std::size_t offered = 0;
  for (const rules::ActivityCode& activity : *ended) {
    if (!offer(activity)) break;  // The queue is full; the rest is found again by a later step.
    ++offered;
  }
  return offered;
}

bool Closing::offer(const rules::ActivityCode& activity) {
  rules::Command command{rules::Caller("gavel"), std::nullopt, rules::OrderId{},
                         rules::CloseActivity{activity}};
  pipeline::Lanes::Done done = [this, activity](const rules::Verdict& verdict) {
    tell(activity, verdict);
    CHECK(outstanding_ > 0);
    --outstanding_;
  };
  ++outstanding_;
  if (lanes_.offer(command, clock_.steady() + close_within, done, stage::Rank::background)) return true;
  --outstanding_;
  return false;
}

// An operator may have closed it meanwhile, or given it a later end.
void Closing::tell(const rules::ActivityCode& activity, const rules::Verdict& verdict) {
  if (verdict.outcome == rules::Outcome::closed)
    log_.write(Level::info, "sale_closed", {{"activity", activity.text()}});
  if (verdict.outcome == rules::Outcome::closed || verdict.outcome == rules::Outcome::illegal_transition)
    return;
  if (clock_.steady() < failure_logged_until_.load()) return;
  failure_logged_until_ = clock_.steady() + closing_logged_every;
  log_.write(Level::warn, "sale_not_closed",
             {{"activity", activity.text()},
              {"outcome", word(verdict.outcome)},
              {"next", verdict.outcome == rules::Outcome::frozen ? "run gavel verify"
                                                                 : "nothing: it is tried again"}});
}

}  // namespace gavel::jobs
