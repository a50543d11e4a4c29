// StockAudit: what the ledger says of stock: chain, buckets, conservation, shortage, moves, batches,
// generation.
//
// Takes the rows of one visit, in the order in which TablesReader::Visitor names the tables; finish() comes
// when all rows were seen. It holds the stock items with their buckets, and of the ledger the present batch.
// Private to audit/. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "judge/audit/findings.h"
#include "judge/audit/generation.h"
#include "judge/audit/migration.h"
#include "judge/reader.h"

namespace gavel::judge {

class StockAudit {
 public:
  StockAudit(Findings& findings, MigrationAudit& migration) : findings_(findings), migration_(migration) {}

  void item(const rules::Item& row);
  void flow_by_bucket(const FlowRow& row);
  void flow_by_batch(const FlowRow& row);
  void batch(const BatchRow& row);
  void finish();

 private:
  // A bucket as its row says, and as its flows say.
  struct Chain {
    rules::Bucket row;
    rules::Bucket replayed;
    std::int64_t last_after = 0;
    bool broken = false;  // The first entry that breaks a chain is named; what follows from it is not.
  };
  struct Stock {
    rules::SkuId sku;
    std::int64_t generation = 0;
    std::vector<Chain> chains;
    std::int64_t came_in = 0;
    Returns returns;
  };

  void check_link(const rules::Flow& flow, Chain& chain);
  void check_stock(rules::ItemId id, Stock& stock);
  void end_batch();
  void check_moves();
  void forget_batch();

  Findings& findings_;
  MigrationAudit& migration_;
  std::map<rules::ItemId, Stock> stocks_;
  std::int64_t flows_by_bucket_ = 0;
  std::int64_t flows_by_batch_ = 0;
  std::size_t steps_held_ = 0;

  // Of the batch whose rows are being seen.
  std::optional<BatchId> current_;
  std::int64_t next_i_ = 0;
  std::int64_t flows_of_batch_ = 0;
  std::map<rules::SkuId, std::pair<std::int64_t, std::int64_t>> moved_;  // out, in

  BatchId previous_{rules::LaneId{0}, 0};
};

}  // namespace gavel::judge
