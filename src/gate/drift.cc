#include "gate/drift.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace gavel::gate {

using rules::no_units;

std::string_view word(Drift drift) {
  switch (drift) {
    case Drift::none:
      return "none";
    case Drift::missing:
      return "missing";
    case Drift::too_little:
      return "too_little";
    case Drift::too_much:
      return "too_much";
    case Drift::closed:
      return "closed";
    case Drift::beyond:
      return "beyond";
  }
  CHECK(false);
}

Drift drift_of(const std::optional<Bucket>& shown, const rules::Item& item, rules::BucketNo bucket,
               std::optional<rules::Quantity> then) {
  if (!shown) return Drift::missing;
  const auto number = static_cast<std::size_t>(bucket);
  if (number >= item.buckets.size() || shown->seq > item.buckets[number].seq) return Drift::beyond;
  if (std::max(shown->open, shown->shut) > item.generation || !then) return Drift::beyond;
  // While it counts as empty, nothing of its generation is left to be shown.
  if (shown->shut == item.generation && item.available() > no_units) return Drift::closed;
  if (shown->available < *then) return Drift::too_little;
  return shown->available > *then ? Drift::too_much : Drift::none;
}

bool needs_erasing(Drift drift) { return drift == Drift::closed || drift == Drift::beyond; }

bool is_equal(const std::optional<Bucket>& shown, const rules::Item& item, rules::BucketNo bucket) {
  const rules::Bucket& row = item.buckets.at(static_cast<std::size_t>(bucket));
  if (!shown || shown->seq != row.seq || shown->available != row.available) return false;
  const bool empty = item.available() == no_units;
  return shown->open == item.generation && shown->shut == (empty ? item.generation : item.generation - 1);
}

}  // namespace gavel::gate
