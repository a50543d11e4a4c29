// Drift: what the gate shows of a bucket, against what the judge had at that very position (A15, A17, B13).
//
// A bucket that lags behind has not drifted: its numbers were true, and the next statement brings it on. One
// that shows at a position what the ledger does not say of it, or a generation that never began, was never
// told so by the judge's side. The gate is read first and the judge after it, since the judge goes on.
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
  too_little,  // It shows less than the ledger says of its position: repaired at once.
  too_much,    // It shows more: more requests go to the judge than need to.
  closed,      // It calls the present generation empty, which is not: every refusal costs a read.
  beyond,      // It shows a position or a generation that the judge has not reached.
};

std::string_view word(Drift drift);

// `shown` was read before `item`. `then` is what the ledger says the bucket had available at the position
// that is shown, nothing where it knows no such position.
Drift drift_of(const std::optional<Bucket>& shown, const rules::Item& item, rules::BucketNo bucket,
               std::optional<rules::Quantity> then);

// Whether a statement alone cannot repair it: what only grows at the gate has grown too far, so the bucket is
// erased first.
bool needs_erasing(Drift drift);

// Whether the gate shows just what the judge has, of an item that rests: neither lags nor drifts.
bool is_equal(const std::optional<Bucket>& shown, const rules::Item& item, rules::BucketNo bucket);

}  // namespace gavel::gate
