// GateSnapshot: the gate's numbers of a SKU's items beside the judge's, for operators.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "gate/gate.h"
#include "pipeline/executor.h"
#include "pipeline/gate_modes.h"
#include "pipeline/gate_reads.h"
#include "rules/ids.h"

namespace gavel::pipeline {

// One item of a SKU, as the judge has it and as the gate shows it.
struct GateSnapshot {
  judge::StockRow row;
  rules::Mode mode = rules::Mode::direct;            // The one that holds: direct or gated.
  std::vector<std::optional<gate::Bucket>> buckets;  // At the gate, by the number of the row's.
};

class GateSnapshotReader {
 public:
  using Snapshots = Result<std::optional<std::vector<GateSnapshot>>>;
  using Callback = std::move_only_function<void(Snapshots)>;

  // References outlive this, and Gate::close() is called before it ends.
  GateSnapshotReader(Executor& executor, gate::Gate& gate, rules::Incarnation incarnation, GateReads& reads,
                     const GateModes& modes)
      : executor_(executor), gate_(gate), incarnation_(incarnation), reads_(reads), modes_(modes) {}

  // Calls `done` once with the items of the SKU, or with nothing if there is no such SKU; `unavailable` if
  // judge or gate does not answer. Called on the executor; `done` is called on any thread.
  void read(const rules::SkuCode& sku, Callback done);

 private:
  using Rows = Result<std::optional<std::vector<judge::StockRow>>>;

  void read_gate(const rules::SkuCode& sku, const Rows& rows, Callback done);

  Executor& executor_;
  gate::Gate& gate_;
  const rules::Incarnation incarnation_;
  GateReads& reads_;
  const GateModes& modes_;
};

}  // namespace gavel::pipeline
