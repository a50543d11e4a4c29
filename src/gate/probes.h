// Probes: which buckets a user's request asks at the gate, and in which order (A5).
//
// The first of them is the judge's home bucket (rules::home_bucket), so that requests with a token and
// without one meet in the same bucket. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/ids.h"

namespace gavel::gate {

inline constexpr int probes_max = 3;  // The home bucket and at most two more.

// The home bucket, then +1 and +2, wrapping round, each once. `bucket_count` is at least 1 (CHECKed).
std::vector<rules::BucketNo> probes_of(const rules::UserId& user, std::int32_t bucket_count);

}  // namespace gavel::gate
