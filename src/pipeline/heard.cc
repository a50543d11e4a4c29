#include "pipeline/heard.h"

namespace gavel::pipeline {

Heard heard_of(const rules::State& state) {
  Heard heard;
  for (const auto& [id, item] : state.items) heard.items.push_back(item);
  for (const auto& [code, sku] : state.skus) {
    if (sku.change != rules::Change::loaded) heard.modes.skus.emplace(code, sku.mode);
  }
  for (const auto& [code, activity] : state.activities) {
    if (activity.change != rules::Change::loaded) heard.modes.activities.emplace(code, activity.mode);
  }
  return heard;
}

}  // namespace gavel::pipeline
