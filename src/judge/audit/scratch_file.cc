#include "judge/audit/scratch_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace gavel::judge {
namespace {

std::unexpected<Error> failure(const std::string& folder, const std::string& doing) {
  return fail(ErrorCode::unavailable, "the audit cannot " + doing + " a scratch file in " + folder + ": " +
                                          std::generic_category().message(errno));
}

Result<std::int64_t> disk_left(const std::string& folder) {
  struct statvfs status{};
  if (::statvfs(folder.c_str(), &status) != 0) return failure(folder, "find the disk of");
  return static_cast<std::int64_t>(status.f_bavail * status.f_frsize);
}

}  // namespace

Result<std::int64_t> disk_left_min_of(const std::string& folder) {
  const Result<std::int64_t> left = disk_left(folder);
  return left ? Result<std::int64_t>(std::min(disk_left_default, *left / 2)) : left;
}

Result<void> check_disk(const ScratchSpace& space, std::size_t bytes) {
  const Result<std::int64_t> found = disk_left(space.folder);
  if (!found) return std::unexpected(found.error());
  const std::int64_t left = *found;
  if (left >= space.left_min && left - space.left_min >= static_cast<std::int64_t>(bytes)) return {};
  return fail(ErrorCode::unavailable, "the audit stops, because the disk of " + space.folder + " has only " +
                                          std::to_string(left) +
                                          " bytes left, which the database needs; make room for it");
}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> ScratchFile::open() {
  std::string path = space_.folder + "/gavel-audit-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) return failure(space_.folder, "make");
  if (::unlink(path.c_str()) != 0) return failure(space_.folder, "unlink");
  return {};
}

Result<void> ScratchFile::append(std::string_view bytes) {
  if (descriptor_ < 0) {
    if (const Result<void> opened = open(); !opened) return opened;
  }
  if (const Result<void> there = check_disk(space_, bytes.size()); !there) return there;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure(space_.folder, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += written;
  }
  return {};
}

Result<void> ScratchFile::read(std::int64_t at, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t found = ::pread(descriptor_, bytes.data(), bytes.size(), at);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return failure(space_.folder, "read");
    bytes = bytes.subspan(static_cast<std::size_t>(found));
    at += found;
  }
  return {};
}

}  // namespace gavel::judge
