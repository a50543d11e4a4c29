// ScratchFile: bytes that memory should not hold, in a file without a name.
//
// It is made in the folder that is given, when the first bytes come, and it is gone when the object or the
// process goes. It leaves the disk `scratch_left_min` bytes, because the database stands on the same disk and
// a full one ends its service. Blocks; one thread. Errors: unavailable, in one line that names the folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gavel::judge {

inline constexpr std::int64_t scratch_left_min = 512LL * 1024 * 1024;

class ScratchFile {
 public:
  explicit ScratchFile(std::string folder) : folder_(std::move(folder)) {}
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::int64_t size() const { return size_; }

  Result<void> append(std::string_view bytes);
  // All of `bytes`, from the position `at` on.
  Result<void> read(std::int64_t at, std::span<char> bytes) const;

 private:
  Result<void> open();
  Result<void> check_space(std::size_t bytes) const;

  const std::string folder_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace gavel::judge
