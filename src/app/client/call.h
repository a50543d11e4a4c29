// Call: one request to the operators' listener, sent again until there is a response that ends it.
//
// A response that was lost says nothing about what happened, so the request is sent again with the same key:
// the server then gives the first response, or does it now. What the server could not do at once (429, 503)
// or does not know yet (504) is sent again too, after the pause it names. Reads are repeated alike. Blocks;
// one thread.
#pragma once

#include <functional>
#include <string>

#include "app/client/http_message.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"

namespace gavel::app {

// Where the operators' listener is, and its credential.
struct ServerAddress {
  std::string url;
  std::string key;
  std::string key_file;      // Where the key came from.
  std::string ca_file = {};  // As http_client.h has it.
};

// No response is waited for longer than this, the tries together.
inline constexpr Duration call_within{20'000};

// The last response, of whatever status. Errors: `unavailable` certainly nothing was done; `unknown` perhaps
// it was, and the same request with the same key finds out; `invalid` the address or a certificate is wrong,
// or what answers is no HTTP server. A request that writes has a key. `wait` pauses between two tries.
Result<HttpResponse> call(const ServerAddress& server, HttpRequest request, const Clock& clock,
                          const std::function<void(Duration)>& wait);

}  // namespace gavel::app
