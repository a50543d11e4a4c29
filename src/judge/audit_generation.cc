#include "judge/audit_generation.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

namespace gavel::judge {

void Returns::add(BatchId batch, const rules::Flow& flow, std::int64_t available) {
  if (steps_.empty() || steps_.back().batch != batch) steps_.push_back(Step{batch, flow.at, 0, {}});
  Step& step = steps_.back();
  step.available += available;
  const bool known =
      std::ranges::any_of(step.links, [&](const auto& link) { return link.first == flow.bucket; });
  if (!known) step.links.emplace_back(flow.bucket, flow.seq);
}

Returns::Count Returns::count() const {
  const bool one_lane = steps_.empty() || steps_.front().batch.lane == steps_.back().batch.lane;
  if (one_lane) {
    std::vector<std::size_t> as_written(steps_.size());
    std::iota(as_written.begin(), as_written.end(), std::size_t{0});
    const auto [returns, last] = replay(as_written);
    return {returns, returns, last};
  }
  const auto [some, last] = replay(in_order(Ties::takers_first));
  const auto [others, last_of_others] = replay(in_order(Ties::givers_first));
  return {std::min(some, others), std::max(some, others), last ? last : last_of_others};
}

// Which steps must come after which: those of one lane, and those of one bucket, one after the other.
std::vector<std::vector<std::size_t>> Returns::followers() const {
  std::vector<std::vector<std::size_t>> followers(steps_.size());
  std::map<rules::BucketNo, std::vector<std::pair<std::int64_t, std::size_t>>> chains;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (i > 0 && steps_[i - 1].batch.lane == steps_[i].batch.lane) followers[i - 1].push_back(i);
    for (const auto& [bucket, seq] : steps_[i].links) chains[bucket].emplace_back(seq, i);
  }
  for (auto& [bucket, chain] : chains) {
    std::ranges::sort(chain);
    for (std::size_t link = 1; link < chain.size(); ++link) {
      followers[chain[link - 1].second].push_back(chain[link].second);
    }
  }
  return followers;
}

// Chains that contradict each other are named elsewhere; what they tie together is left out here.
std::vector<std::size_t> Returns::in_order(Ties ties) const {
  const std::vector<std::vector<std::size_t>> after = followers();
  std::vector<std::size_t> waits_for(steps_.size());
  for (const auto& each : after) {
    for (const std::size_t follower : each) ++waits_for[follower];
  }
  using Next = std::tuple<Time, bool, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto may_come = [&](std::size_t i) {
    const bool gives = steps_[i].available > 0;
    next.emplace(steps_[i].at, ties == Ties::takers_first ? gives : !gives, i);
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (waits_for[i] == 0) may_come(i);
  }
  std::vector<std::size_t> order;
  while (!next.empty()) {
    const std::size_t i = std::get<std::size_t>(next.top());
    next.pop();
    order.push_back(i);
    for (const std::size_t follower : after[i]) {
      if (--waits_for[follower] == 0) may_come(follower);
    }
  }
  return order;
}

std::pair<std::int64_t, std::optional<BatchId>> Returns::replay(const std::vector<std::size_t>& order) const {
  std::int64_t available = 0;
  std::int64_t returns = 0;
  std::optional<BatchId> last;
  for (const std::size_t i : order) {
    const bool was_empty = available == 0;
    available += steps_[i].available;
    if (!was_empty || available <= 0) continue;
    ++returns;
    last = steps_[i].batch;
  }
  return {returns, last};
}

}  // namespace gavel::judge
