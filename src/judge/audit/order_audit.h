// OrderAudit: each order beside its entries in the ledger and the requests that name it: orders, requests.
//
//   for each order: flow … ─► order ─► pass_request … ─► order_as_request
//   at the end:     end ─► pass_all_requests …
//
// Orders come in the order of their ids, and one of them is held at a time. What it should have of claims and
// holds goes to those who compare it with their rows. Private to audit/. One thread. Errors are those of the
// scratch files and of the search.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "judge/audit/claim_audit.h"
#include "judge/audit/findings.h"
#include "judge/audit/hold_audit.h"
#include "judge/audit/migration.h"
#include "judge/audit/order_requests.h"
#include "judge/audit/request_audit.h"
#include "judge/audit/requests.h"

namespace gavel::judge {

class OrderAudit {
 public:
  OrderAudit(Findings& findings, const Catalogue& catalogue, FindOrder find, OrderRequests& requests,
             ClaimAudit& claims, HoldAudit& holds, MigrationAudit& migration)
      : findings_(findings),
        catalogue_(catalogue),
        check_(catalogue),
        find_(std::move(find)),
        requests_(requests),
        claims_(claims),
        holds_(holds),
        migration_(migration) {}

  Result<void> flow(const FlowRow& row);
  Result<void> order(const rules::Order& row);
  // Takes one request that names the present order, or one that does not exist before it; false if there is
  // none.
  Result<bool> pass_request();
  Result<void> order_as_request(const rules::IdempotencyRecord& row);

  void end();
  // Takes one of the requests that are left, whose orders do not exist; false if there is none.
  Result<bool> pass_all_requests();

 private:
  using Place = std::pair<rules::ItemId, rules::BucketNo>;
  using Occurrence = std::tuple<rules::ItemId, rules::BucketNo, rules::Action>;
  struct Step {  // One entry of a change of the held order (E5).
    Time at;
    BatchId batch;
    std::int64_t i;
    rules::RequestId request;
    Place place;
    std::int64_t seq;
    std::int64_t units;  // That the order has more after it.
  };
  // What the ledger says of the present order.
  struct Story {
    std::map<Place, Units> parts;
    std::map<Place, Units> changed;  // Of `parts`, what changes of the held order took and gave back.
    std::vector<Step> changes;
    std::map<Occurrence, std::int32_t> rows;  // How many of each kind.
    Units units;
    std::optional<Time> taken_at;                         // The first time.
    std::optional<rules::Caller> maker;                   // Who made it.
    std::optional<Time> settled_at;                       // When it was paid, cancelled or expired.
    std::optional<std::pair<Place, std::int64_t>> first;  // Bucket and seq of the entry that began it.
    std::string strange;  // The first entry whose occurrence is not the next one, in words.
  };

  void begin(rules::OrderId id);
  void add_change(const FlowRow& row);
  Units changed_in(const Place& place) const;
  Wrong wrong_parts(const rules::Order& row, const Story& story);
  Wrong wrong_shipments(const rules::Order& row, const Story& story);
  Wrong wrong_state(const rules::Order& row) const;
  Wrong wrong_times(const rules::Order& row, const Story& story) const;
  Wrong wrong_pool(const rules::Order& row, const Story& story) const;
  static Wrong wrong_account(const rules::Order& row, const Story& story);
  Result<Wrong> wrong_names(const rules::IdempotencyRecord& row) const;
  Result<bool> has_order(rules::OrderId order) const;
  Result<bool> take_request();
  Effects own_effects(const rules::RequestId& id) const;
  static bool put_in_order(std::vector<Step>& changes);
  void replay_changes();
  Result<void> add_claims(const rules::Order& row);
  Result<void> add_holds(const rules::Order& row);

  Findings& findings_;
  const Catalogue& catalogue_;
  const RequestCheck check_;
  const FindOrder find_;
  OrderRequests& requests_;
  ClaimAudit& claims_;
  HoldAudit& holds_;
  MigrationAudit& migration_;

  // Of the present order.
  std::optional<rules::OrderId> id_;
  Story story_;
  std::vector<KeyEntry> own_;            // Its entries under the key that is its id.
  std::vector<KeyEntry> under_its_key_;  // Other entries under that key.
  std::optional<KnownOrder> known_;      // Once its row has come.
};

}  // namespace gavel::judge
