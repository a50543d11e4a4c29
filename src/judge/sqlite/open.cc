#include "judge/sqlite/open.h"

#include <filesystem>
#include <system_error>

#include <sqlite3.h>

#include "judge/sqlite/lock.h"
#include "judge/sqlite/log_owner.h"
#include "judge/sqlite/schema.h"
#include "judge/sqlite/settings.h"

namespace gavel::judge {
namespace sqlite {

Result<std::unique_ptr<Connection>> open_current(const SqliteOptions& options, Role role) {
  auto connection = Connection::open(options.path, options.vfs, role);
  if (!connection) return connection;
  // SQLite opens for reading alone what it may not write, and says so at the first write.
  if (role == Role::writer && sqlite3_db_readonly((*connection)->raw(), "main") == 1) {
    return fail(ErrorCode::invalid,
                "SQLite " + options.path + " may not be written by this user; change its permissions");
  }
  // The version is read before anything is set: a file that is not ours is not touched.
  const Result<int> version = version_of(**connection);
  if (!version) return std::unexpected(version.error());
  if (*version != sqlite_schema_version) {
    const char* remedy = *version < sqlite_schema_version ? "run `gavel migrate`" : "use the newer gavel";
    return fail(ErrorCode::invalid, "SQLite " + options.path + " has schema version " +
                                        std::to_string(*version) + " and this gavel needs " +
                                        std::to_string(sqlite_schema_version) + "; " + remedy);
  }
  if (role != Role::reader) {
    if (const Result<void> own = need_no_backup(**connection); !own) return std::unexpected(own.error());
  }
  if (const Result<void> applied = apply_settings(**connection, role); !applied) {
    return std::unexpected(applied.error());
  }
  return connection;
}

namespace {

bool exists(const SqliteOptions& options) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(options.vfs.empty() ? nullptr : options.vfs.c_str());
  int there = 0;  // And so it stays where nobody can tell.
  if (vfs != nullptr) vfs->xAccess(vfs, options.path.c_str(), SQLITE_ACCESS_EXISTS, &there);
  return there != 0;
}

}  // namespace
}  // namespace sqlite

void spare_sqlite_memory_counts() {
  // Refused once SQLite is in use, which costs speed and nothing else.
  static_cast<void>(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0));
}

Result<int> sqlite_schema_version_of(const SqliteOptions& options) {
  if (!sqlite::exists(options)) return 0;
  std::error_code unknown;  // What is no file is refused by whoever opens it.
  if (options.vfs.empty() && std::filesystem::is_regular_file(options.path, unknown)) {
    const auto lock = sqlite::FileLock::take(options.path);
    if (!lock) return std::unexpected(lock.error());
    if (const auto own = sqlite::check_files(*lock); !own) return std::unexpected(own.error());
  }
  const auto connection = sqlite::Connection::open(options.path, options.vfs, sqlite::Role::reader);
  if (!connection) return std::unexpected(connection.error());
  return sqlite::version_of(**connection);
}

Result<int> migrate_sqlite(const SqliteOptions& options) {
  auto lock = sqlite::FileLock::take(options.path);
  if (!lock) return std::unexpected(lock.error());
  if (options.vfs.empty()) {
    if (const auto own = sqlite::take_over_files(*lock); !own) return std::unexpected(own.error());
  }
  const auto connection = sqlite::Connection::open(options.path, options.vfs, sqlite::Role::creator);
  if (!connection) return std::unexpected(connection.error());
  return sqlite::migrate(**connection, sqlite::schema_versions());
}

}  // namespace gavel::judge
