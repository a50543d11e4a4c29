// Rows: all tables of a database as vectors that a test may change, and a Reader that shows them. For tests.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "judge/reader.h"

namespace gavel::judge {

struct Rows {
  std::vector<rules::Sku> skus;
  std::vector<rules::Activity> activities;
  std::vector<rules::Item> items;
  std::vector<FlowRow> flows;  // In any order: the reader sorts them as each table wants.
  std::vector<rules::Order> orders;
  std::vector<rules::IdempotencyRecord> requests;
  std::vector<rules::IdempotencyRecord> orders_as_requests;
  std::vector<QuotaRow> quotas;
  std::vector<HoldRow> holds;
  std::vector<BatchRow> batches;
  std::size_t hidden_by_batch =
      0;  // So many of the last flows by batch are missing there, as in a lost index.
};

inline Rows rows_of(Reader& reader) {
  Rows rows;
  Reader::Visitor visitor;
  visitor.sku = [&](const auto& row) { rows.skus.push_back(row); };
  visitor.activity = [&](const auto& row) { rows.activities.push_back(row); };
  visitor.item = [&](const auto& row) { rows.items.push_back(row); };
  visitor.flow_by_bucket = [&](const auto& row) { rows.flows.push_back(row); };
  visitor.order = [&](const auto& row) { rows.orders.push_back(row); };
  visitor.request = [&](const auto& row) { rows.requests.push_back(row); };
  visitor.order_as_request = [&](const auto& row) { rows.orders_as_requests.push_back(row); };
  visitor.quota = [&](const auto& row) { rows.quotas.push_back(row); };
  visitor.hold = [&](const auto& row) { rows.holds.push_back(row); };
  visitor.batch = [&](const auto& row) { rows.batches.push_back(row); };
  CHECK(reader.visit(visitor).has_value());
  return rows;
}

// Shows rows that no store would hold. It answers visits alone.
class RowsReader final : public Reader {
 public:
  explicit RowsReader(Rows rows) : rows_(std::move(rows)) {}

  Result<Modes> modes() override { return fail(ErrorCode::invalid, "visit alone"); }
  Result<ItemThen> item_then(rules::ItemId, const std::map<rules::BucketNo, std::int64_t>&) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<Confirmation> confirm(const Doubts&) override { return fail(ErrorCode::invalid, "visit alone"); }
  Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode&, const rules::RequestId&) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::optional<OrderView>> order(rules::OrderId) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::optional<Trace>> trace(rules::OrderId) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>&,
                                                  std::size_t) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId&) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<RequestAges> request_ages(const std::optional<rules::RequestId>&, std::size_t) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode&) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode&) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<std::vector<StockRow>> short_items(rules::ItemId, std::size_t) override {
    return fail(ErrorCode::invalid, "visit alone");
  }
  Result<DueHolds> due(std::size_t) override { return fail(ErrorCode::invalid, "visit alone"); }
  Result<Sequel> follow(const Cursors&, std::size_t) override {
    return fail(ErrorCode::invalid, "visit alone");
  }

  Result<void> visit(const Visitor& visitor) override {
    show(visitor.sku, rows_.skus);
    show(visitor.activity, rows_.activities);
    show(visitor.item, rows_.items);
    show_flows(visitor);
    show(visitor.order, rows_.orders);
    show(visitor.request, rows_.requests);
    show(visitor.order_as_request, rows_.orders_as_requests);
    show(visitor.quota, rows_.quotas);
    show(visitor.hold, rows_.holds);
    show(visitor.batch, rows_.batches);
    return {};
  }

 private:
  template <class Row>
  static void show(const std::function<void(const Row&)>& visit, const std::vector<Row>& rows) {
    if (!visit) return;
    for (const Row& row : rows) visit(row);
  }

  void show_flows(const Visitor& visitor) const {
    std::vector<FlowRow> flows = rows_.flows;
    const auto chain = [](const FlowRow& r) { return std::tuple(r.flow.item, r.flow.bucket, r.flow.seq); };
    std::ranges::stable_sort(flows, {}, chain);
    show(visitor.flow_by_bucket, flows);
    std::vector<FlowRow> by_order = flows;
    std::erase_if(by_order, [](const FlowRow& row) { return !row.flow.order; });
    std::ranges::stable_sort(by_order, {}, [](const FlowRow& row) { return row.flow.order; });
    std::ranges::stable_sort(flows, {}, [](const FlowRow& row) { return std::tuple(row.batch, row.i); });
    for (std::size_t i = 0; i < rows_.hidden_by_batch; ++i) flows.pop_back();
    show(visitor.flow_by_batch, flows);
    show(visitor.flow_by_order, by_order);
  }

  const Rows rows_;
};

}  // namespace gavel::judge
