// HomeWatch: whether an order is served from where its user's requests begin (A5, A20).
//
// Judge and gate send a user to the same home bucket, and the gate at most two buckets further. So an order
// is never taken from any other bucket while each of these has enough for it. A bucket count that changed
// leaves both answers possible, since the gate may learn of it later; then the buckets of every count so far
// are allowed. It looks at the ledger's rows alone. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/state.h"

namespace gavel::sim {

class HomeWatch {
 public:
  // In the order of the commits.
  void committed(const rules::State& state);

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  using Place = std::pair<rules::ItemId, rules::BucketNo>;

  void check(const rules::State& state, const rules::Flow& first,
             const std::map<Place, rules::Quantity>& available);
  std::set<rules::BucketNo> allowed(rules::ItemId item, const rules::UserId& user) const;

  std::map<rules::ItemId, std::set<std::size_t>> counts_;  // Of buckets in use, so far.
  std::vector<std::string> violations_;
};

}  // namespace gavel::sim
