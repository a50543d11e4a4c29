// DraftFile: a file that is made under a name of its own and is removed unless it is put in its place.
//
// One process at a time makes it: the draft is locked, and what a killed process left of one is written over.
// Files that SQLite makes beside it (-wal, -shm, -journal) go with it. Blocks on the files; one owner.
#pragma once

#include <string>

#include <sys/types.h>

#include "app/descriptor.h"
#include "base/result.h"

namespace gavel::app {

class DraftFile {
 public:
  // An empty file with these permissions. `invalid` where it cannot be made, and while another process makes
  // it.
  static Result<DraftFile> make(std::string path, mode_t mode);

  DraftFile(DraftFile&& from) noexcept;
  DraftFile& operator=(DraftFile&&) = delete;
  ~DraftFile();

  const std::string& path() const { return path_; }

  // What was written to it, by whomever, is on the disk. `broken` if not.
  Result<void> sync();

  // Gives it the name `to`, whatever has that, and the folder is on the disk. `broken` if that failed.
  Result<void> put_in_place(const std::string& to);
  // Its name and `other`'s change hands: from then on it is not removed.
  Result<void> exchange(const std::string& other);

 private:
  DraftFile(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::string path_;  // Empty once it is in its place.
  Descriptor descriptor_;
};

// The files beside an SQLite database that nobody has open.
void remove_log_files(const std::string& database);

// The entries of the file's folder are on the disk. `broken` if not.
Result<void> sync_folder_of(const std::string& file);

}  // namespace gavel::app
