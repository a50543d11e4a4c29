#include "judge/audit/audit.h"

#include <utility>

#include "judge/audit/parts.h"

namespace gavel::judge {

void add_finding(AuditReport& report, std::string_view invariant, std::string what) {
  ++report.findings_total;
  if (report.findings.size() < findings_max)
    report.findings.push_back({std::string(invariant), std::move(what)});
}

std::string name_of(rules::ItemId item, rules::BucketNo bucket) {
  return "bucket " + std::to_string(item.value) + "/" + std::to_string(bucket);
}

std::string name_of(rules::OrderId order) { return "order " + to_text(order.uuid); }

std::string name_of(BatchId batch) {
  return "batch " + std::to_string(batch.lane.value) + "." + std::to_string(batch.n);
}

std::string name_of(const rules::Flow& flow) {
  return "seq " + std::to_string(flow.seq) + " of " + name_of(flow.item, flow.bucket);
}

Result<AuditReport> audit(Reader& reader) {
  AuditReport report;
  StockAudit stock(report);
  OrderAudit orders(report);
  Reader::Visitor visitor;
  visitor.sku = [&](const rules::Sku& row) { orders.sku(row); };
  visitor.activity = [&](const rules::Activity& row) { orders.activity(row); };
  visitor.item = [&](const rules::Item& row) {
    ++report.items;
    stock.item(row);
    orders.item(row);
  };
  visitor.flow_by_bucket = [&](const FlowRow& row) {
    ++report.flows;
    stock.flow_by_bucket(row);
  };
  visitor.flow_by_batch = [&](const FlowRow& row) {
    stock.flow_by_batch(row);
    orders.flow_by_batch(row);
  };
  visitor.flow_by_order = [&](const FlowRow& row) { orders.flow_by_order(row); };
  visitor.order = [&](const rules::Order& row) {
    ++report.orders;
    orders.order(row);
  };
  visitor.request = [&](const rules::IdempotencyRecord& row) { orders.request(row); };
  visitor.order_as_request = [&](const rules::IdempotencyRecord& row) { orders.order_as_request(row); };
  visitor.quota = [&](const QuotaRow& row) { orders.quota(row); };
  visitor.hold = [&](const HoldRow& row) { orders.hold(row); };
  visitor.batch = [&](const BatchRow& row) {
    ++report.batches;
    stock.batch(row);
  };
  if (const auto visited = reader.visit(visitor); !visited) return std::unexpected(visited.error());
  stock.finish();
  orders.finish();
  return report;
}

}  // namespace gavel::judge
