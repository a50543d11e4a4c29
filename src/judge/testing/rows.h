// Rows: all tables of a database as vectors that a test may change, and a reader that shows them. For tests.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
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

inline Rows rows_of(TablesReader& reader) {
  Rows rows;
  TablesReader::Visitor visitor;
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

// Shows rows that no store would hold, all of them in one step.
class RowsReader final : public TablesReader {
 public:
  explicit RowsReader(Rows rows) : rows_(std::move(rows)) {}

  Result<std::unique_ptr<Scan>> scan(Visitor visitor) override {
    return std::make_unique<OneStep>(*this, std::move(visitor));
  }

 private:
  class OneStep final : public Scan {
   public:
    OneStep(const RowsReader& reader, Visitor visitor) : reader_(reader), visitor_(std::move(visitor)) {}
    Result<bool> step(std::size_t) override {
      reader_.show_all(visitor_);
      return false;
    }

   private:
    const RowsReader& reader_;
    const Visitor visitor_;
  };

  void show_all(const Visitor& visitor) const {
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
  }

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
