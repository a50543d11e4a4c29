#include "app/draft_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::app {
namespace {

std::unexpected<Error> failed(ErrorCode code, const std::string& path, const std::string& what) {
  return fail(code, "file " + path + " cannot be " + what + ": " + std::generic_category().message(errno));
}

// Whoever had the lock before may have given the file another name meanwhile.
bool has_name(int descriptor, const std::string& path) {
  struct stat file{};
  struct stat named{};
  return ::fstat(descriptor, &file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         file.st_ino == named.st_ino && file.st_dev == named.st_dev;
}

}  // namespace

Result<DraftFile> DraftFile::make(std::string path, mode_t mode) {
  while (true) {
    Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!descriptor) return failed(ErrorCode::invalid, path, "made");
    if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0)
      return fail(ErrorCode::invalid,
                  "file " + path + " is being written by another gavel; wait for its end");
    if (!has_name(descriptor.number(), path)) continue;
    remove_log_files(path);
    if (::ftruncate(descriptor.number(), 0) != 0) return failed(ErrorCode::invalid, path, "emptied");
    return DraftFile(std::move(path), std::move(descriptor));
  }
}

DraftFile::DraftFile(DraftFile&& from) noexcept
    : path_(std::exchange(from.path_, {})), descriptor_(std::move(from.descriptor_)) {}

DraftFile::~DraftFile() {
  if (path_.empty()) return;
  remove_log_files(path_);
  ::unlink(path_.c_str());
}

Result<void> DraftFile::sync() {
  if (::fdatasync(descriptor_.number()) != 0) return failed(ErrorCode::broken, path_, "written to the disk");
  return {};
}

Result<void> DraftFile::put_in_place(const std::string& to) {
  CHECK(!path_.empty());
  if (::rename(path_.c_str(), to.c_str()) != 0) return failed(ErrorCode::broken, to, "put in its place");
  path_.clear();
  return sync_folder_of(to);
}

Result<void> DraftFile::exchange(const std::string& other) {
  CHECK(!path_.empty());
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) != 0)
    return failed(ErrorCode::broken, other, "exchanged with " + path_);
  path_.clear();
  return sync_folder_of(other);
}

void remove_log_files(const std::string& database) {
  for (const char* ending : {"-wal", "-shm", "-journal"}) ::unlink((database + ending).c_str());
}

Result<void> sync_folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  const Descriptor descriptor(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor || ::fsync(descriptor.number()) != 0)
    return failed(ErrorCode::broken, name, "written to the disk");
  return {};
}

}  // namespace gavel::app
