#include "pipeline/gate_modes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace gavel::pipeline {
namespace {

using rules::Mode;

bool gates(const judge::Modes& modes) {
  const auto is_gated = [](const auto& set) { return set.second == Mode::gated; };
  return std::ranges::any_of(modes.skus, is_gated) || std::ranges::any_of(modes.activities, is_gated);
}

template <class Code>
Mode mode_in(const std::map<Code, Mode>& set, const Code& code) {
  const auto found = set.find(code);
  return found == set.end() ? Mode::service : found->second;
}

// What follows the service needs no entry.
template <class Code>
void apply_to(std::map<Code, Mode>& set, const std::map<Code, Mode>& changes) {
  for (const auto& [code, mode] : changes) {
    if (mode == Mode::service) {
      set.erase(code);
    } else {
      set.insert_or_assign(code, mode);
    }
  }
}

}  // namespace

StockPool pool_of(const rules::SkuCode& sku, const judge::StockRow& row) {
  if (row.pool == "-") return {sku, std::nullopt};
  return {sku, rules::ActivityCode(row.pool)};
}

GateModes::GateModes(Mode service, judge::Modes set)
    : service_(service), set_(std::move(set)), any_gated_(service == Mode::gated || gates(set_)) {
  CHECK(service_ != Mode::service);
}

Mode GateModes::mode_of(const StockPool& pool) const {
  const Mode of_activity = pool.activity ? mode_in(set_.activities, *pool.activity) : Mode::service;
  return effective(of_activity, mode_in(set_.skus, pool.sku), service_);
}

void GateModes::apply(const judge::Modes& changes) {
  if (gates(changes)) any_gated_.store(true, std::memory_order_release);
  apply_to(set_.skus, changes.skus);
  apply_to(set_.activities, changes.activities);
}

}  // namespace gavel::pipeline
