// Rows: all tables of a database as vectors that a test may change, and a reader that shows them. For tests.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "judge/reader.h"
#include "judge/table_scan.h"

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

// Shows rows that no store would hold, in the order in which a store would show them.
class RowsReader final : public TablesReader {
 public:
  // `scratch_folder` is what it says to those who sort.
  explicit RowsReader(Rows rows, std::string scratch_folder = {})
      : rows_(std::move(rows)), scratch_folder_(std::move(scratch_folder)) {
    by_bucket_ = sorted(rows_.flows, [](const FlowRow& row) {
      return std::tuple(row.flow.item, row.flow.bucket, row.flow.seq);
    });
    by_order_ = by_bucket_;
    std::erase_if(by_order_, [](const FlowRow& row) { return !row.flow.order; });
    by_order_ = sorted(by_order_, [](const FlowRow& row) { return row.flow.order; });
    by_batch_ = sorted(by_bucket_, [](const FlowRow& row) { return std::tuple(row.batch, row.i); });
    for (std::size_t i = 0; i < rows_.hidden_by_batch; ++i) by_batch_.pop_back();
    const auto key_of = [](const rules::IdempotencyRecord& row) { return std::pair(row.caller, row.key); };
    rows_.requests = sorted(rows_.requests, key_of);
    rows_.batches = sorted(rows_.batches, [](const BatchRow& row) { return row.batch; });
    rows_.quotas = sorted(rows_.quotas, [](const QuotaRow& row) { return row.key; });
    rows_.holds = sorted(rows_.holds,
                         [](const HoldRow& row) { return std::tuple(row.item, row.expires_at, row.order); });
  }

  Result<std::unique_ptr<Scan>> scan(Visitor visitor) override {
    return std::make_unique<RowsScan>(*this, std::move(visitor));
  }
  std::string scratch_folder() const override { return scratch_folder_; }

 private:
  template <class Row, class KeyOf>
  static std::vector<Row> sorted(std::vector<Row> rows, KeyOf key_of) {
    std::ranges::stable_sort(rows, {}, key_of);
    return rows;
  }

  template <class Row>
  class RowsTable final : public TableRows {
   public:
    using KeyOf = std::function<MergeKey(const Row&)>;
    RowsTable(const std::vector<Row>& rows, const std::function<void(const Row&)>& see, KeyOf key_of)
        : rows_(rows), see_(see), key_of_(std::move(key_of)) {}
    Result<bool> next() override { return ++count_ <= rows_.size(); }
    MergeKey key() const override { return key_of_(rows_.at(count_ - 1)); }
    void show() const override { see_(rows_.at(count_ - 1)); }

   private:
    const std::vector<Row>& rows_;
    const std::function<void(const Row&)>& see_;
    const KeyOf key_of_;
    std::size_t count_ = 0;
  };

  class RowsScan final : public TableScan {
   public:
    RowsScan(const RowsReader& reader, Visitor visitor) : reader_(reader), visitor_(std::move(visitor)) {
      const judge::Rows& rows = reader_.rows_;
      const auto alone = [](const auto&) { return MergeKey{}; };
      const auto of_batch = [](const auto& row) { return merge_key_of(row.batch); };
      add_stage(table(visitor_.sku, rows.skus, alone));
      add_stage(table(visitor_.activity, rows.activities, alone));
      add_stage(table(visitor_.item, rows.items, alone));
      add_stage(table(visitor_.flow_by_bucket, reader_.by_bucket_, alone));
      add_stage(table(visitor_.flow_by_batch, reader_.by_batch_, of_batch),
                table(visitor_.batch, rows.batches, of_batch));
      add_stage(table(visitor_.request, rows.requests, alone));
      add_stage(
          table(visitor_.flow_by_order, reader_.by_order_,
                [](const FlowRow& row) { return merge_key_of(*row.flow.order); }),
          table(visitor_.order, rows.orders, [](const rules::Order& row) { return merge_key_of(row.id); }),
          table(visitor_.order_as_request, rows.orders_as_requests, carried_key_of));
      add_stage(table(visitor_.quota, rows.quotas, alone));
      add_stage(table(visitor_.hold, rows.holds, alone));
    }

    Result<OrderRows> find(rules::OrderId id) override {
      OrderRows found;
      found.has_order =
          std::ranges::find(reader_.rows_.orders, id, &rules::Order::id) != reader_.rows_.orders.end();
      std::ranges::copy_if(reader_.by_order_, std::back_inserter(found.flows),
                           [&](const FlowRow& row) { return row.flow.order == id; });
      return found;
    }

   private:
    static MergeKey carried_key_of(const rules::IdempotencyRecord& row) {
      return merge_key_of(rules::OrderId{row.key.uuid7().value_or(Uuid{})});
    }
    template <class Row, class KeyOf>
    static std::unique_ptr<TableRows> table(const std::function<void(const Row&)>& see,
                                            const std::vector<Row>& rows, KeyOf key_of) {
      if (!see) return nullptr;
      return std::make_unique<RowsTable<Row>>(rows, see, key_of);
    }

    const RowsReader& reader_;
    const Visitor visitor_;
  };

  Rows rows_;
  std::vector<FlowRow> by_bucket_, by_batch_, by_order_;
  const std::string scratch_folder_;
};

}  // namespace gavel::judge
