#include "judge/audit/scratch_file.h"

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

}  // namespace

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> ScratchFile::open() {
  std::string path = folder_ + "/gavel-audit-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) return failure(folder_, "make");
  if (::unlink(path.c_str()) != 0) return failure(folder_, "unlink");
  return {};
}

Result<void> ScratchFile::check_space(std::size_t bytes) const {
  struct statvfs status{};
  if (::fstatvfs(descriptor_, &status) != 0) return failure(folder_, "look at the disk of");
  const auto left = static_cast<std::int64_t>(status.f_bavail * status.f_frsize);
  if (left - static_cast<std::int64_t>(bytes) >= scratch_left_min) return {};
  return fail(ErrorCode::unavailable, "the audit has written " + std::to_string(size_) +
                                          " bytes to a scratch file in " + folder_ +
                                          " and stops, because the database's disk has only " +
                                          std::to_string(left) + " bytes left; make room for it");
}

Result<void> ScratchFile::append(std::string_view bytes) {
  if (descriptor_ < 0) {
    if (const Result<void> opened = open(); !opened) return opened;
  }
  if (const Result<void> there = check_space(bytes.size()); !there) return there;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure(folder_, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += written;
  }
  return {};
}

Result<void> ScratchFile::read(std::int64_t at, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t found = ::pread(descriptor_, bytes.data(), bytes.size(), at);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return failure(folder_, "read");
    bytes = bytes.subspan(static_cast<std::size_t>(found));
    at += found;
  }
  return {};
}

}  // namespace gavel::judge
