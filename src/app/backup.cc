#include "app/backup.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "app/database.h"
#include "app/serving_file.h"
#include "base/check.h"

namespace gavel::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view backup_of_pattern = "00000000T000000Z";  // 0: a digit.

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  if (fs::equivalent(one, other, unknown)) return true;
  return fs::weakly_canonical(one, unknown) == fs::weakly_canonical(other, unknown);
}

// Nothing that belongs to the database itself is a place for its backup.
Result<void> need_other_file(const std::string& database, const std::string& file) {
  for (const char* ending :
       {"", "-wal", "-shm", "-journal", ".lock", ".serving", ".orders", ".orders-wal", ".orders-shm"}) {
    if (!is_same_file(database + ending, file)) continue;
    return fail(ErrorCode::invalid, file + " is " +
                                        (*ending == '\0' ? "the database itself" : "the database's own") +
                                        "; name another file for the backup");
  }
  return {};
}

Result<void> need_folder(const std::string& file) {
  std::error_code unknown;
  if (fs::is_directory(file, unknown))
    return fail(ErrorCode::invalid, file + " is a folder; name the backup's file in it");
  const fs::path folder = fs::path(file).parent_path();
  if (folder.empty() || fs::is_directory(folder, unknown)) return {};
  return fail(ErrorCode::invalid, file + ": there is no folder " + folder.string());
}

Result<void> need_free_name(const std::string& file, Existing existing) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(file, unknown))) return {};
  if (existing == Existing::refuse)
    return fail(ErrorCode::invalid,
                file + " is there already; name another file, or replace it with --replace");
  const auto replaceable = judge::is_backup(file);
  if (!replaceable) return std::unexpected(replaceable.error());
  if (*replaceable) return {};
  return fail(ErrorCode::invalid, file + " is no backup, and only a backup is replaced; name another file");
}

Result<mode_t> mode_of(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0)
    return fail(ErrorCode::invalid, "file " + file + " cannot be found");
  return status.st_mode & 0666U;
}

bool is_name_of_backup(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix) || name.size() != prefix.size() + backup_of_pattern.size()) return false;
  const std::string_view time = std::string_view(name).substr(prefix.size());
  return std::ranges::equal(time, backup_of_pattern, [](char one, char of_pattern) {
    return of_pattern == '0' ? one >= '0' && one <= '9' : one == of_pattern;
  });
}

}  // namespace

Result<CopiedDatabase> back_up(const Options& options, const std::string& file, Existing existing,
                               const CopyPace& pace, const Clock& clock, Interrupt& interrupt) {
  if (auto good = need_database(options); !good) return std::unexpected(good.error());
  const std::string& database = options.judge.path;
  for (const auto& good :
       {need_folder(file), need_other_file(database, file), need_free_name(file, existing)}) {
    if (!good) return std::unexpected(good.error());
  }
  const auto mode = mode_of(database);
  if (!mode) return std::unexpected(mode.error());
  auto draft = DraftFile::make(file + ".draft", *mode);
  if (!draft) return std::unexpected(draft.error());
  if (auto done = copy_database(database, *draft, pace, clock, interrupt); !done)
    return std::unexpected(done.error());
  if (auto done = judge::mark_as_backup(draft->path()); !done) return std::unexpected(done.error());
  auto copied = verify_copy(draft->path(), clock, interrupt);
  if (!copied || !copied->clean()) return copied;
  remove_log_files(draft->path());
  if (auto done = draft->sync(); !done) return std::unexpected(done.error());
  if (auto done = draft->put_in_place(file); !done) return std::unexpected(done.error());
  return copied;
}

std::string backup_name(const std::string& file, Time time) {
  std::string digits = gavel::to_text(time).substr(0, std::string_view("2026-11-29T20:48:46").size());
  std::erase_if(digits, [](char c) { return c == '-' || c == ':'; });
  const std::string name = file + "." + digits + "Z";
  CHECK(is_name_of_backup(name, file + "."));
  return name;
}

Result<std::size_t> remove_old_backups(const std::string& file, std::size_t kept_max) {
  CHECK(kept_max >= 1);
  const fs::path path(file);
  std::vector<fs::path> backups;
  std::error_code failed;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(path.has_parent_path() ? path.parent_path() : ".", failed)) {
    if (is_name_of_backup(entry.path().filename(), path.filename().string() + "."))
      backups.push_back(entry.path());
  }
  std::ranges::sort(backups);  // By time, as their names say it.
  const std::size_t removed = backups.size() - std::min(backups.size(), kept_max);
  for (std::size_t i = 0; i < removed && !failed; ++i) fs::remove(backups[i], failed);
  if (failed)
    return fail(ErrorCode::broken, "old backups of " + file + " cannot be removed: " + failed.message());
  return removed;
}

}  // namespace gavel::app
