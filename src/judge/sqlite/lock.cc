#include "judge/sqlite/lock.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::judge::sqlite {
namespace {

constexpr std::size_t note_offset = 24;  // The process id and its line end come before it.
constexpr std::size_t note_bytes_max = 512;

std::string holder_of(int descriptor) {
  char text[24] = {};
  const ssize_t count = ::pread(descriptor, text, sizeof text - 1, 0);
  std::string digits;
  for (ssize_t i = 0; i < count && text[i] >= '0' && text[i] <= '9'; ++i) digits += text[i];
  return digits.empty() ? "another process" : "process " + digits;
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& database_path) {
  std::error_code unknown;  // A file that is still to be made has one name, the one that it is given.
  const auto names = std::filesystem::hard_link_count(database_path, unknown);
  if (!unknown && names > 1) {
    return fail(ErrorCode::invalid,
                database_path + " has " + std::to_string(names) +
                    " names (hard links), and SQLite would keep a log for each; remove all but one");
  }
  const auto real = std::filesystem::weakly_canonical(database_path, unknown);
  if (unknown) return fail(ErrorCode::invalid, database_path + " cannot be found: " + unknown.message());
  const std::string path = real.string() + ".lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return fail(ErrorCode::invalid, path + " cannot be opened: " + std::generic_category().message(errno));
  }
  FileLock lock(descriptor, real.string());
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return fail(ErrorCode::invalid, path + " cannot be locked: " + std::generic_category().message(errno));
    }
    return fail(ErrorCode::invalid, database_path + " is open for writing in " + holder_of(descriptor) +
                                        "; stop it first, or name another file");
  }
  // The id is only for messages: where it cannot be written the lock holds all the same.
  std::string text = std::to_string(::getpid());
  text.resize(note_offset - 1, ' ');
  text += '\n';
  static_cast<void>(::pwrite(descriptor, text.data(), text.size(), 0) < 0);
  return lock;
}

std::string FileLock::note() const {
  std::string text(note_bytes_max, '\0');
  const ssize_t count = ::pread(descriptor_, text.data(), text.size(), note_offset);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text.substr(0, text.find('\n'));
}

void FileLock::set_note(const std::string& line) {
  CHECK(line.size() <= note_bytes_max && line.ends_with('\n'));
  static_cast<void>(::pwrite(descriptor_, line.data(), line.size(), note_offset) < 0);
}

FileLock::FileLock(FileLock&& from) noexcept
    : descriptor_(std::exchange(from.descriptor_, -1)), database_(std::move(from.database_)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace gavel::judge::sqlite
