#include "sim/scheduler.h"

#include <algorithm>

namespace gavel::sim {

void Scheduler::at(Micros when, Event event) {
  queue_.emplace(std::pair(std::max(when, now_), next_++), std::move(event));
}

bool Scheduler::run_one() {
  if (queue_.empty()) return false;
  const auto first = queue_.begin();
  now_ = first->first.first;
  const Event event = std::move(first->second);
  queue_.erase(first);
  ++events_;
  event();
  return true;
}

void Scheduler::run_until(Micros when) {
  while (!queue_.empty() && queue_.begin()->first.first <= when) run_one();
  now_ = std::max(now_, when);
}

void Scheduler::leap(Micros by) {
  now_ += by;
  std::map<std::pair<Micros, std::uint64_t>, Event> later;
  for (auto& [key, event] : queue_) {
    later.emplace_hint(later.end(), std::pair(key.first + by, key.second), std::move(event));
  }
  queue_ = std::move(later);
}

}  // namespace gavel::sim
