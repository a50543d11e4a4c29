#include "judge/audit/audit.h"

#include <limits>
#include <utility>

#include "base/check.h"
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

class AuditRun::Parts {
 public:
  TablesReader::Visitor visitor();

  Result<bool> step(std::size_t rows_max) {
    CHECK(scan != nullptr && !is_done);
    const Result<bool> more = scan->step(rows_max);
    if (!more || *more) return more;
    stock_.finish();
    orders_.finish();
    is_done = true;
    scan.reset();  // The snapshot is needed no longer.
    return false;
  }

  AuditReport report;
  std::unique_ptr<TablesReader::Scan> scan;
  bool is_done = false;

 private:
  StockAudit stock_{report};
  OrderAudit orders_{report};
};

TablesReader::Visitor AuditRun::Parts::visitor() {
  TablesReader::Visitor visitor;
  visitor.sku = [this](const rules::Sku& row) { orders_.sku(row); };
  visitor.activity = [this](const rules::Activity& row) { orders_.activity(row); };
  visitor.item = [this](const rules::Item& row) {
    ++report.items;
    stock_.item(row);
    orders_.item(row);
  };
  visitor.flow_by_bucket = [this](const FlowRow& row) {
    ++report.flows;
    stock_.flow_by_bucket(row);
  };
  visitor.flow_by_batch = [this](const FlowRow& row) {
    stock_.flow_by_batch(row);
    orders_.flow_by_batch(row);
  };
  visitor.flow_by_order = [this](const FlowRow& row) { orders_.flow_by_order(row); };
  visitor.order = [this](const rules::Order& row) {
    ++report.orders;
    orders_.order(row);
  };
  visitor.request = [this](const rules::IdempotencyRecord& row) { orders_.request(row); };
  visitor.order_as_request = [this](const rules::IdempotencyRecord& row) { orders_.order_as_request(row); };
  visitor.quota = [this](const QuotaRow& row) { orders_.quota(row); };
  visitor.hold = [this](const HoldRow& row) { orders_.hold(row); };
  visitor.batch = [this](const BatchRow& row) {
    ++report.batches;
    stock_.batch(row);
  };
  return visitor;
}

AuditRun::AuditRun(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
AuditRun::AuditRun(AuditRun&& from) noexcept = default;
AuditRun::~AuditRun() = default;

Result<AuditRun> AuditRun::begin(TablesReader& reader) {
  auto parts = std::make_unique<Parts>();
  auto scan = reader.scan(parts->visitor());
  if (!scan) return std::unexpected(scan.error());
  parts->scan = *std::move(scan);
  return AuditRun(std::move(parts));
}

Result<bool> AuditRun::step(std::size_t rows_max) { return parts_->step(rows_max); }

const AuditReport& AuditRun::report() const {
  CHECK(parts_->is_done);
  return parts_->report;
}

Result<AuditReport> audit(TablesReader& reader) {
  auto run = AuditRun::begin(reader);
  if (!run) return std::unexpected(run.error());
  const Result<bool> more = run->step(std::numeric_limits<std::size_t>::max());
  if (!more) return std::unexpected(more.error());
  return run->report();
}

}  // namespace gavel::judge
