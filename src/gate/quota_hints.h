// QuotaHints: what the gate believes a user has claimed in an activity (B3).
//
// A hint is written after the verdict, with the claim as the judge left it, by whichever instance had that
// verdict; the last writer wins. It may be lost, late or wrong at any moment: the judge never reads it, and
// before anybody is refused by it one plain committed read of the quota row, begun after the request came,
// must say the same. A request that has no hint goes its way.
//
// Threads, `done` and errors are as those of Gate. The hints of one activity are spread over 64 hashes by
// user; each hash has a slot of its own. Nothing expires: a job forgets closed activities.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "gate/gate.h"
#include "rules/ids.h"
#include "rules/quantity.h"

namespace gavel::gate {

inline constexpr std::uint64_t hint_slots = 64;

struct HintKey {
  rules::Incarnation incarnation;
  rules::ActivityId activity;
  rules::SkuId sku;
  rules::UserId user;
};

// "q:{5:3:17}": the key of the hash, its last number the user's slot; and "12:ann", the field in it.
std::string hash_key_of(const HintKey& key);
std::string field_of(const HintKey& key);

class QuotaHints {
 public:
  using Seen = std::function<void(Result<std::optional<rules::Quantity>>)>;
  using Done = std::function<void(Result<void>)>;

  virtual ~QuotaHints() = default;

  // Nothing claimed is no hint.
  virtual void note(const HintKey& key, rules::Quantity claimed, Done done) = 0;
  virtual void read(const HintKey& key, Seen done) = 0;
  // Removes all hints of the activity.
  virtual void forget(rules::Incarnation incarnation, rules::ActivityId activity, Done done) = 0;
};

// Within one process, under one mutex. Thread-safe. A hint beyond the limit is `unavailable` and not kept.
class MemoryQuotaHints final : public QuotaHints {
 public:
  // The default is about 150 MB of them.
  explicit MemoryQuotaHints(std::size_t hints_max = 1'000'000) : hints_max_(hints_max) {}

  void note(const HintKey& key, rules::Quantity claimed, Done done) override;
  void read(const HintKey& key, Seen done) override;
  void forget(rules::Incarnation incarnation, rules::ActivityId activity, Done done) override;

 private:
  using Activity = std::pair<rules::Incarnation, rules::ActivityId>;
  using Claims = std::map<std::pair<rules::SkuId, rules::UserId>, rules::Quantity>;

  Result<void> note_locked(const HintKey& key, rules::Quantity claimed) GAVEL_REQUIRES(mutex_);

  const std::size_t hints_max_;
  Mutex mutex_;
  std::map<Activity, Claims> activities_ GAVEL_GUARDED_BY(mutex_);
  std::size_t count_ GAVEL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gavel::gate
