#include "judge/sqlite/backup.h"

#include <filesystem>
#include <utility>

#include <sqlite3.h>

#include "base/check.h"
#include "judge/sqlite/connection.h"
#include "judge/sqlite/header.h"
#include "judge/sqlite/schema.h"
#include "judge/sqlite/statement.h"
#include "judge/sqlite/store.h"

namespace gavel::judge {
namespace {

using sqlite::Connection;
using sqlite::Role;
using sqlite::Row;
using sqlite::Statement;

constexpr std::uintmax_t page_bytes = 4096;  // settings.cc

// What to do where a copy, and not the database that is served, cannot be read or written.
constexpr const char* remedy_of_copy = "the copy is not finished, and nothing else was changed";

Result<std::unique_ptr<Connection>> open(const std::string& path, Role role) {
  auto connection = Connection::open(path, "", role);
  if (connection) (*connection)->set_remedy(remedy_of_copy);
  return connection;
}

Result<void> need_version(Connection& connection) {
  const Result<int> version = sqlite::version_of(connection);
  if (!version) return std::unexpected(version.error());
  if (*version == sqlite_schema_version) return {};
  return fail(ErrorCode::invalid, "SQLite " + connection.path() + " has schema version " +
                                      std::to_string(*version) + " and this gavel needs " +
                                      std::to_string(sqlite_schema_version) +
                                      "; use the gavel that made it, or migrate it first");
}

// The transaction stays open until the connection is closed.
Result<std::unique_ptr<Connection>> open_snapshot(const std::string& path) {
  auto connection = open(path, Role::reader);
  if (!connection) return connection;
  if (auto fits = need_version(**connection); !fits) return std::unexpected(fits.error());
  if (auto begun = (*connection)->execute("BEGIN; SELECT count(*) FROM sqlite_schema"); !begun)
    return std::unexpected(begun.error());
  return connection;
}

// Nothing of an unfinished copy is of any use, so it needs no journal on the disk and waits for no disk.
Result<std::unique_ptr<Connection>> open_target(const std::string& path) {
  auto connection = open(path, Role::creator);
  if (!connection) return connection;
  for (const char* setting : {"PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF"}) {
    if (auto set = (*connection)->execute(setting); !set) return std::unexpected(set.error());
  }
  return connection;
}

class PagesCopy final : public SqliteCopy {
 public:
  PagesCopy(std::unique_ptr<Connection> from, std::unique_ptr<Connection> to, sqlite3_backup* copy)
      : from_(std::move(from)), to_(std::move(to)), copy_(copy) {}
  ~PagesCopy() override {
    if (copy_ != nullptr) sqlite3_backup_finish(copy_);
  }
  PagesCopy(const PagesCopy&) = delete;
  PagesCopy& operator=(const PagesCopy&) = delete;

  Result<bool> step(int pages_max) override;
  Pages pages() const override { return pages_; }

 private:
  Result<bool> finish();

  const std::unique_ptr<Connection> from_;
  const std::unique_ptr<Connection> to_;
  sqlite3_backup* copy_;
  Pages pages_;
};

Result<bool> PagesCopy::step(int pages_max) {
  CHECK(pages_max >= 1);
  CHECK(copy_ != nullptr);
  const int code = sqlite3_backup_step(copy_, pages_max);
  pages_.total = sqlite3_backup_pagecount(copy_);
  pages_.copied = pages_.total - sqlite3_backup_remaining(copy_);
  if (code == SQLITE_OK) return true;
  return finish();
}

// The error, if there was one, is the target's.
Result<bool> PagesCopy::finish() {
  const int code = sqlite3_backup_finish(std::exchange(copy_, nullptr));
  if (code != SQLITE_OK) return std::unexpected(to_->failure(code, "copy"));
  return false;
}

// Runs SQL on a copy that nobody else has open, and leaves no log behind.
Result<void> execute_alone(const std::string& path, const std::string& sql) {
  const auto connection = open(path, Role::writer);
  if (!connection) return std::unexpected(connection.error());
  if (auto done = (*connection)->execute("PRAGMA journal_mode = WAL"); !done) return done;
  return (*connection)->execute(sql);
}

}  // namespace

Result<std::unique_ptr<SqliteCopy>> SqliteCopy::begin(const std::string& from, const std::string& to) {
  auto source = open_snapshot(from);
  if (!source) return std::unexpected(source.error());
  auto target = open_target(to);
  if (!target) return std::unexpected(target.error());
  sqlite3_backup* copy = sqlite3_backup_init((*target)->raw(), "main", (*source)->raw(), "main");
  if (copy == nullptr)
    return std::unexpected((*target)->failure(sqlite3_extended_errcode((*target)->raw()), "copy"));
  return std::make_unique<PagesCopy>(*std::move(source), *std::move(target), copy);
}

Result<void> mark_as_backup(const std::string& path) {
  return execute_alone(path, "PRAGMA application_id = " + std::to_string(sqlite::backup_id));
}

Result<void> make_own_database(const std::string& path) {
  return execute_alone(path, "BEGIN; UPDATE meta SET incarnation = randomblob(16); PRAGMA application_id = " +
                                 std::to_string(sqlite::application_id) + "; COMMIT");
}

Result<std::optional<LedgerPosition>> ledger_position_of(const std::string& path) {
  const auto connection = open(path, Role::reader);
  if (!connection) return std::unexpected(connection.error());
  auto statement = Statement::prepare(
      **connection, "SELECT lane, n, at FROM batch WHERE lane >= 1 ORDER BY lane DESC, n DESC LIMIT 1");
  if (!statement) return std::unexpected(statement.error());
  std::optional<LedgerPosition> position;
  const auto read = statement->for_each(
      [&](Row& row) { position = LedgerPosition{{{row.integer(0)}, row.integer(1)}, row.time(2)}; });
  if (!read) return std::unexpected(read.error());
  return position;
}

// SQLite takes what a last page lacks for zeros.
Result<void> check_structure(const std::string& path) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  if (unknown || bytes % page_bytes != 0)
    return fail(ErrorCode::broken, "SQLite " + path + " is damaged: it does not end with a whole page");
  const auto connection = open(path, Role::reader);
  if (!connection) return std::unexpected(connection.error());
  const auto found = (*connection)->ask("PRAGMA quick_check(1)");
  if (!found) return std::unexpected(found.error());
  if (*found == "ok") return {};
  return fail(ErrorCode::broken, "SQLite " + path + " is damaged: " + *found);
}

Result<bool> is_backup(const std::string& path) {
  const auto header = sqlite::read_header(path);
  if (!header) return std::unexpected(header.error());
  return *header && (**header).application_id == sqlite::backup_id;
}

Result<bool> is_of_another_program(const std::string& path) {
  const auto header = sqlite::read_header(path);
  if (!header) return std::unexpected(header.error());
  if (!*header) return false;
  const std::int64_t id = (**header).application_id;
  return id != sqlite::backup_id && id != sqlite::application_id;
}

Result<void> fold_log(const std::string& path) {
  const auto connection = open(path, Role::writer);
  if (!connection) return std::unexpected(connection.error());
  const auto busy = (*connection)->ask("PRAGMA wal_checkpoint(TRUNCATE)");
  if (!busy) return std::unexpected(busy.error());
  if (*busy == "0") return {};
  return fail(ErrorCode::unavailable, "SQLite " + path + " is read by another program; end it first");
}

}  // namespace gavel::judge
