// GateSnapshot: what the gate shows of a SKU's items beside what the judge has, for operators.
#pragma once

#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "gate/gate.h"
#include "pipeline/gate_modes.h"
#include "pipeline/reads.h"
#include "rules/ids.h"

namespace gavel::pipeline {

// One item of a SKU, as the judge has it and as the gate shows it.
struct GateSnapshot {
  StockRow row;
  rules::Mode mode;                                  // The one that holds: direct or gated.
  std::vector<std::optional<gate::Bucket>> buckets;  // At the gate, by the number of the row's.
};

// Reads them, on the pipeline's executor. References outlive this.
class GateSnapshotReader {
 public:
  GateSnapshotReader(gate::Gate& gate, gate::Incarnation incarnation, Reads& reads, const GateModes& modes)
      : gate_(gate), incarnation_(incarnation), reads_(reads), modes_(modes) {}

  // The items of a SKU; nothing if there is no such SKU. `unavailable` if judge or gate does not answer.
  boost::asio::awaitable<Result<std::optional<std::vector<GateSnapshot>>>> read(rules::SkuCode sku);

 private:
  gate::Gate& gate_;
  const gate::Incarnation incarnation_;
  Reads& reads_;
  const GateModes& modes_;
};

}  // namespace gavel::pipeline
