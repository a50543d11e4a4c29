// Copies of an SQLite database: made of one snapshot while it may be served, marked, and put back.
//
//   SqliteCopy ── step, step … ──► a whole file, without a log ── mark_as_backup ──► a backup: nobody serves
//   it
//                                                              └─ make_own_database ──► a database of its own
//
// The copy is made by SQLite's backup interface on a reader's connection whose read transaction stays open,
// so that every step copies pages of one state, the writer waits for nothing, and the copy never starts anew.
// The log of the database grows until the last page is copied. Each call blocks on the files. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "judge/store.h"

namespace gavel::judge {

// How far a ledger goes: its latest batch, and the time of that.
struct LedgerPosition {
  BatchId batch;
  Time at;
  friend bool operator==(const LedgerPosition&, const LedgerPosition&) = default;
};

class SqliteCopy {
 public:
  struct Pages {
    std::int64_t copied = 0;
    std::int64_t total = 0;
  };

  // Takes the snapshot of the database at `from`, with the log beside it, and begins to copy it into `to`,
  // which is made, or emptied if it is there. `invalid` if `from` is not Gavel's, or has another schema than
  // this build's.
  static Result<std::unique_ptr<SqliteCopy>> begin(const std::string& from, const std::string& to);
  virtual ~SqliteCopy() = default;

  // Copies the next pages, at most `pages_max` (at least 1). False: all of them are copied. Nothing is
  // synced. After an error (a full disk) the copy is over.
  virtual Result<bool> step(int pages_max) = 0;
  virtual Pages pages() const = 0;
};

// Of a whole copy that nobody has open. A marked one is opened by readers alone (another id of the
// application in the file's header), so that it is served only after a restore.
Result<void> mark_as_backup(const std::string& path);
// Takes the mark away and gives the database a new incarnation: what any gate or client knows of the database
// that it was copied from is not its own.
Result<void> make_own_database(const std::string& path);

// Nothing where nothing was ever decided.
Result<std::optional<LedgerPosition>> ledger_position_of(const std::string& path);

// Whether every page of the file is there and well formed; `broken` with the first fault.
Result<void> check_structure(const std::string& path);

// By the header alone, of a file that this process does not have open. `invalid` where it cannot be read.
Result<bool> is_backup(const std::string& path);
// An SQLite file that is neither a database of Gavel nor a backup.
Result<bool> is_of_another_program(const std::string& path);

// Moves the pages of the database's log into the database, and removes the log, so that the file is all of
// it. Nobody else may have it open: `unavailable` where somebody does.
Result<void> fold_log(const std::string& path);

}  // namespace gavel::judge
