// Restore of a backup in a database's place, as `gavel restore` runs it (E24).
//
//   lock ─► copy ─► verify ─► new incarnation ─► sync ─► old log folded, old index removed ─► exchange ─►
//   sync
//
// It ends in one exchange of two names: before it the old database is in its place, with all that it
// acknowledged, and after it the new one. The lock that a service holds is held meanwhile.
#pragma once

#include <string>

#include "app/options.h"
#include "app/verified_copy.h"

namespace gavel::app {

struct RestoredDatabase {
  CopiedDatabase copy;
  std::string kept;  // Where the database lies that was there before; empty if there was none.
};

// Of a copy that is not clean nothing is kept. `file` is a backup, or a database that nobody writes to, with
// its log beside it if it has one; it stays as it is. `invalid` where it is not Gavel's, of another schema,
// or the database itself, and where a service has the database open; `unavailable` where a program reads the
// database; other errors as copy_database and verify_copy say. After each of them the old database is in its
// place. One thread.
Result<RestoredDatabase> restore(const Options& options, const std::string& file, const CopyPace& pace,
                                 const Clock& clock, Interrupt& interrupt);

}  // namespace gavel::app
