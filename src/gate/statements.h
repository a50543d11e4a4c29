// What must be stated to the gate after a commit and after a read, and what a confirming read means.
//
// After a commit, the item is as its batch left it: generation, sums and rows are all in rules::Item, which
// also keeps the rows as they were loaded under their locks. A statement must be made in every mode and for
// every act that changed a row (sale, release, refund, restock, adjustment, expiry, rebalance, change of the
// number of buckets), and only when the commit is known: the state that a batch in doubt would have left is
// never stated.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "gate/bucket.h"
#include "rules/ids.h"
#include "rules/state.h"

namespace gavel::gate {

struct PendingStatement {
  rules::BucketNo bucket = 0;
  Statement statement;
  friend bool operator==(const PendingStatement&, const PendingStatement&) = default;
};

// The statements that a committed batch requires: one to each bucket whose row changed and to each of `asked`
// (buckets that a token came from, and buckets that were missing), and to all buckets if nothing is left or
// if this batch raised the generation. `item` is the item after the batch, with rows that the batch added. A
// number in `asked` that is not a row of it is ignored.
std::vector<PendingStatement> statements_after_commit(const rules::Item& item,
                                                      const std::set<rules::BucketNo>& asked);

// The statements of a refresh: `item` is what one consistent, committed read without locks saw of its rows
// and generation. They may be sent at any later time, by any instance, any number of times.
std::vector<PendingStatement> statements_of_refresh(const rules::Item& item);

// What one plain committed read at the judge's primary says about an item. It is one snapshot, or the sum was
// read first: in the other order, a reopening between the two reads would look like corruption.
struct ConfirmingRead {
  std::int64_t generation = 0;
  rules::Quantity available;  // The sum over its buckets.
};

// What that read means for a refusal that the gate suggests.
enum class Ruling : std::uint8_t {
  refuse,     // Nothing is available: sold_out, recorded: false.
  reopened,   // Stock has come back since: the request goes to the judge, and reopened_at(generation) must be
              // stated to all buckets.
  corrupted,  // The gate says that a generation is empty which is not, or which never began: the request goes
              // to the judge, with an alarm, and the item's buckets are erased and stated again.
};

// `shut` comes from a reply in which closed() held; the read began after the request came and after that
// reply. A generation that was empty and has not risen is empty, so the sum only tells whether the gate knew
// `shut` from the judge or by corruption; with it the refusal is exact whatever the gate says.
Ruling ruling(std::int64_t shut, const ConfirmingRead& read);

Statement reopened_at(std::int64_t generation);

// Whether the gate shows a number that the database never had. `item` was read after the reply arrived.
bool is_beyond(const Reply& reply, const rules::Item& item, rules::BucketNo bucket);

}  // namespace gavel::gate
