// What operators are shown of a SKU at the gate (A15). Pure; thread-safe.
#pragma once

#include <vector>

#include "queries/views.h"

namespace gavel::pipeline {
struct GateSnapshot;
}  // namespace gavel::pipeline

namespace gavel::queries {

std::vector<GateView> gate_views_of(const std::vector<pipeline::GateSnapshot>& snapshots);

}  // namespace gavel::queries
