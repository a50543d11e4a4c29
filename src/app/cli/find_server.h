// find_server: which server a command of administration speaks to.
#pragma once

#include <string>

#include "app/client/call.h"
#include "app/options.h"
#include "base/result.h"

namespace gavel::app {

// The server at `address`; if that is empty, the one that serves judge.url by its serving file, or for a
// database in memory the one that the settings describe. `ca_file` goes into the result as it is.
// `unavailable` if nobody serves the database, `invalid` if the operators' key cannot be read. Reads two
// small files.
Result<ServerAddress> find_server(const Options& options, const std::string& address,
                                  const std::string& ca_file);

}  // namespace gavel::app
