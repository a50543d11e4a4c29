// Call: one request of a command to the operators' listener, asked again until there is an answer.
//
// An answer that was lost says nothing about what happened, so the request is sent again with the same key:
// the server then tells the first answer, or does it now. What the server could not do at once (429, 503) or
// does not know yet (504) is asked again too, after the pause it names. Reads are repeated alike. Blocks; one
// thread.
#pragma once

#include <functional>
#include <string>

#include "app/cli/subcommand.h"
#include "app/client/http_connection.h"
#include "app/options.h"
#include "base/clock.h"
#include "base/result.h"

namespace gavel::app {

// Where the operators' listener is, and its credential.
struct ServerPlace {
  std::string url;
  std::string key;
  std::string key_file;  // Where the key came from.
};

// The server that `address` names; if empty, the one that serves judge.url by its serving file, or for a
// database in memory the one that the settings describe. `unavailable` if nobody serves it, `invalid` if the
// key cannot be read.
Result<ServerPlace> find_server(const Options& options, const std::string& address);

// No answer is waited for longer than this, the tries together.
inline constexpr Duration call_within{20'000};

// The last answer, of whatever status. Errors: `unavailable` certainly nothing was done; `unknown` perhaps it
// was, and the same request with the same key finds out.
Result<HttpAnswer> call(const ServerPlace& place, HttpRequest request, const Clock& clock,
                        const std::function<void(Duration)>& pause);

// What an answer or its absence means for the one who typed the command.
struct CallEnd {
  Exit exit = Exit::done;
  std::string line;  // What is wrong and what to do, in one line; empty if all is well.
};
CallEnd end_of_call(const Result<HttpAnswer>& answer, const HttpRequest& request, const ServerPlace& place);

}  // namespace gavel::app
