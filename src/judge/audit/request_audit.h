// RequestAudit: the requests that have rows of their own, each beside what happened under its key.
//
//   flow … flow ─► sort ─► (pass … | request …) … ─► pass_all
//
// The ledger has no index by key, so its entries are sorted by key, and then pass beside the request rows,
// which come in the order of their keys. A request that names an order is handed on to the order's audit with
// what happened under its key. Private to audit/. One thread. Errors are those of the scratch file and of the
// search.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "judge/audit/findings.h"
#include "judge/audit/order_requests.h"
#include "judge/audit/requests.h"
#include "judge/audit/sorted_records.h"
#include "judge/reader.h"

namespace gavel::judge {

// What the snapshot has of an order id.
using FindOrder = std::function<Result<TablesReader::OrderRows>(rules::OrderId)>;

class RequestAudit {
 public:
  RequestAudit(Findings& findings, const Catalogue& catalogue, SortSpace space, FindOrder find,
               OrderRequests& handed_on)
      : findings_(findings),
        catalogue_(catalogue),
        check_(catalogue),
        find_(std::move(find)),
        entries_(std::move(space)),
        handed_on_(handed_on) {}

  Result<void> flow(const FlowRow& row);
  Result<void> sort() { return entries_.sort(); }

  // Takes one entry that stands before the request's key and belongs to no request row; false if there is
  // none, and request() may follow.
  Result<bool> pass(const rules::RequestId& id);
  Result<void> request(const rules::IdempotencyRecord& row);
  // Takes one entry that is left after the last request; false if there is none.
  Result<bool> pass_all();

  std::int64_t bytes_on_disk() const { return entries_.bytes_on_disk(); }

 private:
  Result<bool> take_alone();
  Result<const TablesReader::OrderRows*> order_under(const rules::RequestKey& key);

  Findings& findings_;
  const Catalogue& catalogue_;
  const RequestCheck check_;
  const FindOrder find_;
  SortedRecords entries_;  // By caller, key and time.
  OrderRequests& handed_on_;
  // What was found last, since the entries of one key come together.
  std::optional<rules::OrderId> found_id_;
  TablesReader::OrderRows found_;
};

}  // namespace gavel::judge
