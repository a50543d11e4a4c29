// audit: recomputes everything from the ledger and compares it with the rows (C3; the work of `gavel
// verify`).
//
// It trusts the flow rows and their arithmetic alone; it shares no code with the rules that wrote them. One
// pass over one snapshot, table by table in the order of TablesReader::Visitor. Memory is bounded however
// much was sold: the catalogue (SKUs, activities, stock items and their buckets) is kept, of the rest one
// batch, order, request or claim at a time, and what has no common order is sorted in files without a name in
// the reader's scratch_folder() (sorted_records.h, docs/adr/0025). Blocks; uses the reader's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "judge/audit/sorted_records.h"
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

// What an audit may take.
struct AuditLimits {
  std::size_t run_bytes = run_bytes_default;  // Of each of four sorts, in memory.
  // What the disk of the database keeps; without a number, disk_left_min_of() when the audit begins.
  std::optional<std::int64_t> disk_left_min = std::nullopt;
};

// An audit in steps, for a thread that has other work or a processor to share. One thread, the reader's,
// which answers nothing else while the run lives. It may rest between any two steps, and may be given up.
// Errors are the reader's, and `unavailable` where the scratch files cannot be had, or where they, or the log
// that grows under the snapshot, have left the disk less than it keeps.
class AuditRun {
 public:
  // Takes the snapshot that is audited. The reader outlives the run.
  static Result<AuditRun> begin(TablesReader& reader, const AuditLimits& limits = {});

  AuditRun(AuditRun&& from) noexcept;
  ~AuditRun();
  AuditRun(const AuditRun&) = delete;
  AuditRun& operator=(const AuditRun&) = delete;
  AuditRun& operator=(AuditRun&&) = delete;

  // Looks at the next rows, at most `rows_max` (at least 1), those that it has sorted among them. False: it
  // is done. A step takes longer where a run is sorted and written, some hundredths of a second, and the last
  // one passes over the stock items. After an error the run is over.
  Result<bool> step(std::size_t rows_max);

  // Of a run that is done.
  const AuditReport& report() const;

  // How much it has written to scratch files so far.
  std::int64_t scratch_bytes() const;

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
