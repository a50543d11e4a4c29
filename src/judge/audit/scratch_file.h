// ScratchFile: bytes that memory should not hold, in a file without a name.
//
// It is made in the folder that is given, when the first bytes come, and it is gone when the object or the
// process goes. Blocks; one thread. Errors: unavailable, in one line that names the folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace gavel::judge {

// The folder of a file, and how many bytes its disk keeps: the database stands on the same disk, and a full
// one ends its service.
struct ScratchSpace {
  std::string folder;
  std::int64_t left_min = 0;
};

// So much is kept, or half of what there is if that is less.
inline constexpr std::int64_t disk_left_default = 512LL * 1024 * 1024;
Result<std::int64_t> disk_left_min_of(const std::string& folder);

// Whether so many bytes more leave the disk what it keeps.
Result<void> check_disk(const ScratchSpace& space, std::size_t bytes);

class ScratchFile {
 public:
  explicit ScratchFile(ScratchSpace space) : space_(std::move(space)) {}
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::int64_t size() const { return size_; }

  Result<void> append(std::string_view bytes);
  // All of `bytes`, from the position `at` on.
  Result<void> read(std::int64_t at, std::span<char> bytes) const;

 private:
  Result<void> open();

  const ScratchSpace space_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace gavel::judge
