// GateSnapshot: one item of a SKU, as the judge has it and as the gate shows it.
#pragma once

#include <optional>
#include <vector>

#include "gate/bucket.h"
#include "judge/reader.h"
#include "rules/mode.h"

namespace gavel::pipeline {

struct GateSnapshot {
  judge::StockRow row;
  rules::Mode mode;                                  // The one that holds: direct or gated.
  std::vector<std::optional<gate::Bucket>> buckets;  // At the gate, by the number of the row's.
};

}  // namespace gavel::pipeline
