// Bucket calls: one call on every bucket of an item, side by side, with one callback for all replies.
//
// `done` is called once, from any thread and perhaps before the function returns, with a result for each
// bucket in the order of their numbers; as with the Gate itself it must not block, and it is not called after
// Gate::close(). Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "gate/gate.h"
#include "gate/statements.h"

namespace gavel::gate {

using BucketsCallback = std::move_only_function<void(std::vector<Result<std::optional<Bucket>>>)>;
using RepliesCallback = std::move_only_function<void(std::vector<Result<Reply>>)>;
using ErasedCallback = std::move_only_function<void(std::vector<Result<void>>)>;

// Of the buckets 0 to count-1 of the item, at least one (CHECKed).
void read_buckets(Gate& gate, rules::Incarnation incarnation, rules::ItemId item, std::size_t count,
                  BucketsCallback done);
void erase_buckets(Gate& gate, rules::Incarnation incarnation, rules::ItemId item, std::size_t count,
                   ErasedCallback done);

// States what a refresh read (to_state) to its bucket, each of `statements`; at least one (CHECKed).
void state_buckets(Gate& gate, rules::Incarnation incarnation, rules::ItemId item,
                   std::span<const PendingStatement> statements, RepliesCallback done);

// All replies came, and none is an error.
template <class T>
bool all_arrived(const std::vector<Result<T>>& results) {
  for (const Result<T>& result : results) {
    if (!result) return false;
  }
  return true;
}

}  // namespace gavel::gate
