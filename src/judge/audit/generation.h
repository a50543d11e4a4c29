// How often stock returned to an empty item, as the ledger says: the item's generation is one more.
//
// A generation rises in a transaction that finds nothing available and leaves something, so it depends on the
// order of the transactions. One lane's are in order by n; over several lanes the chains tell, for rows of
// one bucket stand by seq. Where they leave open which of two batches was first, bounds are all that can be
// said: times do not help, since a batch may lock an item, whose hold it releases, after its time was read.
// Private to audit*.cc. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

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
  // What one batch did to the item, and where it stands in the chains of the buckets.
  struct Step {
    BatchId batch;
    std::int64_t available = 0;
    std::vector<std::pair<rules::BucketNo, std::int64_t>> links;  // With the first seq of each bucket.
  };

  // Nothing if the chains leave the order open, or contradict each other.
  std::optional<std::vector<std::size_t>> in_order() const;
  std::vector<std::vector<std::size_t>> followers() const;
  std::pair<std::int64_t, std::optional<BatchId>> replay(const std::vector<std::size_t>& order) const;

  std::vector<Step> steps_;  // By lane and n.
};

}  // namespace gavel::judge
