// Drift: the gate's numbers of a bucket compared with the judge's at the same position (A15, A17, B13).
//
// A bucket that lags behind has not drifted: its numbers were true once, and the next statement updates it. A
// bucket has drifted if it shows a number that differs from the ledger's at the same position, or a
// generation that never began; the judge's side never stated that. The gate is read first and the judge
// second, because the judge moves on meanwhile.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gate/bucket.h"
#include "gate/gate.h"
#include "rules/state.h"

namespace gavel::gate {

enum class Drift : std::uint8_t {
  none,
  missing,     // The gate has no such bucket: its requests go to the judge.
  too_little,  // It shows less than the ledger at its position: repaired at once.
  too_much,    // It shows more: more requests than necessary go to the judge.
  closed,      // It says that the present generation is empty although it is not: every refusal costs a read.
  beyond,      // It shows a position or a generation that the judge has not reached.
};

std::string_view word(Drift drift);

// `shown` was read before `item`. `then` is what the bucket had available at the shown position according to
// the ledger, or nothing if the ledger has no such position.
Drift drift_of(const std::optional<Bucket>& shown, const rules::Item& item, rules::BucketNo bucket,
               std::optional<rules::Quantity> then);

// Whether a statement alone cannot repair it: a number that only grows at the gate is too high, so the bucket
// must be erased first.
bool needs_erasing(Drift drift);

// Whether the gate shows exactly what the judge has, for an item at rest: it neither lags nor has drifted.
bool is_equal(const std::optional<Bucket>& shown, const rules::Item& item, rules::BucketNo bucket);

}  // namespace gavel::gate
