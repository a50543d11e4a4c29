// Backup of a database in a file, as `gavel backup` runs it (E24).
//
// It is made beside the service, by a reader in a process of its own: it works with and without a service,
// and nothing that becomes of it, a kill included, touches the file that is served. It is written under
// another name, verified and synced, and only then gets its own, so that a file of the name that was asked
// for is whole.
//
//   copy ─► mark ─► verify ─► sync ─► rename ─► sync the folder
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/options.h"
#include "app/verified_copy.h"

namespace gavel::app {

enum class Existing : std::uint8_t {
  refuse,   // A file that is there stays.
  replace,  // A backup that is there is replaced; any other file stays.
};

// Of a copy that is not clean nothing is kept. `invalid` where the arguments are wrong and nothing was begun;
// other errors as copy_database and verify_copy say, and after each of them nothing is left behind. One
// thread.
Result<CopiedDatabase> back_up(const Options& options, const std::string& file, Existing existing,
                               const CopyPace& pace, const Clock& clock, Interrupt& interrupt);

// The name of the backup that was begun at `time`, of those that are made again and again:
// "FILE.20261129T204846Z".
std::string backup_name(const std::string& file, Time time);

// Removes the oldest backups with such names until there are `kept_max`. How many were removed; `broken` if
// one cannot be.
Result<std::size_t> remove_old_backups(const std::string& file, std::size_t kept_max);

}  // namespace gavel::app
