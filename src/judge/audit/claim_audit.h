// ClaimAudit: what the orders say that users claim of an activity, beside the rows of claims (B3): quotas.
//
//   add … add ─► sort ─► (pass … | quota) … ─► pass_all …
//
// Private to audit/. One thread. Errors are those of the scratch file and of the search.
#pragma once

#include <optional>
#include <string>

#include "judge/audit/catalogue.h"
#include "judge/audit/findings.h"
#include "judge/audit/request_audit.h"
#include "judge/audit/sorted_records.h"
#include "judge/reader.h"

namespace gavel::judge {

class ClaimAudit {
 public:
  ClaimAudit(Findings& findings, const Catalogue& catalogue, SortSpace space, FindOrder find)
      : findings_(findings), catalogue_(catalogue), find_(std::move(find)), records_(std::move(space)) {}

  // What an order of the user has and did not give back.
  Result<void> add(const rules::QuotaKey& key, std::int64_t units, const rules::Order& order);
  Result<void> sort() { return records_.sort(); }

  // Takes one claim that stands before `key`; false if there is none, and quota() may follow.
  Result<bool> pass(const rules::QuotaKey& key);
  Result<void> quota(const QuotaRow& row);
  // Takes one claim that is left after the last row; false if there is none.
  Result<bool> pass_all();

  std::int64_t bytes_on_disk() const { return records_.bytes_on_disk(); }

 private:
  // What the orders of one user say.
  struct Claim {
    std::int64_t units = 0;
    bool has_some = false;     // An order that has units.
    bool names_order = false;  // The order that was asked for is among them,
    std::string account;       // and this is its account.
  };

  Result<Claim> take(const std::string& key, const std::optional<rules::OrderId>& order);
  Result<bool> take_alone();

  Findings& findings_;
  const Catalogue& catalogue_;
  const FindOrder find_;
  SortedRecords records_;
};

}  // namespace gavel::judge
