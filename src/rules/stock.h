// The only way to change a bucket's numbers: one flow at a time, chained, within what the bucket has.
//
// Everything that moves units calls post(); it CHECKs that no number becomes negative, so a wrong rule aborts
// before it can be stored. Units that become available pay what the item is short of at once, whatever
// brought them, so that nobody is offered what is owed (E7, docs/adr/0017). Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "rules/command.h"
#include "rules/state.h"

namespace gavel::rules {

// Why something moves: who asked, under which key, for which order, because of what.
struct Reason {
  Caller caller;
  std::optional<RequestKey> key;
  std::optional<OrderId> order;
  std::string source;
  Time at;
};

// Appends the flow and applies its effect, and the flows that pay a shortage from what it made available. The
// bucket has enough for it (CHECKed).
void post(State& state, ItemId item, BucketNo bucket, Action action, Quantity quantity, const Reason& reason);

// Chooses buckets for `quantity` units of `item`, as few as will do (A6, A7): the home bucket if it has them
// all, else the smallest bucket that has them all, else the fullest ones first. The item has that many
// available (CHECKed).
std::vector<Allocation> choose(const Item& item, Quantity quantity, BucketNo home);

// Spreads incoming units so that the fullest and the emptiest bucket in use differ as little as can be (A3):
// with equal buckets quantity/N each, the remainder one by one from the first. The sum is exactly `quantity`.
// What the item is short of goes where it will pay, and is not counted among what the bucket gets.
std::vector<Allocation> spread(const Item& item, Quantity quantity);

// The bucket a user's requests start at, at the gate as at the judge: hash(user) mod N (A5, A20). The same on
// every machine and in every version. `buckets` is at least 1 (CHECKed).
BucketNo home_bucket(const UserId& user, std::size_t buckets);

// Takes units out of the item for good: of what is available, and the rest as a shortage (E7). At most what
// is on hand (CHECKed).
void withdraw(State& state, ItemId item, Quantity quantity, const Reason& reason);

// Moves units between two items of one SKU by pairs of entries: out of as few buckets as will do, spread over
// the other.
void move(State& state, ItemId from, ItemId to, Quantity quantity, const Reason& reason);

// Spreads what is available over the buckets in use anew: total/N each, the remainder one by one from the
// first (A3), by entries that sum to zero. The generation stays. The item is sound.
void respread(State& state, ItemId item, const Reason& reason);

// True if a bucket in use has nothing while another has several, or one out of use has anything (A7).
bool is_uneven(const Item& item);

// Gives the item `count` buckets in use, at least one, and respreads. Rows that are missing are made; rows
// too many are kept and retired.
void change_buckets(State& state, ItemId item, std::int32_t count, const Reason& reason);

// A number of the item is negative or too large to be added, or it is short of what it has, or of what nobody
// has: it was changed behind Gavel's back, and is sold no more until `gavel verify` is clean (B9). Safe on
// any numbers.
bool is_unsound(const Item& item);

}  // namespace gavel::rules
