// What the judge's side owes to the gate after a commit, after a read, and what a confirming read means.
//
// A verdict's state is the item as its batch left it: generation, sums and rows are all in rules::Item, which
// also keeps the rows as they were loaded under their locks. It is owed in every mode, for every act that
// changed a row (sale, release, refund, restock, adjustment, expiry, rebalance, change of the bucket count),
// and only once the commit is known: what a batch in doubt would have left is never stated.
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

// What a committed batch owes: a statement to each bucket whose row changed and to each of `asked` (those
// that a token came from, and those that were missing); to all buckets if nothing is left, or if this batch
// raised the generation. `item` is the item after the batch, rows that the batch added included; a number in
// `asked` that is no row of it is passed over.
std::vector<PendingStatement> statements_after_commit(const rules::Item& item,
                                                      const std::set<rules::BucketNo>& asked);

// What a refresh states: `item` as one consistent, committed read saw its rows and generation, without locks.
// It may be stated at any later time, by anyone, any number of times.
std::vector<PendingStatement> statements_of_refresh(const rules::Item& item);

// What one plain committed read at the judge's primary says of an item: of one snapshot, or the sum first.
// The other way round a reopening between the two would look like corruption.
struct ConfirmingRead {
  std::int64_t generation = 0;
  rules::Quantity available;  // The sum over its buckets.
};

// What that read makes of a refusal that the gate suggests.
enum class Ruling : std::uint8_t {
  refuse,     // Nothing is available: sold_out, recorded: false.
  reopened,   // Stock came back since: to the judge. All buckets are owed reopened_at(generation).
  corrupted,  // The gate knows as empty what is not, or what never began: to the judge, with an alarm; the
              // item's buckets are erased and stated anew.
};

// `shut` comes from a reply in which closed() held; the read began after the request came and after that
// reply. A generation that was empty and has not risen is empty, so the sum only tells whether the gate knew
// `shut` from the judge or by corruption; with it the refusal is exact whatever the gate says.
Ruling ruling(std::int64_t shut, const ConfirmingRead& read);

Statement reopened_at(std::int64_t generation);

// Whether the gate shows what the database never said. `item` was read after the reply was heard.
bool is_beyond(const Reply& reply, const rules::Item& item, rules::BucketNo bucket);

}  // namespace gavel::gate
