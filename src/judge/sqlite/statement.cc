#include "judge/sqlite/statement.h"

#include <algorithm>
#include <utility>

#include <sqlite3.h>

#include "base/check.h"

namespace gavel::judge::sqlite {

bool Row::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Row::integer(int column) {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) spoil();
  return sqlite3_column_int64(statement_, column);
}

std::string_view Row::text(int column) {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) {
    spoil();
    return {};
  }
  const auto* chars = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {chars, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

rules::OrderId Row::order_id(int column) {
  rules::OrderId id;
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) != id.uuid.bytes.size()) {
    spoil();
    return id;
  }
  std::copy_n(bytes, id.uuid.bytes.size(), id.uuid.bytes.begin());
  return id;
}

Result<Statement> Statement::prepare(Connection& connection, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(connection.raw(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (code != SQLITE_OK) return std::unexpected(connection.failure(code, sql));
  return Statement(connection, raw);
}

Statement::Statement(Statement&& from) noexcept
    : connection_(from.connection_), raw_(std::exchange(from.raw_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(raw_); }

// A bind fails only where the statement and its call do not fit, which is a fault of the program.
void Statement::bind(int position, std::int64_t value) {
  CHECK(sqlite3_bind_int64(raw_, position, value) == SQLITE_OK);
}

void Statement::bind(int position, std::string_view value) {
  CHECK(value.data() != nullptr);  // A null pointer would bind NULL.
  CHECK(sqlite3_bind_text(raw_, position, value.data(), static_cast<int>(value.size()), SQLITE_STATIC) ==
        SQLITE_OK);
}

void Statement::bind(int position, const rules::OrderId& value) {
  const auto& bytes = value.uuid.bytes;
  CHECK(sqlite3_bind_blob(raw_, position, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC) ==
        SQLITE_OK);
}

void Statement::bind_null(int position) { CHECK(sqlite3_bind_null(raw_, position) == SQLITE_OK); }

void Statement::check_bound(int count) const { CHECK(sqlite3_bind_parameter_count(raw_) == count); }

Result<bool> Statement::step() {
  if (connection_->broken()) return std::unexpected(*connection_->broken());
  const int code = sqlite3_step(raw_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(connection_->failure(code, sqlite3_sql(raw_)));
}

Result<std::int64_t> Statement::finish() {
  const Ending ending(*this);
  const Result<bool> row = step();
  if (!row) return std::unexpected(row.error());
  CHECK(!*row);
  return sqlite3_changes64(connection_->raw());
}

// Its answer repeats the error of the last step, which was dealt with there.
void Statement::reset() { sqlite3_reset(raw_); }

Error Statement::unsound() {
  return connection_->break_off("SQLite " + connection_->path() + ": " + sqlite3_sql(raw_) +
                                ": a row does not have the form in which it was written");
}

}  // namespace gavel::judge::sqlite
