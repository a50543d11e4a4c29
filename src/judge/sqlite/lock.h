// FileLock: one process at a time has a database open for writing.
//
// A link to a database is the database that it leads to. A file with several hard links is refused, since
// SQLite finds its log by the name.
//
// The lock is the kernel's (flock) on a file beside the database, so that it ends with the process, kill -9
// included. The file stays, since removing it would race with the next opener. It holds the process id, for
// messages alone.
#pragma once

#include <string>

#include "base/result.h"

namespace gavel::judge::sqlite {

class FileLock {
 public:
  // Fails with `invalid` when somebody holds the lock, naming the process.
  static Result<FileLock> take(const std::string& database_path);

  FileLock(FileLock&& from) noexcept;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace gavel::judge::sqlite
