#include "gate/quota_hints.h"

#include "rules/stock.h"

namespace gavel::gate {

std::string hash_key_of(const HintKey& key) {
  return "q:{" + to_text(key.incarnation.uuid) + ":" + std::to_string(key.activity.value) + ":" +
         std::to_string(rules::home_bucket(key.user, hint_slots)) + "}";
}

std::string field_of(const HintKey& key) { return std::to_string(key.sku.value) + ":" + key.user.text(); }

void MemoryQuotaHints::note(const HintKey& key, rules::Quantity claimed, Done done) {
  Result<void> noted;
  {
    const MutexLock lock(mutex_);
    noted = note_locked(key, claimed);
  }
  done(std::move(noted));
}

Result<void> MemoryQuotaHints::note_locked(const HintKey& key, rules::Quantity claimed) {
  if (claimed <= rules::no_units) {
    const auto activity = activities_.find({key.incarnation, key.activity});
    if (activity == activities_.end()) return {};
    count_ -= activity->second.erase({key.sku, key.user});
    if (activity->second.empty()) activities_.erase(activity);
    return {};
  }
  const auto activity = activities_.find({key.incarnation, key.activity});
  const bool known = activity != activities_.end() && activity->second.contains({key.sku, key.user});
  if (!known && count_ >= hints_max_) {
    return fail(ErrorCode::unavailable, "the memory gate has its maximum number of quota hints");
  }
  activities_[{key.incarnation, key.activity}].insert_or_assign({key.sku, key.user}, claimed);
  if (!known) ++count_;
  return {};
}

void MemoryQuotaHints::read(const HintKey& key, Seen done) {
  std::optional<rules::Quantity> claimed;
  {
    const MutexLock lock(mutex_);
    const auto activity = activities_.find({key.incarnation, key.activity});
    if (activity != activities_.end()) {
      const auto found = activity->second.find({key.sku, key.user});
      if (found != activity->second.end()) claimed = found->second;
    }
  }
  done(claimed);
}

void MemoryQuotaHints::forget(rules::Incarnation incarnation, rules::ActivityId activity, Done done) {
  {
    const MutexLock lock(mutex_);
    if (const auto found = activities_.find({incarnation, activity}); found != activities_.end()) {
      count_ -= found->second.size();
      activities_.erase(found);
    }
  }
  done({});
}

}  // namespace gavel::gate
