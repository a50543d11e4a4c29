// The schema of the SQLite store, version by version, and the way from one to the next.
//
// A version's statements, its number in the file (PRAGMA user_version) and the mark that the file is Gavel's
// (PRAGMA application_id) are written in one transaction: whatever interrupts a migration, the file is of one
// version and the next run goes on from there. A version that was released is never edited.
#pragma once

#include <span>

#include "base/result.h"
#include "judge/sqlite/connection.h"

namespace gavel::judge::sqlite {

// "GAVL" in the file's header, where file(1) shows it.
inline constexpr int application_id = 0x4741564c;
// "GAVB": a backup, which readers open and nobody serves.
inline constexpr int backup_id = 0x47415642;

// The statements that lead from version i to version i + 1.
std::span<const char* const> schema_versions();

// The version of an open file, be it a database or a backup; 0 where it is empty. `invalid` if the file is
// another program's.
Result<int> version_of(Connection& connection);

// `invalid` if the file is a backup, which nobody writes to.
Result<void> need_no_backup(Connection& connection);

// Takes the steps that the file lacks, and says how many. `invalid`, with nothing changed, if the file is
// newer than `versions` or another program's.
Result<int> migrate(Connection& connection, std::span<const char* const> versions);

}  // namespace gavel::judge::sqlite
