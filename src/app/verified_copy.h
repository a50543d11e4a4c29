// A verified copy of a database in a file: what backup and restore have in common.
//
// Blocks for as long as copying and verifying take, unless it is interrupted. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/draft_file.h"
#include "app/interrupt.h"
#include "base/clock.h"
#include "base/result.h"
#include "judge/sqlite/backup.h"

namespace gavel::app {

struct CopyPace {
  std::int64_t bytes_per_second = 0;  // 0: as fast as it goes.
  // How far it has come, of the copying alone.
  std::function<void(std::int64_t done, std::int64_t total)> progress = [](std::int64_t, std::int64_t) {};
};

// What a copy holds, as its verification found it.
struct CopiedDatabase {
  std::optional<judge::LedgerPosition> as_of;  // Everything that was acknowledged up to here is in it.
  std::int64_t bytes = 0;
  std::int64_t flows = 0;
  std::int64_t orders = 0;
  std::int64_t findings = 0;
  std::string first_finding = {};
  bool clean() const { return findings == 0; }
};

// Copies the database at `from`, which may be served, into the draft. `invalid` if it is not Gavel's or has
// another schema; `broken` if it cannot be copied; `unavailable` after an interrupt.
Result<void> copy_database(const std::string& from, DraftFile& draft, const CopyPace& pace,
                           const Clock& clock, Interrupt& interrupt);

// Reads all of a copy that nobody else has open, its pages and its ledger. `broken` where it is damaged,
// `unavailable` after an interrupt. A copy whose numbers disagree with its ledger is a value that is not
// clean.
Result<CopiedDatabase> verify_copy(const std::string& path, const Clock& clock, Interrupt& interrupt);

// "lane 1, batch 52, at 2026-11-29T20:48:46.123Z"
std::string to_text(const std::optional<judge::LedgerPosition>& position);

}  // namespace gavel::app
