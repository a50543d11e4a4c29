// How often stock returned to an empty item, as the ledger says: the item's generation is one more.
//
// A generation rises in a transaction that finds nothing available and leaves something, so it depends on the
// order of the transactions (batch_order.h). Where that is open, bounds are all that can be said.
// Private to audit*.cc. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "judge/audit/batch_order.h"
#include "judge/reader.h"

namespace gavel::judge {

class Returns {
 public:
  // A row of the ledger that moved `available` units into what is available; rows of one batch come together.
  void add(BatchId batch, const rules::Flow& flow, std::int64_t available);

  struct Count {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::optional<BatchId> last;  // In which stock returned.
  };
  Count count() const;

 private:
  // What one batch did to the item, and where it stands in the chains of its buckets.
  struct Step : BatchLinks<rules::BucketNo> {
    std::int64_t available = 0;
  };

  std::pair<std::int64_t, std::optional<BatchId>> replay(const std::vector<std::size_t>& order) const;

  std::vector<Step> steps_;  // By lane and n.
};

}  // namespace gavel::judge
