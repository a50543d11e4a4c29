// Limits per user (I13), over all instances and modes: what counts is the ledger.
#include <map>
#include <string>
#include <tuple>

#include "oracle/checks.h"
#include "oracle/words.h"

namespace gavel::oracle {

void check_limits(const World& world, Findings& findings) {
  using Claim = std::tuple<std::string, std::string, std::string>;  // activity, SKU, user
  std::map<Claim, std::int64_t> claims;
  const Ledger& ledger = world.ledger;
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    const auto item = ledger.items.find(flow.place.item);
    const auto order = ledger.orders.find(flow.order);
    if (item == ledger.items.end() || order == ledger.orders.end() || claim_of(flow) == 0) continue;
    const auto activity = ledger.activities.find(item->second.activity);
    if (activity == ledger.activities.end() || activity->second.limit == 0) continue;
    const std::int64_t limit = activity->second.limit;
    std::int64_t& claimed = claims[{activity->first, item->second.sku, order->second.user}];
    const bool was_within = claimed <= limit;
    claimed += claim_of(flow);
    if (was_within && claimed > limit) {
      findings.add("user " + order->second.user + " has " + std::to_string(claimed) + " of " +
                   item->second.sku + " in " + activity->first + " at position " + std::to_string(k + 1) +
                   ", limit " + std::to_string(limit));
    }
  }
  for (const Quota& quota : ledger.quotas) {
    const std::int64_t claimed = claims[{quota.activity, quota.sku, quota.user}];
    if (claimed == quota.claimed) continue;
    findings.add("the claim of user " + quota.user + " on " + quota.sku + " in " + quota.activity + " says " +
                 std::to_string(quota.claimed) + ", the ledger " + std::to_string(claimed));
  }
}

}  // namespace gavel::oracle
