#include "queries/mapping.h"

#include "base/check.h"
#include "queries/gate_views.h"

namespace gavel::queries {

OrderView view_of(const judge::OrderRow& row) {
  OrderView view{.order = row.order, .activity = row.activity, .parts = {}};
  for (const auto& [sku, warehouse, bucket, quantity, returned, shipped] : row.parts) {
    view.parts.push_back({sku, warehouse, bucket, quantity, returned, shipped});
  }
  return view;
}

StockView view_of(const judge::StockRow& row) {
  StockView view{row.sku, row.warehouse, row.lot, row.pool, rules::Bucket{}, row.item.generation};
  for (const rules::Bucket& bucket : row.item.buckets) {
    view.sum.available += bucket.available;
    view.sum.reserved += bucket.reserved;
    view.sum.sold += bucket.sold;
    view.sum.shipped += bucket.shipped;
    view.sum.shortage += bucket.shortage;
    view.sum.seq += bucket.seq;
  }
  return view;
}

TraceView view_of(const judge::Trace& trace) {
  TraceView view{.requests = trace.requests, .order = view_of(trace.view), .steps = {}};
  for (const auto& [row, sku, warehouse] : trace.steps) {
    view.steps.push_back({row.flow, sku, warehouse, row.batch.lane.value, row.batch.n});
  }
  return view;
}

AuditView view_of(const judge::AuditReport& report) {
  AuditView view{report.items, report.flows, report.orders, report.batches, report.findings_total, {}};
  for (const auto& [invariant, what] : report.findings) view.findings.push_back({invariant, what});
  return view;
}

GateView view_of(const pipeline::GateSnapshot& snapshot) {
  CHECK(snapshot.buckets.size() == snapshot.row.item.buckets.size());
  GateView view{snapshot.row.sku, snapshot.row.pool, snapshot.mode, {}};
  for (std::size_t i = 0; i < snapshot.buckets.size(); ++i) {
    const std::optional<gate::Bucket>& bucket = snapshot.buckets[i];
    GateView::Bucket one{snapshot.row.item.buckets[i], std::nullopt};
    if (bucket) one.gate = {bucket->available, bucket->in_flight, bucket->seq, bucket->closed()};
    view.buckets.push_back(one);
  }
  return view;
}

std::vector<GateView> gate_views_of(const std::vector<pipeline::GateSnapshot>& snapshots) {
  std::vector<GateView> views;
  views.reserve(snapshots.size());
  for (const pipeline::GateSnapshot& snapshot : snapshots) views.push_back(view_of(snapshot));
  return views;
}

}  // namespace gavel::queries
