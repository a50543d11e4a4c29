// The only way to change a bucket's numbers: one flow at a time, chained, within what the bucket has.
//
// Everything that moves units calls post(); it CHECKs that no number becomes negative, so a wrong rule aborts
// before it can be stored. Units that become available first cover the item's shortage, whatever made them
// available, so that owed units are never offered for sale (E7, docs/adr/0017). Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "rules/command.h"
#include "rules/state.h"

namespace gavel::rules {

// Why units move: which caller asked, with which key, for which order, because of what.
struct Reason {
  Caller caller;
  std::optional<RequestKey> key;
  std::optional<OrderId> order;
  std::string source;
  Time at;
};

// Appends the flow and applies its effect, and appends the flows that cover a shortage from the units that
// became available. The bucket has enough units (CHECKed).
void post(State& state, ItemId item, BucketNo bucket, Action action, Quantity quantity, const Reason& reason);

// Chooses as few buckets as possible for `quantity` units of `item` (A6, A7): the home bucket if it has them
// all, else the smallest bucket that has them all, else the fullest ones first. The item has that many
// available (CHECKed).
std::vector<Allocation> choose(const Item& item, Quantity quantity, BucketNo home);

// Spreads incoming units so that the fullest and the emptiest bucket in use differ as little as possible
// (A3): with equal buckets quantity/N each, the remainder one by one from the first. The sum is exactly
// `quantity`. Units that will cover a shortage go to the bucket that is short, and do not count as units of
// that bucket.
std::vector<Allocation> spread(const Item& item, Quantity quantity);

// The bucket a user's requests start at, at the gate as at the judge: hash(user) mod N (A5, A20). The same on
// every machine and in every version. `buckets` is at least 1 (CHECKed).
BucketNo home_bucket(const UserId& user, std::size_t buckets);

// Removes units from the item for good: first available ones, and the rest becomes a shortage (E7). At most
// what is on hand (CHECKed).
void withdraw(State& state, ItemId item, Quantity quantity, const Reason& reason);

// Moves units between two items of one SKU by pairs of entries: out of as few buckets as possible, spread
// over those of the other item.
void move(State& state, ItemId from, ItemId to, Quantity quantity, const Reason& reason);

// Spreads the available units over the buckets in use again: total/N each, the remainder one by one from the
// first (A3), by entries that sum to zero. The generation does not change. The item must be sound.
void respread(State& state, ItemId item, const Reason& reason);

// True if a bucket in use is empty while another has several units, or if a bucket out of use has any (A7).
bool is_uneven(const Item& item);

// Gives the item `count` buckets in use, at least one, and spreads its available units again. Missing rows
// are added; surplus rows are kept and retired.
void change_buckets(State& state, ItemId item, std::int32_t count, const Reason& reason);

// True if a number of the item is negative or too large to be added, or if its shortage contradicts its other
// numbers: somebody other than Gavel changed it. It is not sold any more until `gavel verify` is clean (B9).
// Safe for any numbers.
bool is_unsound(const Item& item);

}  // namespace gavel::rules
