#include "pipeline/committed_items.h"

namespace gavel::pipeline {

std::vector<rules::Item> items_of(const rules::State& state) {
  std::vector<rules::Item> items;
  items.reserve(state.items.size());
  for (const auto& [id, item] : state.items) items.push_back(item);
  return items;
}

judge::Modes modes_of(const rules::State& state) {
  judge::Modes modes;
  for (const auto& [code, sku] : state.skus) {
    if (sku.row_state != rules::RowState::clean) modes.skus.emplace(code, sku.mode);
  }
  for (const auto& [code, activity] : state.activities) {
    if (activity.row_state != rules::RowState::clean) modes.activities.emplace(code, activity.mode);
  }
  return modes;
}

}  // namespace gavel::pipeline
