#include "judge/sqlite/storage.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::judge {
namespace {

std::string why_of(int error) { return std::generic_category().message(error); }

bool equal(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

}  // namespace

Result<std::shared_ptr<StorageWatch>> StorageWatch::begin(const std::string& path,
                                                          const sqlite::FileLock& lock) {
  std::array<File, 4> files = {File{"the database", path},
                               File{"the database's log", lock.database() + "-wal"},
                               File{"the index of the database's log", lock.database() + "-shm"},
                               File{"the database's lock file", lock.path()}};
  Content content;
  for (File& file : files) {
    struct stat status{};
    if (::stat(file.path.c_str(), &status) != 0)
      return fail(ErrorCode::invalid, file.what + ", " + file.path + ", cannot be found: " + why_of(errno));
    file.device = status.st_dev;
    file.inode = status.st_ino;
    if (&file == files.data()) content = {status.st_size, status.st_mtim};
  }
  return std::shared_ptr<StorageWatch>(new StorageWatch(std::move(files), content));
}

std::optional<std::string> StorageWatch::difference() {
  if (auto found = difference_of_data()) return found;
  for (const File& file : files_) {
    struct stat status{};
    if (auto found = difference_of(file, status)) return found;
  }
  if (auto found = difference_of_file_system()) return found;
  return difference_of_lock();
}

std::optional<std::string> StorageWatch::difference_of_data() {
  struct stat status{};
  if (auto found = difference_of(files_[log], status)) return found;
  return difference_of_database();
}

std::optional<std::string> StorageWatch::difference_of(const File& file, struct stat& status) {
  if (::stat(file.path.c_str(), &status) != 0)
    return file.what + ", " + file.path + ", is gone: " + why_of(errno);
  if (status.st_dev != file.device)
    return file.what + ", " + file.path + ", lies on another file system than the file that is open";
  if (status.st_ino != file.inode)
    return file.what + ", " + file.path + ", was replaced: another file than the one that is open";
  return std::nullopt;
}

// Under the mutex, so that no checkpoint begins and ends between the look and the comparison.
std::optional<std::string> StorageWatch::difference_of_database() {
  const MutexLock lock(mutex_);
  struct stat status{};
  if (auto found = difference_of(files_[database], status)) return found;
  if (writing_ || (status.st_size == content_.size && equal(status.st_mtim, content_.changed_at)))
    return std::nullopt;
  return files_[database].what + ", " + files_[database].path + ", was written by another program";
}

// Whoever can lock the file once more would be the second to write.
std::optional<std::string> StorageWatch::difference_of_lock() const {
  const File& lock = files_.back();
  const int descriptor = ::open(lock.path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return lock.what + ", " + lock.path + ", cannot be opened: " + why_of(errno);
  const bool taken = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  if (taken) return lock.what + ", " + lock.path + ", is no longer locked by this process";
  return std::nullopt;
}

std::optional<std::string> StorageWatch::difference_of_file_system() const {
  struct statvfs status{};
  const File& file = files_[database];
  if (::statvfs(file.path.c_str(), &status) != 0)
    return "the file system of " + file.path + " cannot be asked: " + why_of(errno);
  if ((status.f_flag & ST_RDONLY) == 0) return std::nullopt;
  return "the file system of " + file.path + " was mounted again for reading alone";
}

void StorageWatch::begin_writing() {
  const MutexLock lock(mutex_);
  CHECK(!writing_);
  writing_ = true;
}

// Where the file is gone, nothing more is expected of it: the next look says so.
void StorageWatch::end_writing() {
  struct stat status{};
  const bool is_there = ::stat(files_[database].path.c_str(), &status) == 0;
  const MutexLock lock(mutex_);
  if (is_there && status.st_ino == files_[database].inode) content_ = {status.st_size, status.st_mtim};
  writing_ = false;
}

StorageWatch::Writing::Writing(StorageWatch& watch) : watch_(watch) { watch_.begin_writing(); }
StorageWatch::Writing::~Writing() { watch_.end_writing(); }

}  // namespace gavel::judge
