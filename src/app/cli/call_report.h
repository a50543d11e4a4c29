// CallReport: what a response, or its absence, means for the person who typed a command of administration.
//
// Pure; thread-safe.
#pragma once

#include <string>

#include "app/cli/subcommand.h"
#include "app/client/call.h"
#include "base/result.h"

namespace gavel::app {

struct CallReport {
  Exit exit = Exit::done;
  std::string line;  // What is wrong and what to do, in one line; empty if all is well.
};

// `response` is what call() returned for `request`.
CallReport call_report(const Result<HttpResponse>& response, const HttpRequest& request,
                       const ServerAddress& server);

}  // namespace gavel::app
