#include "judge/sqlite/connection.h"

#include <sqlite3.h>

#include "base/check.h"

namespace gavel::judge::sqlite {
namespace {

int flags_of(Role role) {
  // Every connection stays with one thread, so SQLite's own mutexes would only cost.
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
  switch (role) {
    case Role::creator:
      return flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Role::writer:
      return flags | SQLITE_OPEN_READWRITE;
    case Role::reader:
      return flags | SQLITE_OPEN_READONLY;
  }
  CHECK(false);
}

void configure(sqlite3* raw, int option, int value) {
  int answer = -1;
  CHECK(sqlite3_db_config(raw, option, value, &answer) == SQLITE_OK && answer == value);
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, const std::string& vfs,
                                                     Role role) {
  std::unique_ptr<Connection> connection(new Connection(path, role));
  const int code =
      sqlite3_open_v2(path.c_str(), &connection->raw_, flags_of(role), vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    return fail(ErrorCode::invalid, "SQLite " + path +
                                        " cannot be opened: " + sqlite3_errmsg(connection->raw_) +
                                        "; its folder must exist, and `gavel migrate` makes the file");
  }
  // Readers that close last would otherwise checkpoint, beside the one connection that may (docs/adr/0003).
  configure(connection->raw_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, role == Role::reader ? 1 : 0);
  // Nothing written in the file may reach beyond its rows.
  configure(connection->raw_, SQLITE_DBCONFIG_DEFENSIVE, 1);
  configure(connection->raw_, SQLITE_DBCONFIG_DQS_DDL, 0);
  configure(connection->raw_, SQLITE_DBCONFIG_DQS_DML, 0);
  return connection;
}

Connection::~Connection() {
  // All statements are gone before their connection; a busy close would leak the file's locks.
  CHECK(sqlite3_close(raw_) == SQLITE_OK);
}

Result<void> Connection::execute(const std::string& sql) {
  if (broken_) return std::unexpected(*broken_);
  const int code = sqlite3_exec(raw_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(failure(code, sql));
  return {};
}

Result<std::string> Connection::ask(const std::string& sql) {
  if (broken_) return std::unexpected(*broken_);
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(raw_, sql.c_str(), -1, &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(failure(code, sql));
  std::string answer;
  code = sqlite3_step(statement);
  if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
    answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  }
  const bool failed = code != SQLITE_ROW && code != SQLITE_DONE;
  std::optional<Error> error;
  if (failed) error = failure(code, sql);
  sqlite3_finalize(statement);
  if (error) return std::unexpected(*std::move(error));
  return answer;
}

Error Connection::failure(int code, std::string_view doing) {
  ErrorCode meaning = classify(code);
  // A reader has no batch to try again; it is asked again.
  if (role_ == Role::reader && meaning == ErrorCode::conflict) meaning = ErrorCode::unavailable;
  std::string why = "SQLite " + path_ + ": " + std::string(doing) + ": " + sqlite3_errmsg(raw_) + " (" +
                    std::to_string(code) + ")";
  return meaning == ErrorCode::broken ? break_off(std::move(why)) : Error{meaning, std::move(why)};
}

Error Connection::break_off(std::string why) {
  if (broken_) return *broken_;
  broken_ = Error{ErrorCode::broken, std::move(why) + "; " + remedy_};
  // A checkpoint at close would sync the log again, and a sync that succeeds after a failed one proves
  // nothing.
  configure(raw_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
  return *broken_;
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(raw_) == 0; }

void Connection::roll_back() {
  if (!in_transaction()) return;
  // It ends the transaction whatever the disk does: nothing of it needs to be written.
  sqlite3_exec(raw_, "ROLLBACK", nullptr, nullptr, nullptr);
  CHECK(!in_transaction());
}

ErrorCode classify(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_ROWID:
      return ErrorCode::duplicate;
    default:
      break;
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::conflict;
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
      return ErrorCode::constraint;
    default:
      // Full disks, I/O errors and corruption are meant; what else there is (a wrong statement, a misused
      // call) is a fault of ours, and going on with it would be no better.
      return ErrorCode::broken;
  }
}

}  // namespace gavel::judge::sqlite
