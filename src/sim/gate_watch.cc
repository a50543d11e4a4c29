#include "sim/gate_watch.h"

#include <algorithm>

namespace gavel::sim {
namespace {

using gate::Bucket;
using gate::BucketKey;

constexpr std::size_t violations_max = 20;

std::string text_of(const Bucket& bucket) { return to_text(std::optional(bucket)); }

bool goes_back(const Bucket& before, const Bucket& after) {
  if (after.seq < before.seq || after.open < before.open || after.shut < before.shut) return true;
  for (const auto& [instance, holding] : before.holdings) {
    const auto now = after.holdings.find(instance);
    if (now != after.holdings.end() && now->second.op < holding.op) return true;
  }
  return false;
}

}  // namespace

void GateWatch::committed(const rules::State& state) {
  for (const auto& [id, item] : state.items) {
    if (item.available() == rules::no_units) emptied_[id] = std::max(emptied_[id], item.generation);
    // An item begins empty in generation 1, even if the batch that makes it fills it too.
    if (item.row_state == rules::RowState::inserted) emptied_.try_emplace(id, 1);
    // A bucket begins with nothing, whether its item is made or gets more of them.
    const std::size_t first = item.row_state == rules::RowState::inserted ? 0 : item.loaded.size();
    for (std::size_t no = first; no < item.buckets.size(); ++no) {
      available_[{id, static_cast<rules::BucketNo>(no)}][0] = rules::no_units;
    }
  }
  for (const rules::Flow& flow : state.flows) available_[{flow.item, flow.bucket}][flow.seq] = flow.after;
}

void GateWatch::called(const BucketKey& key, const std::optional<Bucket>& before,
                       const std::optional<Bucket>& after) {
  if (!after) return;
  if (before && goes_back(*before, *after))
    complain(key, "goes back from " + text_of(*before) + " to " + text_of(*after));
  if (!fired(Fault::gate_corrupted)) check_truth(key, *after);
}

// Drift is exact by position: the flow at the gate's seq shows the gate's number (A15).
void GateWatch::check_truth(const BucketKey& key, const Bucket& bucket) {
  rules::Quantity held;
  for (const auto& [instance, holding] : bucket.holdings) held += holding.tokens;
  if (bucket.in_flight != held) complain(key, "counts other tokens than are held: " + text_of(bucket));
  const auto& positions = available_[{key.item, key.bucket}];
  const auto position = positions.find(bucket.seq);
  if (position == positions.end() || position->second != bucket.available) {
    complain(key, "never had so many at that seq: " + text_of(bucket));
  }
  if (bucket.shut > emptied_[key.item])
    complain(key, "is shut for a generation that was never empty: " + text_of(bucket));
}

void GateWatch::complain(const BucketKey& key, const std::string& what) {
  if (violations_.size() < violations_max) violations_.push_back("gate: bucket " + to_text(key) + " " + what);
}

}  // namespace gavel::sim
