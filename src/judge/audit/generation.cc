#include "judge/audit/generation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gavel::judge {

void Returns::add(BatchId batch, const rules::Flow& flow, std::int64_t available) {
  if (steps_.empty() || steps_.back().batch != batch) steps_.push_back(Step{{batch}, 0});
  steps_.back().available += available;
  steps_.back().add(flow.bucket, flow.seq);
}

Returns::Count Returns::count() const {
  const bool one_lane = steps_.empty() || steps_.front().batch.lane == steps_.back().batch.lane;
  if (one_lane) {
    std::vector<std::size_t> as_written(steps_.size());
    std::iota(as_written.begin(), as_written.end(), std::size_t{0});
    const auto [returns, last] = replay(as_written);
    return {returns, returns, last};
  }
  if (const auto order = order_of_batches(steps_)) {
    const auto [returns, last] = replay(*order);
    return {returns, returns, last};
  }
  const auto gives = [](const Step& step) { return step.available > 0; };
  const std::int64_t given = std::ranges::count_if(steps_, gives);
  return {std::min<std::int64_t>(given, 1), given, std::nullopt};
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
