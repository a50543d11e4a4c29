// Traffic: what a load sends, and what hears of the responses. The interface between load_engine.h and the
// scenarios, the sale of the demonstration, and the benchmarks.
#pragma once

#include <optional>
#include <string>

#include "app/client/http_message.h"

namespace gavel::app {

// Called on the engine's thread.
class Traffic {
 public:
  virtual ~Traffic() = default;

  // The next request; nothing: there are no more, until a response brings one about.
  virtual std::optional<HttpRequest> next() = 0;

  // The final response to a request. `code` is the word in it: reserved, sold_out (client/retry.h).
  virtual void on_response(const HttpRequest& request, const HttpResponse& response,
                           const std::string& code) = 0;
};

}  // namespace gavel::app
