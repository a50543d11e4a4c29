// Whose log lies beside a database: what a store leaves about its files for the next one.
//
// SQLite writes a log that lies beside a database into it, whosesoever it is, and a database that was put
// back by hand beside the log of another state is a mixture of the two from then on. A store therefore notes
// in its lock file (lock.h) what its files look like; whoever opens them for writing next compares:
//
//   database as noted   log as noted
//   yes                 yes           A process was killed: the log is the database's own.
//   no                  yes           Somebody put another database there: refused.
//   yes                 no            Somebody put another log there: refused.
//   no                  no            Both were put there together: accepted, since nothing tells.
//
// Without a note of files that a store left since the machine started (another machine, a copied folder, a
// lock file that was removed) nothing can be told, but for what the database's header says by itself: a
// backup, a file without a log of its own, an empty one. The note is not synced, since the next start of the
// machine makes it worthless. Blocks on the files; the store's thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "judge/sqlite/lock.h"

namespace gavel::judge {

// Another word each time the machine starts; empty where the system does not say.
std::string boot_of_machine();

namespace sqlite {

enum class FileUse : std::uint8_t {
  at_rest,  // Nobody writes into the database's file until the next note.
  written,  // Somebody does, and may be killed in the middle.
};

// Notes what the files look like. Where that cannot be written, the next start cannot tell.
void note_files(FileLock& lock, FileUse use);

// `invalid`, in one line that says what to do, where the log beside the database is not its own. Before
// SQLite opens the file.
Result<void> check_files(const FileLock& lock);
// The same, and then notes that the files are in use.
Result<void> take_over_files(FileLock& lock);

}  // namespace sqlite
}  // namespace gavel::judge
