#include "bench/bare_log.h"

#include <bit>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::bench {

BareLog::BareLog(const std::string& path, std::size_t ids_max)
    : file_(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0644)),
      table_(std::bit_ceil(ids_max * 2)) {
  CHECK(file_ >= 0);
}

BareLog::~BareLog() { ::close(file_); }

std::size_t BareLog::append(const std::vector<Record>& batch) {
  std::size_t fresh = 0;
  buffer_.clear();
  for (const Record& record : batch) {
    if (!insert(record.id)) continue;
    buffer_ += record.bytes;
    ++fresh;
  }
  for (std::size_t written = 0; written < buffer_.size();) {
    const ssize_t count = ::write(file_, buffer_.data() + written, buffer_.size() - written);
    CHECK(count > 0);
    written += static_cast<std::size_t>(count);
  }
  CHECK(::fdatasync(file_) == 0);
  return fresh;
}

bool BareLog::insert(const Uuid& id) {
  std::uint64_t hash = 0;
  std::memcpy(&hash, id.bytes.data() + 8, sizeof hash);  // The random half of a UUIDv7 is its own hash.
  for (std::size_t at = hash;; ++at) {
    Uuid& place = table_[at & (table_.size() - 1)];
    if (place == id) return false;
    if (place != Uuid{}) continue;
    place = id;
    return true;
  }
}

}  // namespace gavel::bench
