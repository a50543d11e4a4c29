// Probes: which buckets a user's request asks at the gate, and in which order (A5).
//
// Every instance and every version must spread users alike, so the hash is fixed here: FNV-1a of 64 bits over
// the id, mixed, since the low bits of FNV alone are uneven. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/ids.h"

namespace gavel::gate {

inline constexpr int probes_max = 3;  // The home bucket and at most two more.

std::uint64_t hash_of(const rules::UserId& user);

// The home bucket, then +1 and +2, wrapping round, each once. `bucket_count` is at least 1.
std::vector<rules::BucketNo> probes_of(const rules::UserId& user, std::int32_t bucket_count);

}  // namespace gavel::gate
