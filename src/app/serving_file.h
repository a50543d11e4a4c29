// The serving file: `<database>.serving`, by which other commands find the server that has a database open.
//
// It is written once the server accepts connections and removed when it stops. A crash leaves it behind, so a
// reader tries the address, and takes it for stale if nobody answers. It holds no secret, only the path of
// the key. Blocks on the file; any thread.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace gavel::app {

struct Serving {
  std::string operators;  // "http://127.0.0.1:8081"
  std::string key_file;   // An absolute path.
  friend bool operator==(const Serving&, const Serving&) = default;
};

std::string serving_file_of(const std::string& database);

// Written whole or not at all.
Result<void> write_serving_file(const std::string& database, const Serving& serving);
void remove_serving_file(const std::string& database);

// Nothing where there is none; `invalid` on one that is not ours.
Result<std::optional<Serving>> read_serving_file(const std::string& database);

}  // namespace gavel::app
