#include "queries/audit_queries.h"

#include "base/yield.h"
#include "judge/audit/audit.h"
#include "judge/reader.h"
#include "queries/mapping.h"

namespace gavel::queries {

Result<AuditView> AuditQueries::verify() {
  auto run = judge::AuditRun::begin(reader_);
  if (!run) return std::unexpected(run.error());
  for (;;) {
    if (stopped_) return fail(ErrorCode::unavailable, "the audit was ended, since the service stops");
    const Result<bool> more = run->step(rows_at_once_);
    if (!more) return std::unexpected(more.error());
    if (!*more) return view_of(run->report());
    yield_thread();
  }
}

}  // namespace gavel::queries
