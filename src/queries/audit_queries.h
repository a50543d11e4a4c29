// AuditQueries: the audit of a database that is being served (`gavel verify`, C3).
//
// It reads the whole database and takes seconds with millions of orders, so it has a reader and a thread of
// its own: nobody else waits for it. It goes in steps and lets other threads have the processor between two
// of them.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/result.h"
#include "queries/views.h"

namespace gavel::judge {
class TablesReader;
}  // namespace gavel::judge

namespace gavel::queries {

// Rows of one step, some tenths of a millisecond.
inline constexpr std::size_t audit_rows_at_once = 100;

class AuditQueries {
 public:
  // The reader is these queries' own, and outlives them.
  explicit AuditQueries(judge::TablesReader& reader, std::size_t rows_at_once = audit_rows_at_once)
      : reader_(reader), rows_at_once_(rows_at_once) {}

  // Blocks until it has looked at everything. Errors are the reader's; `unavailable` once stop() was called.
  Result<AuditView> verify();

  // Ends the audit under way after its present step, and every later one. Any thread; idempotent.
  void stop() { stopped_ = true; }

 private:
  judge::TablesReader& reader_;
  const std::size_t rows_at_once_;
  std::atomic<bool> stopped_{false};
};

}  // namespace gavel::queries
