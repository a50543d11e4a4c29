// SaleReading: what a running server shows of a sale after it: stock, gate, orders, and verify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/client/operator_client.h"
#include "app/demo/sale_run.h"
#include "base/result.h"
#include "judge/audit/audit.h"

namespace gavel::app {

struct SaleReading {
  std::optional<StockCounts> stock;          // Of the activity's stock item; nothing if it was not listed.
  std::optional<std::int64_t> left_at_gate;  // Of the same; nothing where the gate does not show it.
  std::vector<OrderSummary> orders;          // Each order that was answered 201, read by its id.
  judge::AuditReport audit;
};

// Blocks; the errors of the client.
Result<SaleReading> read_sale(OperatorClient& server, const SaleTarget& target, const SaleRun& run);

}  // namespace gavel::app
