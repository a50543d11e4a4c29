// CommittedItems: the result of a committed batch, as far as the gate's side needs it. Value type; pure.
#pragma once

#include <vector>

#include "judge/reader.h"
#include "rules/state.h"

namespace gavel::pipeline {

struct CommittedItems {
  std::vector<rules::Item> items;
  judge::Modes modes;  // Of the SKUs and activities that it made or changed, `service` included.
};

std::vector<rules::Item> items_of(const rules::State& state);
judge::Modes modes_of(const rules::State& state);

}  // namespace gavel::pipeline
