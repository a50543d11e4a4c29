#include "jobs/retention.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "rules/command.h"
#include "stage/stage.h"

namespace gavel::jobs {
namespace {

constexpr Duration forget_within{10'000};  // What waits longer than this is found again by a later round.

}  // namespace

Retention::Retention(judge::RequestsReader& reader, pipeline::Lanes& lanes, const Clock& clock, Log& log,
                     rules::Policy policy, std::size_t rows_max)
    : reader_(reader), lanes_(lanes), clock_(clock), log_(log), policy_(policy), rows_max_(rows_max) {
  CHECK(rows_max_ >= 1);
}

Result<std::size_t> Retention::step() {
  if (outstanding_.load() > 0 || clock_.steady() < next_round_at_) return 0;
  const auto ages = reader_.request_ages(after_, rows_max_);
  if (!ages) return std::unexpected(ages.error());
  const std::vector<judge::RequestAge>& rows = ages->requests;
  CHECK(rows.size() <= rows_max_);
  CHECK(std::ranges::is_sorted(rows, {}, &judge::RequestAge::id));
  CHECK(!after_ || rows.empty() || rows.front().id > *after_);
  for (const judge::RequestAge& row : rows) {
    if (rules::may_forget(row.at, ages->now, policy_) && !offer(row.id)) return rows.size();
    after_ = row.id;
  }
  if (rows.size() < rows_max_) end_round();
  return rows.size();
}

bool Retention::offer(const rules::RequestId& id) {
  rules::Command command{rules::Caller("gavel"), std::nullopt, rules::OrderId{},
                         rules::Forget{id.first, id.second}};
  pipeline::Lanes::Done done = [this](const rules::Verdict& verdict) {
    if (verdict.outcome == rules::Outcome::changed) ++forgotten_;
    CHECK(outstanding_ > 0);
    --outstanding_;
  };
  ++outstanding_;
  if (lanes_.offer(command, clock_.steady() + forget_within, done, stage::Rank::background)) return true;
  --outstanding_;
  return false;
}

// The verdicts on its last batch are counted by the next round.
void Retention::end_round() {
  after_.reset();
  next_round_at_ = clock_.steady() + retention_rests;
  const std::uint64_t forgotten = forgotten_.load();
  CHECK(forgotten >= forgotten_before_);
  if (forgotten > forgotten_before_) {
    log_.write(Level::info, "requests_forgotten",
               {{"count", static_cast<std::int64_t>(forgotten - forgotten_before_)}});
  }
  forgotten_before_ = forgotten;
}

void watch(MetricsRegistry& metrics, const Retention& retention) {
  metrics.watch_counter("gavel_jobs_retention_forgotten_total",
                        "Records of requests deleted because they were older than requests are kept.",
                        [&retention] { return retention.forgotten(); });
}

}  // namespace gavel::jobs
