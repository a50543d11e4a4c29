// FileLock: one process at a time has a database open for writing.
//
// A link to a database is the database that it leads to. A file with several hard links is refused, since
// SQLite finds its log by the name.
//
// The lock is the kernel's (flock) on a file beside the database, so that it ends with the process, kill -9
// included. The file stays, since removing it would race with the next opener. It holds the process id, for
// messages alone, and what the holder notes there.
#pragma once

#include <string>
#include <utility>

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

  // The database, whose log lies beside it, by the path that no link leads to.
  const std::string& database() const { return database_; }
  // The file that is locked.
  std::string path() const { return database_ + ".lock"; }

  // The line that the holder before left, or this one; empty if there is none or it cannot be read.
  std::string note() const;
  // Replaces it. Not synced; where it cannot be written there is none or half of one.
  void set_note(const std::string& line);

 private:
  FileLock(int descriptor, std::string database) : descriptor_(descriptor), database_(std::move(database)) {}

  int descriptor_;
  std::string database_;
};

}  // namespace gavel::judge::sqlite
