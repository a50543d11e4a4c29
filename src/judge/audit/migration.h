// MigrationAudit: what the step to schema 6 shipped (E22).
//
// Orders that were paid before shipping was told had their units marked as shipped, and each bucket got one
// entry `ship` of no order for all of them (docs/adr/0030). So of such an order its own entries explain fewer
// shipped units than its row says; what they leave open, summed over the orders of a bucket, is the bucket's
// entry. Private to audit/. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "judge/audit/findings.h"
#include "rules/flow.h"

namespace gavel::judge {

class MigrationAudit {
 public:
  explicit MigrationAudit(Findings& findings) : findings_(findings) {}

  // All entries come before the first order.
  void entry(const rules::Flow& flow);
  // Units that an order's row says are shipped, and its entries do not. False if no migration shipped so many
  // from that bucket.
  bool explains(rules::ItemId item, rules::BucketNo bucket, std::int64_t units);
  // When all orders were seen.
  void finish();

 private:
  struct Shipped {
    std::int64_t by_entries = 0;
    std::int64_t by_orders = 0;
  };

  Findings& findings_;
  std::map<std::pair<rules::ItemId, rules::BucketNo>, Shipped> buckets_;
};

}  // namespace gavel::judge
