// Findings: what an audit has found, in the order in which it is told.
//
// Findings come when the rows are there that prove them, and are told by what they are about. The first
// findings_max in the order of telling are kept; all are counted. Private to audit/. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judge/audit/audit.h"

namespace gavel::judge {

// What a finding is about, in the order of telling.
enum class Subject : std::uint8_t {
  chain,
  entry_of_batch,
  order,
  request,
  order_as_request,
  quota,
  hold,
  batch,
  ledger,
  batch_without_row,
  item,
  order_without_row,
  hold_without_row,
  claim_without_row,
};

class Findings {
 public:
  // Those of one subject are told in the order of `key`, and of one key in the order in which they came.
  void add(Subject subject, std::string_view invariant, std::string what, std::string key = {});

  void report_to(AuditReport& report) const;

 private:
  struct Told {
    Subject subject;
    std::string key;
    Finding finding;
  };

  std::vector<Told> first_;
  std::int64_t total_ = 0;
};

std::string name_of(rules::ItemId item, rules::BucketNo bucket);  // "bucket 12/0"
std::string name_of(rules::OrderId order);
std::string name_of(BatchId batch);
std::string name_of(const rules::Flow& flow);  // "seq 7 of bucket 12/0"

}  // namespace gavel::judge
