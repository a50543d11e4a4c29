#include "judge/table_scan.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::judge {
namespace {

void put(MergeKey& key, std::size_t at, std::int64_t value) {
  // The sign bit is turned, so that the bytes are in the order of the numbers.
  const auto bits = static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63U);
  for (std::size_t i = 0; i < 8; ++i) key[at + i] = static_cast<std::uint8_t>(bits >> (56U - 8U * i));
}

}  // namespace

MergeKey merge_key_of(rules::OrderId order) { return order.uuid.bytes; }

MergeKey merge_key_of(BatchId batch) {
  MergeKey key{};
  put(key, 0, batch.lane.value);
  put(key, 8, batch.n);
  return key;
}

Result<bool> TableScan::step(std::size_t rows_max) {
  CHECK(rows_max >= 1);
  if (failed_) return std::unexpected(*failed_);
  for (std::size_t shown = 0; stage_ < stages_.size();) {
    if (shown == rows_max) return true;
    const Result<bool> row = show_row(stages_[stage_]);
    if (!row) {
      failed_ = row.error();
      return std::unexpected(*failed_);
    }
    if (*row) {
      ++shown;
    } else {
      stages_[stage_++].clear();
    }
  }
  return false;
}

// False at the end of the stage.
Result<bool> TableScan::show_row(Stage& stage) {
  const Result<Table*> table = first_of(stage);
  if (!table) return std::unexpected(table.error());
  if (*table == nullptr) return false;
  (*table)->rows->show();
  (*table)->at = Table::At::before_row;
  return true;
}

// The table whose row comes next; null if no table has one.
Result<TableScan::Table*> TableScan::first_of(Stage& stage) {
  Table* first = nullptr;
  for (Table& table : stage) {
    if (table.at == Table::At::before_row) {
      const Result<bool> row = table.rows->next();
      if (!row) return std::unexpected(row.error());
      table.at = *row ? Table::At::on_row : Table::At::end;
    }
    if (table.at == Table::At::end) continue;
    if (first == nullptr || (stage.size() > 1 && table.rows->key() < first->rows->key())) first = &table;
  }
  return first;
}

}  // namespace gavel::judge
