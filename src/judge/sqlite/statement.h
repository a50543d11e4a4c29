// Statement: one prepared statement, used again and again, that is always reset when a use of it ends.
//
//   Result<std::int64_t> changed = statement.run(item.value, bucket);
//   Result<void> all = statement.for_each([&](Row& row) { … row.integer(0) … }, sku.text());
//
// Parameters are bound in order, without a copy: they need to live until the call returns. A Row is good
// within the call it is given to. One thread, that of the connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "judge/sqlite/connection.h"
#include "rules/ids.h"
#include "rules/quantity.h"
#include "rules/request_key.h"

struct sqlite3_stmt;

namespace gavel::judge::sqlite {

// The row that a query stands on. A column that has not the form it is read in makes the row unsound, and the
// query ends with an error: somebody else wrote it.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  bool is_null(int column) const;
  std::int64_t integer(int column);
  std::string_view text(int column);  // Valid until the next row.
  rules::OrderId order_id(int column);
  rules::Quantity quantity(int column) { return {integer(column)}; }
  Time time(int column) { return Time(Duration(integer(column))); }

  template <class Code>
  Code code(int column) {
    const auto parsed = Code::parse(text(column));
    if (!parsed) spoil();
    return parsed.value_or(Code("-"));
  }
  // A word that `parse` knows, such as rules::parse_outcome.
  template <class Enum>
  Enum word(int column, std::optional<Enum> (*parse)(std::string_view)) {
    const std::optional<Enum> parsed = parse(text(column));
    if (!parsed) spoil();
    return parsed.value_or(Enum{});
  }
  // What `read` reads, or nothing where the column is NULL.
  template <class T>
  std::optional<T> optional(int column, T (Row::*read)(int)) {
    return is_null(column) ? std::nullopt : std::optional<T>((this->*read)(column));
  }

  void spoil() { sound_ = false; }
  bool sound() const { return sound_; }

 private:
  sqlite3_stmt* statement_;
  bool sound_ = true;
};

class Statement {
 public:
  static Result<Statement> prepare(Connection& connection, const char* sql);

  Statement(Statement&& from) noexcept;
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  // Runs a statement that answers no rows; how many rows it inserted, updated or deleted.
  template <class... Values>
  Result<std::int64_t> run(const Values&... values) {
    bind_all(values...);
    return finish();
  }

  // Calls `use(Row&)` for every row of the answer.
  template <class Use, class... Values>
  Result<void> for_each(Use use, const Values&... values) {
    bind_all(values...);
    const Ending ending(*this);
    for (;;) {
      const Result<bool> there = next(use);
      if (!there) return std::unexpected(there.error());
      if (!*there) return {};
    }
  }

  // For a walk that rests between rows, of a statement without parameters: calls `use(Row&)` for the next
  // row; false when there was none. Whoever began to walk calls end(), wherever he stands.
  template <class Use>
  Result<bool> next(Use use) {
    const Result<bool> there = step();
    if (!there || !*there) return there;
    Row row(raw_);
    use(row);
    if (!row.sound()) return std::unexpected(unsound());
    return true;
  }
  void end() { reset(); }

 private:
  // Ends a use of the statement, whichever way it is left.
  class Ending {
   public:
    explicit Ending(Statement& statement) : statement_(statement) {}
    ~Ending() { statement_.reset(); }
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;

   private:
    Statement& statement_;
  };

  Statement(Connection& connection, sqlite3_stmt* raw) : connection_(&connection), raw_(raw) {}

  template <class... Values>
  void bind_all(const Values&... values) {
    int position = 0;
    (bind(++position, values), ...);
    check_bound(position);
  }
  void bind(int position, std::int64_t value);
  void bind(int position, int value) { bind(position, static_cast<std::int64_t>(value)); }
  void bind(int position, std::string_view value);
  void bind(int position, const std::string& value) { bind(position, std::string_view(value)); }
  void bind(int position, const rules::OrderId& value);
  void bind(int position, const rules::RequestKey& value) { bind(position, value.text()); }
  void bind(int position, rules::Quantity value) { bind(position, value.units); }
  void bind(int position, Time value) { bind(position, std::int64_t{value.time_since_epoch().count()}); }
  void bind(int position, std::chrono::seconds value) { bind(position, std::int64_t{value.count()}); }
  template <class Tag, bool (*is_valid)(std::string_view)>
  void bind(int position, const Code<Tag, is_valid>& value) {
    bind(position, value.text());
  }
  template <class Tag>
  void bind(int position, Number<Tag> value) {
    bind(position, value.value);
  }
  template <class T>
  void bind(int position, const std::optional<T>& value) {
    if (value) {
      bind(position, *value);
    } else {
      bind_null(position);
    }
  }
  void bind_null(int position);
  void check_bound(int count) const;

  Result<bool> step();  // True on a row, false at the end.
  Result<std::int64_t> finish();
  void reset();
  Error unsound();

  Connection* connection_;
  sqlite3_stmt* raw_;
};

}  // namespace gavel::judge::sqlite
