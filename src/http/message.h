// Request and Response: what the routes see of HTTP, as plain values.
//
// Beast stays in the session; everything between the bytes and the pipeline works on these. Value types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gavel::http {

// Who a listener is for. Administration listens apart, with its own credential (interfaces.md).
enum class Audience : std::uint8_t { shop, operators };

struct Request {
  Audience audience = Audience::shop;
  std::string method;  // "GET", "POST", "PUT", "PATCH"
  std::string target;  // As sent: path and query, still percent-encoded.
  std::string body;
  // Headers that mean something here; all others are ignored.
  std::optional<std::string> idempotency_key;
  std::optional<std::string> attempt;  // Gavel-Attempt
  std::optional<std::string> authorization;
  std::optional<std::string> content_type;
  std::optional<std::string> traceparent;
};

struct Response {
  unsigned status = 200;
  std::string_view content_type = "application/json";        // A literal.
  std::vector<std::pair<std::string, std::string>> headers;  // Location, Retry-After, Idempotency-Replayed, …
  std::string body;
};

}  // namespace gavel::http
