#include "pipeline/hot_skus.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace gavel::pipeline {
namespace {

constexpr const char* others = "(others)";

}  // namespace

void HotSkus::add(const rules::Command& command, rules::Outcome outcome) {
  const auto* reserve = std::get_if<rules::Reserve>(&command.act);
  if (reserve == nullptr) return;
  const MutexLock lock(mutex_);
  cool();
  for (const rules::Line& line : reserve->lines) add(line.sku, outcome);
}

void HotSkus::add(const rules::SkuCode& sku, rules::Outcome outcome) {
  // A SKU that there is no room to watch is no hot one: it is looked at again when others have cooled down.
  const auto heat = heat_.find(sku);
  if (heat != heat_.end()) {
    ++heat->second;
  } else if (heat_.size() < watched_skus_max) {
    heat_.emplace(sku, 1);
  }
  auto found = hot_.find(sku);
  if (found == hot_.end()) {
    admit(sku);
    found = hot_.find(sku);
  }
  ++(found == hot_.end() ? others_ : found->second)[outcome];
}

std::uint64_t HotSkus::heat_of(const rules::SkuCode& sku) const {
  const auto found = heat_.find(sku);
  return found == heat_.end() ? 0 : found->second;
}

void HotSkus::admit(const rules::SkuCode& sku) {
  if (sku.text() == others) return;
  if (hot_.size() == hot_skus_max) {
    // By hand, since a lambda would not be known to hold the mutex.
    auto coldest = hot_.begin();
    for (auto at = hot_.begin(); at != hot_.end(); ++at) {
      if (heat_of(at->first) < heat_of(coldest->first)) coldest = at;
    }
    if (heat_of(sku) <= 2 * heat_of(coldest->first)) return;
    hot_.erase(coldest);
  }
  hot_.emplace(sku, Counts{});
}

void HotSkus::cool() {
  const Duration now = clock_.steady();
  if (now - cooled_at_ < heat_halves_every) return;
  cooled_at_ = now;
  for (auto at = heat_.begin(); at != heat_.end();) {
    at->second /= 2;
    at = at->second == 0 ? heat_.erase(at) : std::next(at);
  }
}

std::vector<Sample> HotSkus::samples() const {
  const MutexLock lock(mutex_);
  std::vector<Sample> samples;
  const auto tell = [&](const std::string& sku, const Counts& counts) {
    for (const auto& [outcome, count] : counts) {
      samples.push_back(
          {{{"sku", sku}, {"outcome", std::string(rules::word(outcome))}}, static_cast<double>(count)});
    }
  };
  for (const auto& [sku, counts] : hot_) tell(sku.text(), counts);
  tell(others, others_);
  return samples;
}

void watch(MetricsRegistry& metrics, const HotSkus& skus) {
  metrics.watch_counters("gavel_pipeline_sku_answers_total",
                         "Answers to orders, by SKU: of the hottest, and of all others together.",
                         [&skus] { return skus.samples(); });
}

}  // namespace gavel::pipeline
