// HTTP messages as a client of Gavel sends and receives them. Values; no I/O.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gavel::app {

// No part may hold a line break or another control character: http_connection.h checks that.
struct HttpRequest {
  std::string method;
  std::string target;
  std::string body = {};    // JSON; empty: none.
  std::string key = {};     // Idempotency-Key; empty: none.
  std::string bearer = {};  // The operators' key; empty: none.
};

struct HttpResponse {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};  // As they were sent, in their order.
  std::string body = {};

  // The value of the first header with this name, whatever the case of its letters; nullptr if there is none.
  const std::string* header(std::string_view name) const;
};

}  // namespace gavel::app
