// audit: recomputes everything from the ledger and compares it with the rows (C3; the work of `gavel
// verify`).
//
// It trusts the flow rows and their arithmetic alone; it shares no code with the rules that wrote them. One
// pass over one snapshot, table by table in the order of TablesReader::Visitor. The ledger is not kept:
// memory is a small record per order, request, claim and bucket, and one per batch and stock item. Blocks;
// uses the reader's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "judge/reader.h"

namespace gavel::judge {

// One thing that is not as the ledger says, with the entry that broke it where one did.
struct Finding {
  std::string
      invariant;  // chain, buckets, conservation, orders, holds, quotas, moves, batches, requests, generation
  std::string what;  // "bucket 12/0: seq 7 says before 3, the previous entry says after 4"
};

struct AuditReport {
  std::int64_t items = 0;
  std::int64_t flows = 0;
  std::int64_t orders = 0;
  std::int64_t batches = 0;
  std::int64_t findings_total = 0;
  std::vector<Finding> findings;  // The first findings_max.
  bool clean() const { return findings_total == 0; }
};

inline constexpr std::size_t findings_max = 100;

// An audit in steps, for a thread that has other work or a processor to share. One thread, the reader's,
// which answers nothing else while the run lives.
class AuditRun {
 public:
  // Takes the snapshot that is audited. The reader outlives the run.
  static Result<AuditRun> begin(TablesReader& reader);

  AuditRun(AuditRun&& from) noexcept;
  ~AuditRun();
  AuditRun(const AuditRun&) = delete;
  AuditRun& operator=(const AuditRun&) = delete;
  AuditRun& operator=(AuditRun&&) = delete;

  // Looks at the next rows, at most `rows_max` (at least 1). False: it is done. The last step also compares
  // what it has gathered, a pass over the stock items and over what was found to be left. After an error the
  // run is over.
  Result<bool> step(std::size_t rows_max);

  // Of a run that is done.
  const AuditReport& report() const;

 private:
  class Parts;
  explicit AuditRun(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// All of it in one go.
Result<AuditReport> audit(TablesReader& reader);

// Every row of every table as one line of text, in key order, without what may differ between two stores that
// judged the same commands (numbers of lanes): equal dumps mean equal databases.
Result<std::string> canonical_dump(TablesReader& reader);

}  // namespace gavel::judge
