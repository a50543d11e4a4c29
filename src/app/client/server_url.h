// ServerUrl: where a server listens, as a person writes it: http://127.0.0.1:8081, https://shop.example.com,
// http://[::1]:8080. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gavel::app {

struct ServerUrl {
  enum class Scheme : std::uint8_t { http, https };

  Scheme scheme = Scheme::http;
  std::string host;  // A name or an IP address, without the brackets of IPv6.
  std::uint16_t port = 0;

  std::string authority() const;  // "127.0.0.1:8081", "[::1]:8080"; what the header Host says.
  std::string text() const;       // "http://127.0.0.1:8081"
};

// Without a port it is 80 or 443. A slash may follow; a user, a path or a query may not, since every request
// brings its own path. `invalid`, in one line that shows how an address looks.
Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace gavel::app
