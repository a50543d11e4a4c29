#include "http/shown.h"

namespace gavel::http {

GateShown shown_of(const pipeline::GateView& view) {
  GateShown shown{view.row.sku, view.row.pool, view.mode, {}};
  for (std::size_t i = 0; i < view.buckets.size(); ++i) {
    const std::optional<pipeline::GateBucket>& bucket = view.buckets[i];
    GateShown::Bucket one{view.row.item.buckets[i], std::nullopt};
    if (bucket) one.gate = {bucket->available, bucket->in_flight, bucket->seq, bucket->closed()};
    shown.buckets.push_back(one);
  }
  return shown;
}

Verification shown_of(const pipeline::AuditReport& report) {
  Verification shown{report.items, report.flows, report.orders, report.batches, report.findings_total, {}};
  for (const auto& finding : report.findings) {
    shown.findings.push_back(Verification::Found{finding.invariant, finding.what});
  }
  return shown;
}

}  // namespace gavel::http
