#include "app/verified_copy.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "judge/audit/audit.h"
#include "judge/sqlite/store.h"

namespace gavel::app {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr int pages_of_step = 64;
// So little waits for the disk at any time that a commit of the service, which is synced too, never waits
// long behind it.
constexpr std::int64_t bytes_of_sync = 8 << 20;
constexpr std::size_t rows_of_step = 10'000;

std::unexpected<Error> interrupted() {
  return fail(ErrorCode::unavailable, "interrupted; nothing was changed");
}

// How long to pause, so that `bytes` since the beginning are not more than the pace allows.
Duration pause_after(std::int64_t bytes, const CopyPace& pace, Duration elapsed) {
  if (pace.bytes_per_second == 0) return Duration(0);
  return std::max(Duration(0), Duration(bytes * 1000 / pace.bytes_per_second) - elapsed);
}

Result<judge::AuditReport> audit_of(judge::TablesReader& reader, Interrupt& interrupt) {
  auto run = judge::AuditRun::begin(reader);
  if (!run) return std::unexpected(run.error());
  while (true) {
    const auto more = run->step(rows_of_step);
    if (!more) return std::unexpected(more.error());
    if (!*more) return run->report();
    if (interrupt.raised()) return interrupted();
  }
}

}  // namespace

Result<void> copy_database(const std::string& from, DraftFile& draft, const CopyPace& pace,
                           const Clock& clock, Interrupt& interrupt) {
  auto copy = judge::SqliteCopy::begin(from, draft.path());
  if (!copy) return std::unexpected(copy.error());
  const Duration began = clock.steady();
  std::int64_t synced = 0;
  while (true) {
    if (interrupt.raised()) return interrupted();
    const auto more = (*copy)->step(pages_of_step);
    if (!more) return std::unexpected(more.error());
    const judge::SqliteCopy::Pages pages = (*copy)->pages();
    pace.progress(pages.copied, pages.total);
    if (!*more) return {};
    const std::int64_t bytes = pages.copied * page_bytes;
    if (bytes - synced >= bytes_of_sync) {
      if (auto done = draft.sync(); !done) return done;
      synced = bytes;
    }
    interrupt.wait_for(pause_after(bytes, pace, clock.steady() - began));
  }
}

Result<CopiedDatabase> verify_copy(const std::string& path, const Clock& clock, Interrupt& interrupt) {
  if (auto whole = judge::check_structure(path); !whole) return std::unexpected(whole.error());
  const auto reader = judge::open_sqlite_reader({.path = path, .vfs = ""}, clock);
  if (!reader) return std::unexpected(reader.error());
  const auto report = audit_of(**reader, interrupt);
  if (!report) return std::unexpected(report.error());
  const auto position = judge::ledger_position_of(path);
  if (!position) return std::unexpected(position.error());
  CopiedDatabase copied{.as_of = *position,
                        .bytes = static_cast<std::int64_t>(std::filesystem::file_size(path)),
                        .flows = report->flows,
                        .orders = report->orders,
                        .findings = report->findings_total};
  if (!report->clean())
    copied.first_finding = report->findings.front().invariant + ": " + report->findings.front().what;
  return copied;
}

std::string to_text(const std::optional<judge::LedgerPosition>& position) {
  if (!position) return "the beginning, before any batch";
  return "lane " + std::to_string(position->batch.lane.value) + ", batch " +
         std::to_string(position->batch.n) + ", at " + gavel::to_text(position->at);
}

}  // namespace gavel::app
