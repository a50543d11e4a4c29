#include "pipeline/sold_out_times.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace gavel::pipeline {
namespace {

rules::Quantity available_in(const std::vector<rules::Bucket>& buckets) {
  rules::Quantity sum;
  for (const rules::Bucket& bucket : buckets) sum += bucket.available;
  return sum;
}

// Numbers that nothing has changed are perhaps unsound, and are not added up.
bool was_emptied(const rules::Item& item) {
  return item.buckets != item.loaded && available_in(item.buckets) == rules::no_units &&
         available_in(item.loaded) > rules::no_units;
}

}  // namespace

SoldOutTimes::SoldOutTimes(std::size_t items_max) : half_max_(items_max / 2) { CHECK(half_max_ >= 1); }

void SoldOutTimes::note(const rules::State& state, Duration steady_now) {
  for (const auto& [id, item] : state.items) {
    if (!was_emptied(item)) continue;
    const MutexLock lock(mutex_);
    since({id, item.generation}, steady_now);
  }
}

std::chrono::seconds SoldOutTimes::retry_after(const rules::ItemGeneration& short_of, Duration steady_now) {
  Duration begun;
  {
    const MutexLock lock(mutex_);
    begun = since(short_of, steady_now);
  }
  const auto lasted = std::chrono::floor<std::chrono::seconds>(steady_now - begun);
  return std::clamp(lasted, retry_after_least, retry_after_most);
}

std::size_t SoldOutTimes::size() const {
  const MutexLock lock(mutex_);
  return younger_.size() + older_.size();
}

// The first that anybody knows of this generation; a later generation takes the place of an earlier one, and
// whoever asks of an earlier one begins anew.
Duration SoldOutTimes::since(const rules::ItemGeneration& item, Duration steady_now) {
  auto found = younger_.find(item.item.value);
  if (found == younger_.end()) {
    SoldOut begun{item.generation, steady_now};
    if (const auto old = older_.extract(item.item.value)) begun = old.mapped();
    if (younger_.size() == half_max_) older_ = std::exchange(younger_, {});
    found = younger_.emplace(item.item.value, begun).first;
  }
  SoldOut& known = found->second;
  if (known.generation < item.generation) known = {item.generation, steady_now};
  return known.generation == item.generation ? known.since : steady_now;
}

}  // namespace gavel::pipeline
