// Writing: the rows that a batch changed, into the transaction in progress.
//
// Rows go in key order, each guarded and counted: an update that meets no row is a `conflict`, for what was
// loaded is no longer so. One thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "judge/sqlite/queries.h"
#include "judge/store.h"
#include "judge/time.h"
#include "rules/state.h"

namespace gavel::judge::sqlite {

class Writing {
 public:
  Writing(Queries& queries, const rules::State& state, BatchId batch, const KeptTime& time)
      : queries_(queries), state_(state), batch_(batch), time_(time) {}

  Result<void> everything();

 private:
  Result<void> write_skus();
  Result<void> write_items();
  Result<void> write_buckets(const rules::Item& item);
  Result<void> update_bucket(const rules::Item& item, std::size_t bucket);
  Result<void> write_activities();
  Result<void> insert_activity(const rules::Activity& activity);
  Result<void> write_quotas();
  Result<void> write_orders();
  Result<void> write_guards();
  Result<void> insert_order(const rules::Order& order, const rules::IdempotencyRecord* request);
  Result<void> update_order(const rules::Order& order);
  static std::optional<std::string_view> parts_or_null(std::string& text,
                                                       const std::vector<rules::Allocation>& parts);
  Result<void> insert_holds(const rules::Order& order);
  Result<void> delete_holds(const rules::Order& order);
  Result<void> write_requests();
  Result<void> write_flows();
  Result<void> write_counters();

  Queries& queries_;
  const rules::State& state_;
  const BatchId batch_;
  const KeptTime time_;
  std::string taken_;  // Texts of the order being written; kept to spare a row its allocations.
  std::string returned_;
  std::string shipped_;
  std::string detail_;
};

}  // namespace gavel::judge::sqlite
