// Views: what the pipeline hands up of what lies below it, by the pipeline's name for it.
#pragma once

#include <optional>
#include <vector>

#include "gate/bucket.h"
#include "judge/audit/audit.h"
#include "judge/reader.h"
#include "rules/mode.h"

namespace gavel::pipeline {

using GateBucket = gate::Bucket;
using judge::AuditReport;
using judge::OrderView;
using judge::Reader;
using judge::StockRow;
using judge::Trace;

// One item of a SKU, as the judge has it and as the gate shows it.
struct GateView {
  StockRow row;
  rules::Mode mode;                                // The one that holds: direct or gated.
  std::vector<std::optional<GateBucket>> buckets;  // At the gate, by the number of the row's.
};

}  // namespace gavel::pipeline
