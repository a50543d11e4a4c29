#include "gate/probes.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::gate {

std::uint64_t hash_of(const rules::UserId& user) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : user.text()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 33U);
}

std::vector<rules::BucketNo> probes_of(const rules::UserId& user, std::int32_t bucket_count) {
  CHECK(bucket_count >= 1);
  const auto count = static_cast<std::uint64_t>(bucket_count);
  const auto probes = std::min<std::uint64_t>(count, probes_max);
  std::vector<rules::BucketNo> buckets;
  for (std::uint64_t probe = 0; probe < probes; ++probe) {
    buckets.push_back(static_cast<rules::BucketNo>((hash_of(user) % count + probe) % count));
  }
  return buckets;
}

}  // namespace gavel::gate
