#include "gate/probes.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "rules/stock.h"

namespace gavel::gate {

std::vector<rules::BucketNo> probes_of(const rules::UserId& user, std::int32_t bucket_count) {
  CHECK(bucket_count >= 1);
  const rules::BucketNo home = rules::home_bucket(user, static_cast<std::size_t>(bucket_count));
  std::vector<rules::BucketNo> buckets;
  for (std::int32_t probe = 0; probe < std::min(bucket_count, probes_max); ++probe) {
    buckets.push_back((home + probe) % bucket_count);
  }
  return buckets;
}

}  // namespace gavel::gate
