// HoldAudit: what the orders say that they hold, beside the rows of holds: holds.
//
//   add … add ─► sort ─► (pass … | hold) … ─► pass_all …
//
// Private to audit/. One thread. Errors are those of the scratch file.
#pragma once

#include <string>

#include "judge/audit/findings.h"
#include "judge/audit/sorted_records.h"
#include "judge/reader.h"

namespace gavel::judge {

class HoldAudit {
 public:
  HoldAudit(Findings& findings, SortSpace space) : findings_(findings), records_(std::move(space)) {}

  // A row that there should be, once.
  Result<void> add(const HoldRow& row);
  Result<void> sort() { return records_.sort(); }

  // Takes one that stands before `row`, and has no row; false if there is none, and hold() may follow.
  Result<bool> pass(const HoldRow& row);
  Result<void> hold(const HoldRow& row);
  // Takes one that is left after the last row; false if there is none.
  Result<bool> pass_all();

  std::int64_t bytes_on_disk() const { return records_.bytes_on_disk(); }

 private:
  Result<bool> take_alone();

  Findings& findings_;
  SortedRecords records_;
};

}  // namespace gavel::judge
