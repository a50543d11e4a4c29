#include "gate/statements.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace gavel::gate {
namespace {

using rules::Item;
using rules::no_units;
using rules::Quantity;

Quantity sum(const std::vector<rules::Bucket>& buckets) {
  Quantity units;
  for (const rules::Bucket& bucket : buckets) units += bucket.available;
  return units;
}

bool is_changed(const Item& item, std::size_t bucket) {
  return bucket >= item.loaded.size() || item.buckets[bucket].seq != item.loaded[bucket].seq;
}

PendingStatement owed(const Item& item, std::size_t bucket) {
  const rules::Bucket& row = item.buckets[bucket];
  const bool empty = item.available() == no_units;
  return {static_cast<rules::BucketNo>(bucket),
          {Position{row.seq, row.available}, item.generation, empty ? item.generation : item.generation - 1}};
}

}  // namespace

std::vector<PendingStatement> statements_after_commit(const Item& item,
                                                      const std::set<rules::BucketNo>& asked) {
  const bool empty = item.available() == no_units;
  const bool raised = sum(item.loaded) == no_units && !empty;
  std::vector<PendingStatement> all;
  for (std::size_t bucket = 0; bucket < item.buckets.size(); ++bucket) {
    const bool touched = is_changed(item, bucket) || asked.contains(static_cast<rules::BucketNo>(bucket));
    if (empty || raised || touched) all.push_back(owed(item, bucket));
  }
  return all;
}

std::vector<PendingStatement> statements_of_refresh(const Item& item) {
  std::vector<PendingStatement> all;
  for (std::size_t bucket = 0; bucket < item.buckets.size(); ++bucket) all.push_back(owed(item, bucket));
  return all;
}

Ruling ruling(std::int64_t shut, const ConfirmingRead& read) {
  if (read.generation > shut) return Ruling::reopened;
  const bool is_true = read.generation == shut && read.available == no_units;
  return is_true ? Ruling::refuse : Ruling::corrupted;
}

Statement reopened_at(std::int64_t generation) {
  CHECK(generation > 0);
  return {std::nullopt, generation, generation - 1};
}

bool is_beyond(const Reply& reply, const Item& item, rules::BucketNo bucket) {
  if (reply.said == Said::not_initialised) return false;
  const auto number = static_cast<std::size_t>(bucket);
  if (number >= item.buckets.size()) return true;
  return reply.seq > item.buckets[number].seq || std::max(reply.open, reply.shut) > item.generation;
}

}  // namespace gavel::gate
