#include "judge/audit/migration.h"

#include <string>

namespace gavel::judge {

void MigrationAudit::entry(const rules::Flow& flow) {
  if (flow.action != rules::Action::ship || flow.order) return;
  buckets_[{flow.item, flow.bucket}].by_entries += flow.quantity.units;
}

bool MigrationAudit::explains(rules::ItemId item, rules::BucketNo bucket, std::int64_t units) {
  if (units == 0) return true;
  const auto found = buckets_.find({item, bucket});
  if (units < 0 || found == buckets_.end()) return false;
  found->second.by_orders += units;
  return found->second.by_orders <= found->second.by_entries;
}

void MigrationAudit::finish() {
  for (const auto& [place, shipped] : buckets_) {
    if (shipped.by_entries == shipped.by_orders) continue;
    findings_.add(Subject::item, "orders",
                  name_of(place.first, place.second) + ": a migration shipped " +
                      std::to_string(shipped.by_entries) + " units, but of its orders " +
                      std::to_string(shipped.by_orders));
  }
}

}  // namespace gavel::judge
