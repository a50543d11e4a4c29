// TableScan: a walk through tables that are shown side by side, each in key order.
//
// A stage is a table, or several tables whose rows belong together and are merged by a key that they share.
// For readers: a form adds its stages, and step() shows the rows. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "judge/reader.h"

namespace gavel::judge {

// What the tables of a stage are merged by, in the order of its bytes.
using MergeKey = std::array<std::uint8_t, 16>;
MergeKey merge_key_of(rules::OrderId order);
MergeKey merge_key_of(BatchId batch);

// The rows of one table.
class TableRows {
 public:
  virtual ~TableRows() = default;
  // Goes to the next row, at first to the first one; false if there is none.
  virtual Result<bool> next() = 0;
  virtual MergeKey key() const = 0;
  virtual void show() const = 0;
};

class TableScan : public TablesReader::Scan {
 public:
  Result<bool> step(std::size_t rows_max) final;

 protected:
  using Rows = std::unique_ptr<TableRows>;

  // Tables that are not to be shown are null. Of rows with one key those of the earlier table come first.
  template <class... Tables>
  void add_stage(Tables... tables) {
    Stage stage;
    (add_table(stage, std::move(tables)), ...);
    if (!stage.empty()) stages_.push_back(std::move(stage));
  }

  // For a form whose tables have to go before something of its own.
  void drop_stages() { stages_.clear(); }

 private:
  struct Table {
    Rows rows;
    enum class At : std::uint8_t { before_row, on_row, end } at = At::before_row;
  };
  using Stage = std::vector<Table>;

  static void add_table(Stage& stage, Rows rows) {
    if (rows != nullptr) stage.push_back({std::move(rows)});
  }
  static Result<bool> show_row(Stage& stage);
  static Result<Table*> first_of(Stage& stage);

  std::vector<Stage> stages_;
  std::size_t stage_ = 0;        // The one that is being walked through.
  std::optional<Error> failed_;  // What the walk ended with.
};

}  // namespace gavel::judge
