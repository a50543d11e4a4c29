// Connection: one open SQLite database, and what its errors mean.
//
// Everything that the C API answers with an error passes failure(), which sorts it into the codes of
// base/result.h. An error that says the storage cannot be trusted stays: every later call on the connection
// answers with it, and closing then writes nothing more, for an fsync that failed must not be tried again.
// One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;

namespace gavel::judge::sqlite {

enum class Role : std::uint8_t {
  creator,  // Writes, and makes the file if it is missing.
  writer,   // Writes to a file that is there.
  reader,   // Reads, and never checkpoints.
};

class Connection {
 public:
  // Fails with `invalid` and one line for an operator. `vfs` is the name of a registered file layer, or
  // empty.
  static Result<std::unique_ptr<Connection>> open(const std::string& path, const std::string& vfs, Role role);

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs SQL without parameters, one statement or several, and drops the rows.
  Result<void> execute(const std::string& sql);

  // The first column of the first row as text; empty if there is no row.
  Result<std::string> ask(const std::string& sql);

  // What the result code `code` of the call just made means, in the words "SQLite <path>: <doing>: <why>".
  Error failure(int code, std::string_view doing);

  // Ends the transaction in progress, if there is one, without a trace.
  void roll_back();
  bool in_transaction() const;

  // Makes `why`, and what to do then, the answer of every later call.
  Error break_off(std::string why);
  const std::optional<Error>& broken() const { return broken_; }

  // What to do when the connection is broken; by default what the judge's file wants.
  void set_remedy(std::string remedy) { remedy_ = std::move(remedy); }

  sqlite3* raw() { return raw_; }
  const std::string& path() const { return path_; }

 private:
  Connection(std::string path, Role role) : path_(std::move(path)), role_(role) {}

  const std::string path_;
  const Role role_;
  sqlite3* raw_ = nullptr;
  std::optional<Error> broken_;
  std::string remedy_ =
      "nothing is acknowledged any more: mend the storage, then start again, and what was acknowledged is "
      "there";
};

// The meaning of an extended result code of SQLite while the database is open.
ErrorCode classify(int code);

}  // namespace gavel::judge::sqlite
