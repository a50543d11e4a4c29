#include "judge/audit/generation.h"

#include <algorithm>
#include <utility>

namespace gavel::judge {

void Returns::add(BatchId batch, const rules::Flow& flow, std::int64_t available, std::size_t& steps_held) {
  if (step_ && step_->batch != batch) end_step(steps_held);
  if (!step_) step_.emplace(Step{{batch}, 0});
  step_->available += available;
  step_->add(flow.bucket, flow.seq);
}

void Returns::end_step(std::size_t& steps_held) {
  const Step step = *std::exchange(step_, std::nullopt);
  if (!goes_on(step)) in_order_ = false;
  one_lane_ = one_lane_ && (!lane_ || lane_ == step.batch.lane);
  lane_ = step.batch.lane;
  ++steps_;
  if (step.available > 0) ++steps_that_give_;
  for (const auto& [bucket, seq] : step.links) links_[bucket] = {seq, steps_};
  as_seen_.take(step);
  hold(step, steps_held);
}

// Whether the step comes after all that were seen, directly after the last one: it goes back in no bucket,
// and is the next of its lane, or of a bucket.
bool Returns::goes_on(const Step& step) const {
  bool is_next = !lane_ || *lane_ == step.batch.lane;
  for (const auto& [bucket, seq] : step.links) {
    const auto link = links_.find(bucket);
    if (link == links_.end()) continue;
    if (seq <= link->second.seq) return false;
    is_next = is_next || link->second.step == steps_;
  }
  return is_next;
}

void Returns::hold(const Step& step, std::size_t& steps_held) {
  if (!holds_all_) return;
  if (steps_held < steps_held_max) {
    held_.push_back(step);
    ++steps_held;
    return;
  }
  holds_all_ = false;
  steps_held -= held_.size();
  std::vector<Step>().swap(held_);
}

void Returns::Replay::take(const Step& step) {
  const bool was_empty = available == 0;
  available += step.available;
  if (!was_empty || available <= 0) return;
  ++returns;
  last = step.batch;
}

Returns::Count Returns::count() {
  std::size_t steps_held = held_.size();
  if (step_) end_step(steps_held);
  if (one_lane_ || in_order_) return as_seen_.count();
  if (holds_all_) {
    if (const auto order = order_of_batches(held_)) {
      Replay replay;
      for (const std::size_t i : *order) replay.take(held_[i]);
      return replay.count();
    }
  }
  return {std::min<std::int64_t>(steps_that_give_, 1), steps_that_give_, std::nullopt};
}

}  // namespace gavel::judge
