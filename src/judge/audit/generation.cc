#include "judge/audit/generation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gavel::judge {

void Returns::add(BatchId batch, const rules::Flow& flow, std::int64_t available) {
  if (steps_.empty() || steps_.back().batch != batch) steps_.push_back(Step{batch, 0, {}});
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
  if (const auto order = in_order()) {
    const auto [returns, last] = replay(*order);
    return {returns, returns, last};
  }
  const auto gives = [](const Step& step) { return step.available > 0; };
  const std::int64_t given = std::ranges::count_if(steps_, gives);
  return {std::min<std::int64_t>(given, 1), given, std::nullopt};
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

std::optional<std::vector<std::size_t>> Returns::in_order() const {
  const std::vector<std::vector<std::size_t>> after = followers();
  std::vector<std::size_t> waits_for(steps_.size());
  for (const auto& each : after) {
    for (const std::size_t follower : each) ++waits_for[follower];
  }
  std::vector<std::size_t> next;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (waits_for[i] == 0) next.push_back(i);
  }
  std::vector<std::size_t> order;
  while (next.size() == 1) {
    const std::size_t i = next.back();
    next.pop_back();
    order.push_back(i);
    for (const std::size_t follower : after[i]) {
      if (--waits_for[follower] == 0) next.push_back(follower);
    }
  }
  return order.size() == steps_.size() ? std::optional(std::move(order)) : std::nullopt;
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
