#include "judge/sqlite/log_owner.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include <sys/stat.h>

#include "base/clock.h"
#include "judge/sqlite/header.h"
#include "judge/sqlite/schema.h"

namespace gavel::judge {
namespace sqlite {
namespace {

constexpr std::string_view word = "files-1";
constexpr std::string_view words[] = {"at-rest", "written"};

// Of the log's header: a number that grows by one whenever the log begins anew, from a random one.
constexpr std::size_t log_header_bytes = 32, salt_offset = 16;

struct FileNote {
  std::uint64_t lock_inode = 0;  // Of the lock file that holds the note: a copy of it says nothing.
  std::string boot;
  FileUse use = FileUse::at_rest;
  std::uint64_t inode = 0;  // Of the database, as the next two.
  std::int64_t size = 0;
  std::int64_t changed_at_ns = 0;
  std::optional<std::uint32_t> salt;  // Of the log; none while it is empty.
};

std::optional<std::uint32_t> salt_of_log(const std::string& database) {
  std::ifstream log(database + "-wal", std::ios::binary);
  std::array<char, log_header_bytes> bytes{};
  if (!log.read(bytes.data(), bytes.size())) return std::nullopt;
  std::uint32_t salt = 0;
  for (std::size_t i = 0; i < 4; ++i) salt = salt << 8U | static_cast<unsigned char>(bytes[salt_offset + i]);
  return salt;
}

// Nothing where a file is missing.
std::optional<FileNote> note_of(const FileLock& lock, FileUse use) {
  struct stat database{};
  struct stat locked{};
  if (::stat(lock.database().c_str(), &database) != 0 || ::stat(lock.path().c_str(), &locked) != 0)
    return std::nullopt;
  return FileNote{locked.st_ino,
                  boot_of_machine(),
                  use,
                  database.st_ino,
                  database.st_size,
                  std::int64_t{database.st_mtim.tv_sec} * 1'000'000'000 + database.st_mtim.tv_nsec,
                  salt_of_log(lock.database())};
}

std::string to_text(const FileNote& note) {
  std::ostringstream text;
  text << word << ' ' << note.lock_inode << ' ' << note.boot << ' '
       << words[static_cast<std::size_t>(note.use)] << ' ' << note.inode << ' ' << note.size << ' '
       << note.changed_at_ns << ' ' << (note.salt ? std::to_string(*note.salt) : "-") << '\n';
  return text.str();
}

std::optional<FileNote> parse(const std::string& line) {
  std::istringstream text(line);
  FileNote note;
  std::string kind, use, salt;
  text >> kind >> note.lock_inode >> note.boot >> use >> note.inode >> note.size >> note.changed_at_ns >>
      salt;
  if (!text || kind != word || (use != words[0] && use != words[1])) return std::nullopt;
  note.use = use == words[0] ? FileUse::at_rest : FileUse::written;
  if (salt == "-") return note;
  std::uint32_t number = 0;
  const auto read = std::from_chars(salt.data(), salt.data() + salt.size(), number);
  if (read.ec != std::errc() || read.ptr != salt.data() + salt.size()) return std::nullopt;
  note.salt = number;
  return note;
}

// A checkpoint never makes the file smaller.
bool is_same_database(const FileNote& noted, const FileNote& present) {
  if (noted.inode != present.inode || present.size < noted.size) return false;
  return noted.use == FileUse::written ||
         (noted.size == present.size && noted.changed_at_ns == present.changed_at_ns);
}

// A log may begin anew once before that is noted.
bool is_same_log(const FileNote& noted, const FileNote& present) {
  return present.salt == noted.salt || *present.salt == *noted.salt + 1;
}

std::unexpected<Error> refused(const FileLock& lock, const std::string& why, const std::string& remedy) {
  return fail(ErrorCode::invalid, "SQLite " + lock.database() + ": " + why + ", and writing " +
                                      lock.database() + "-wal into it would mix two databases; " + remedy);
}

constexpr const char* remedy_of_restore =
    "put the database back that was served last, or move both away and run gavel restore";

// What the database says by itself.
Result<void> check_header(const FileLock& lock) {
  const auto header = read_header(lock.database());
  std::error_code missing;
  if (!header && !std::filesystem::exists(lock.database(), missing))
    return refused(lock, "there is no such file, but its log is there", remedy_of_restore);
  if (!header) return std::unexpected(header.error());
  if (!*header) return {};  // Not SQLite's, or damaged: whoever opens it says so.
  if ((**header).application_id == backup_id)
    return refused(lock, "this is a backup, put beside the log of another state", remedy_of_restore);
  if (!(**header).has_log)
    return refused(lock, "this file never had a log, and lies beside one", remedy_of_restore);
  return {};
}

// What the store that wrote the files last says of them.
Result<void> check_note(const FileLock& lock) {
  const auto noted = parse(lock.note());
  const auto present = note_of(lock, FileUse::at_rest);
  if (!noted || !present || noted->lock_inode != present->lock_inode || noted->boot != present->boot)
    return {};
  if (!noted->salt || !present->salt) return {};
  const bool database = is_same_database(*noted, *present);
  const bool log = is_same_log(*noted, *present);
  if (database == log) return {};
  return refused(lock,
                 database ? "the log beside it is not the one that was written last"
                          : "this is not the file that was served last, and the log beside it is that one's",
                 std::string(remedy_of_restore) + "; if the two belong together, remove " + lock.path());
}

bool has_log(const FileLock& lock) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(lock.database() + "-wal", missing);
  return !missing && size > 0;
}

}  // namespace

void note_files(FileLock& lock, FileUse use) {
  if (const auto note = note_of(lock, use)) lock.set_note(to_text(*note));
}

Result<void> check_files(const FileLock& lock) {
  if (!has_log(lock)) return {};
  if (auto checked = check_header(lock); !checked) return checked;
  return check_note(lock);
}

Result<void> take_over_files(FileLock& lock) {
  if (auto checked = check_files(lock); !checked) return checked;
  note_files(lock, FileUse::written);
  return {};
}

}  // namespace sqlite

std::string boot_of_machine() { return RealClock().boot(); }

}  // namespace gavel::judge
