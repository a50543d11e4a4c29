#include "app/demo/sale_reading.h"

#include <utility>

namespace gavel::app {

Result<SaleReading> read_sale(OperatorClient& server, const SaleTarget& target, const SaleRun& run) {
  SaleReading reading;
  auto stock = server.stock_of(target.sku, target.activity);
  if (!stock) return std::unexpected(stock.error());
  reading.stock = *stock;
  auto left = server.left_at_gate(target.sku, target.activity);
  if (!left) return std::unexpected(left.error());
  reading.left_at_gate = *left;
  for (const SaleRun::Result& result : run.results) {
    if (result.first.status != 201) continue;
    auto order = server.order(result.first.order);
    if (!order) return std::unexpected(order.error());
    reading.orders.push_back(*std::move(order));
  }
  auto audit = server.audit();
  if (!audit) return std::unexpected(audit.error());
  reading.audit = *std::move(audit);
  return reading;
}

}  // namespace gavel::app
