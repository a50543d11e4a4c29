// How often stock returned to an empty item, as the ledger says: the item's generation is one more.
//
// A generation rises in a transaction that finds nothing available and leaves something, so it depends on the
// order of the transactions. While batches are seen lane by lane, each entry of a bucket after the one before
// it, they are replayed as they come. Where lanes worked at the same time, the chains of the buckets tell the
// order (batch_order.h), as long as all steps of the item are held: all items together hold steps_held_max.
// Where the order is open, bounds are all that can be said. Private to audit/. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "judge/audit/batch_order.h"
#include "judge/reader.h"

namespace gavel::judge {

inline constexpr std::size_t steps_held_max = 65'536;

class Returns {
 public:
  // A row of the ledger that moved `available` units into what is available; rows of one batch come together,
  // batches by lane and n. `steps_held` is what all items hold.
  void add(BatchId batch, const rules::Flow& flow, std::int64_t available, std::size_t& steps_held);

  struct Count {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::optional<BatchId> last;  // In which stock returned.
  };
  // After the last row.
  Count count();

 private:
  // What one batch did to the item, and where it stands in the chains of its buckets.
  struct Step : BatchLinks<rules::BucketNo> {
    std::int64_t available = 0;
  };
  // Stock that comes and goes, step after step.
  struct Replay {
    std::int64_t available = 0;
    std::int64_t returns = 0;
    std::optional<BatchId> last;
    void take(const Step& step);
    Count count() const { return {returns, returns, last}; }
  };
  // Of a bucket: the last step that was seen in it.
  struct Link {
    std::int64_t seq = 0;
    std::int64_t step = 0;
  };

  void end_step(std::size_t& steps_held);
  bool goes_on(const Step& step) const;
  void hold(const Step& step, std::size_t& steps_held);

  std::optional<Step> step_;  // Of the batch whose rows are being seen.
  std::optional<rules::LaneId> lane_;
  std::int64_t steps_ = 0;
  std::int64_t steps_that_give_ = 0;
  Replay as_seen_;
  bool one_lane_ = true;
  bool in_order_ = true;  // No other order of the steps is possible than that in which they are seen.
  std::map<rules::BucketNo, Link> links_;
  std::vector<Step> held_;  // By lane and n: all steps, or none where they were too many.
  bool holds_all_ = true;
};

}  // namespace gavel::judge
