// OrderRequests: requests and entries of the ledger, sorted by the order at which they are looked at.
//
//   add … add ─► sort ─► (is_end, order, take) …
//
// Private to audit/. One thread. Errors are those of the scratch file.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "judge/audit/effects.h"
#include "judge/audit/sorted_records.h"
#include "rules/state.h"

namespace gavel::judge {

// An entry of the ledger that stands under a request key.
struct KeyEntry {
  rules::RequestId id;
  Time at;
  EffectPart part;
};

// A request that names the order, and the entries under its key that can matter to it.
struct NamingRequest {
  rules::IdempotencyRecord row;  // Of its verdict's detail, only `order` and `expires_at`.
  std::vector<std::pair<Time, EffectPart>> entries;
};

Effects effects_of(const std::vector<std::pair<Time, EffectPart>>& entries, const Catalogue& catalogue);

class OrderRequests {
 public:
  explicit OrderRequests(SortSpace space) : records_(std::move(space)) {}

  // An entry of another place under the key that is the order's id.
  Result<void> add(rules::OrderId order, const KeyEntry& entry);
  Result<void> add(rules::OrderId order, const NamingRequest& request);
  Result<void> sort() { return records_.sort(); }

  bool is_end() const { return records_.is_end(); }
  rules::OrderId order() const;
  // Of the present order, entries before requests.
  Result<std::variant<KeyEntry, NamingRequest>> take();

  std::int64_t bytes_on_disk() const { return records_.bytes_on_disk(); }

 private:
  SortedRecords records_;
};

}  // namespace gavel::judge
