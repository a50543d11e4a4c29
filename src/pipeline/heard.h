// Heard: what a committed batch left behind, as far as the gate has to hear of it. Value type; pure.
#pragma once

#include <vector>

#include "judge/reader.h"
#include "rules/state.h"

namespace gavel::pipeline {

struct Heard {
  std::vector<rules::Item> items;
  judge::Modes modes;  // Of the SKUs and activities that it made or changed, `service` included.
};

std::vector<rules::Item> items_of(const rules::State& state);
judge::Modes modes_of(const rules::State& state);

}  // namespace gavel::pipeline
