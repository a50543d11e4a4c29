// GateWatch: whether the gate's buckets are what its protocol promises (gate-protocol.md).
//
// It looks at every call on a bucket. What a bucket states never goes backwards, counts what instances hold,
// and was true at the judge; and statements that were lost are made again. World looks at the gate at rest.
// No answer of the service depends on any of this. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gate/gate.h"
#include "rules/state.h"
#include "sim/faults.h"

namespace gavel::sim {

class GateWatch {
 public:
  explicit GateWatch(const Faults& faults) : faults_(faults) {}

  // In the order of the commits.
  void committed(const rules::State& state);

  // A call on a bucket; nothing means that the bucket is missing.
  void called(const gate::BucketKey& key, const std::optional<gate::Bucket>& before,
              const std::optional<gate::Bucket>& after);

  // Adds a violation that was seen elsewhere.
  void complain(const gate::BucketKey& key, const std::string& what);

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  bool fired(Fault fault) const { return faults_.fired()[static_cast<std::size_t>(fault)] > 0; }
  void check_truth(const gate::BucketKey& key, const gate::Bucket& bucket);

  const Faults& faults_;
  std::map<rules::ItemId, std::int64_t> emptied_;  // The latest generation in which nothing was left.
  std::map<std::pair<rules::ItemId, rules::BucketNo>, std::map<std::int64_t, rules::Quantity>>
      available_;  // By seq.
  std::vector<std::string> violations_;
};

}  // namespace gavel::sim
