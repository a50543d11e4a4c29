// StorageWatch: whether the files of a database are still those that its store has open.
//
// A process that goes on writing to a file which no name leads to any longer acknowledges into nothing, and
// SQLite notices none of it: files that are open stay open. Compared are
//
//   database, log, the log's index   device and inode of what the name leads to
//   database                         size and time of the last change: the store alone writes it, and only in
//                                    a checkpoint, so that another program's write into the file shows too
//   lock file                        device and inode, and whether it is still locked
//   file system                      whether it may still be written
//
// Not seen are a change of the log's content by another program, and a change of the database while the store
// itself is writing it. A second name of the file (a hard link) changes nothing that is open.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/mutex.h"
#include "base/result.h"
#include "judge/sqlite/lock.h"

namespace gavel::judge {

class StorageWatch {
 public:
  // What a store and its watcher tell the operator to do.
  static constexpr std::string_view remedy =
      "nothing is acknowledged any more; put the storage back as it was, or run gavel restore, then start "
      "again";

  // Of files that are all there, and of a lock that is held. `path` is the database's, perhaps of a link to
  // it. `invalid` where a file cannot be found.
  static Result<std::shared_ptr<StorageWatch>> begin(const std::string& path, const sqlite::FileLock& lock);

  StorageWatch(const StorageWatch&) = delete;
  StorageWatch& operator=(const StorageWatch&) = delete;

  // What is different, in words; nothing where all is well. Any thread. A few system calls.
  std::optional<std::string> difference() GAVEL_EXCLUDES(mutex_);

  // The same of the database and its log alone, with two system calls: for each commit.
  std::optional<std::string> difference_of_data() GAVEL_EXCLUDES(mutex_);

  // While it lives the store writes into the database's file. The store's thread; one at a time.
  class Writing {
   public:
    explicit Writing(StorageWatch& watch);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    StorageWatch& watch_;
  };

 private:
  struct File {
    std::string what;  // "the database", for messages.
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
  };
  // Of the database's content, as the store left it.
  struct Content {
    off_t size = 0;
    timespec changed_at = {};
  };
  static constexpr std::size_t database = 0, log = 1;

  explicit StorageWatch(std::array<File, 4> files, Content content)
      : files_(std::move(files)), content_(content) {}

  static std::optional<std::string> difference_of(const File& file, struct stat& status);
  std::optional<std::string> difference_of_database() GAVEL_EXCLUDES(mutex_);
  std::optional<std::string> difference_of_lock() const;
  std::optional<std::string> difference_of_file_system() const;
  void begin_writing() GAVEL_EXCLUDES(mutex_);
  void end_writing() GAVEL_EXCLUDES(mutex_);

  const std::array<File, 4> files_;  // Database, log, the log's index, lock.
  Mutex mutex_;
  Content content_ GAVEL_GUARDED_BY(mutex_);
  bool writing_ GAVEL_GUARDED_BY(mutex_) = false;
};

}  // namespace gavel::judge
