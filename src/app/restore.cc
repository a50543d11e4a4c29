#include "app/restore.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "app/backup.h"
#include "app/database.h"
#include "judge/sqlite/lock.h"
#include "judge/sqlite/log_owner.h"

namespace gavel::app {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::broken,
              "file " + path + " cannot be " + what + ": " + std::generic_category().message(errno));
}

Result<void> need_source(const std::string& file, const std::string& database) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return fail(ErrorCode::invalid, file + ": there is no such file");
  if (!fs::is_regular_file(file, unknown))
    return fail(ErrorCode::invalid, file + " is no regular file; name a backup");
  if (!fs::equivalent(file, database, unknown)) return {};
  return fail(ErrorCode::invalid, file + " is the database itself; name a backup");
}

// A path with a typing error may lead to a database of somebody else's.
Result<void> need_place(const std::string& database) {
  std::error_code unknown;
  if (!fs::exists(database, unknown)) return {};
  const auto foreign = judge::is_of_another_program(database);
  if (!foreign) return std::unexpected(foreign.error());
  if (!*foreign) return {};
  return fail(ErrorCode::invalid, "SQLite " + database + " is another program's database; name another file");
}

// A restore that was killed may have left the old database under either name.
Result<void> need_free_names(const std::string& draft, const std::string& kept) {
  std::error_code unknown;
  for (const std::string& name : {draft, kept}) {
    if (!fs::exists(fs::symlink_status(name, unknown))) continue;
    return fail(ErrorCode::invalid, name + " is there already; run gavel restore again, or move it away");
  }
  return {};
}

// The new file belongs to whom the old one belonged, so that the service may open it.
Result<void> take_owner_of(const std::string& old, const std::string& path) {
  struct stat status{};
  if (::stat(old.c_str(), &status) != 0) return {};  // There is none.
  if (::chmod(path.c_str(), status.st_mode & 0777U) != 0) return failed(path, "given its permissions");
  struct stat own{};
  if (::stat(path.c_str(), &own) == 0 && own.st_uid == status.st_uid && own.st_gid == status.st_gid)
    return {};
  if (::chown(path.c_str(), status.st_uid, status.st_gid) != 0) return failed(path, "given its owner");
  return {};
}

bool has_content(const std::string& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return !missing && size > 0;
}

Result<void> fold_own_log(judge::sqlite::FileLock& lock) {
  if (auto own = judge::sqlite::take_over_files(lock); !own) return own;
  return judge::fold_log(lock.database());
}

// What the old database acknowledged is in the file alone afterwards, which is what is kept of it. A log that
// is not the database's own, or cannot be folded since one of them is damaged, is kept beside it.
Result<void> set_log_aside(judge::sqlite::FileLock& lock, const std::string& kept) {
  const std::string& database = lock.database();
  if (has_content(database + "-wal")) {
    const auto folded = fold_own_log(lock);
    if (!folded && folded.error().code == ErrorCode::unavailable) return folded;
    if (!folded && ::rename((database + "-wal").c_str(), (kept + "-wal").c_str()) != 0)
      return failed(database + "-wal", "set aside");
  }
  remove_log_files(database);
  return {};
}

// It is made again from the ledger.
void remove_order_index(const std::string& database) {
  ::unlink((database + ".orders").c_str());
  remove_log_files(database + ".orders");
}

// Of the folder nothing is changed before the exchange but the log's place and the index.
Result<std::string> put_in_place(DraftFile& draft, judge::sqlite::FileLock& lock, const std::string& kept) {
  const std::string& database = lock.database();
  remove_order_index(database);
  if (auto done = set_log_aside(lock, kept); !done) return std::unexpected(done.error());
  std::error_code unknown;
  if (!fs::exists(database, unknown)) {
    const auto done = draft.put_in_place(database);
    return done ? Result<std::string>("") : std::unexpected(done.error());
  }
  const std::string draft_path = draft.path();
  if (auto done = draft.exchange(database); !done) return std::unexpected(done.error());
  if (::rename(draft_path.c_str(), kept.c_str()) != 0) return failed(draft_path, "renamed to " + kept);
  const auto done = sync_folder_of(database);
  return done ? Result<std::string>(kept) : std::unexpected(done.error());
}

}  // namespace

Result<RestoredDatabase> restore(const Options& options, const std::string& file, const CopyPace& pace,
                                 const Clock& clock, Interrupt& interrupt) {
  if (auto good = need_place_of_database(options); !good) return std::unexpected(good.error());
  for (const auto& good : {need_source(file, options.judge.path), need_place(options.judge.path)}) {
    if (!good) return std::unexpected(good.error());
  }
  auto lock = judge::sqlite::FileLock::take(options.judge.path);
  if (!lock) return std::unexpected(lock.error());
  const std::string& database = lock->database();
  const Time now = clock.now();
  const std::string draft_path = backup_name(database + ".restore", now);
  const std::string kept_path = backup_name(database + ".before", now);
  if (auto free = need_free_names(draft_path, kept_path); !free) return std::unexpected(free.error());
  auto draft = DraftFile::make(draft_path, 0600);
  if (!draft) return std::unexpected(draft.error());
  if (auto done = copy_database(file, *draft, pace, clock, interrupt); !done)
    return std::unexpected(done.error());
  if (auto done = judge::make_own_database(draft->path()); !done) return std::unexpected(done.error());
  auto copied = verify_copy(draft->path(), clock, interrupt);
  if (!copied) return std::unexpected(copied.error());
  RestoredDatabase restored{*std::move(copied), ""};
  if (!restored.copy.clean()) return restored;
  remove_log_files(draft->path());
  if (auto done = take_owner_of(database, draft->path()); !done) return std::unexpected(done.error());
  if (auto done = draft->sync(); !done) return std::unexpected(done.error());
  auto kept = put_in_place(*draft, *lock, kept_path);
  if (!kept) return std::unexpected(kept.error());
  restored.kept = *std::move(kept);
  const auto position = judge::ledger_position_of(database);
  if (!position) return std::unexpected(position.error());
  if (*position != restored.copy.as_of)
    return fail(ErrorCode::broken, "SQLite " + database + " is not what was put there; run gavel verify");
  remove_log_files(database);
  return restored;
}

}  // namespace gavel::app
