// Routes: every method and path that Gavel answers, as one table, each with its stated policy.
//
// A RoutePolicy cannot be constructed without saying who may call the route, which body it reads and whether
// it requires a request key, so a route that leaves one of these open does not compile. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/accounts.h"
#include "http/message.h"
#include "http/strict_json.h"
#include "http/target.h"

namespace gavel::http {

enum class Endpoint : std::uint8_t {
  // Writes: each becomes one command (command_parser.h).
  reserve,
  confirm,
  cancel,
  extend,
  change,
  refund,
  ship,
  put_sku,
  receive,
  adjust,
  count,
  create_activity,
  change_activity,
  warm_activity,
  check_activity,
  open_activity,
  close_activity,
  // Many writes in one: each element of its body becomes a command (batch.h).
  batch,
  // Reads.
  show_order,
  list_orders,
  show_request,
  show_stock,
  show_activity,
  list_activities,
  list_shortages,
  trace,
  verify,
  show_gate,
  show_clocks,
  // About the service itself.
  health,
  readiness,
  metrics,
  openapi,
  docs,
  list_outcomes,
  explain_outcome,
};

enum class Audiences : std::uint8_t {
  both,       // The shop's listener and the operators'.
  operators,  // The operators' alone; for the shop the path does not exist.
};
enum class Credential : std::uint8_t {
  of_account,  // The key of an account whose role permits it (permits()).
  none,        // For monitoring: health and readiness.
};
enum class Body : std::uint8_t { none, optional, required };
enum class Key : std::uint8_t {
  none,
  required,
  in_body,  // Each element of the body has its own; the header is refused.
};

struct RoutePolicy {
  consteval RoutePolicy(Audiences who, Credential with, Body reads, const Shape* as, Key demands)
      : audiences(who), credential(with), body(reads), shape(as), key(demands) {
    if ((reads == Body::none) != (as == nullptr)) throw "a body has a shape, and nothing else has";
  }

  Audiences audiences;
  Credential credential;
  Body body;
  const Shape* shape;
  Key key;
};

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/orders/{}/confirm": each {} is one segment, a parameter.
  Endpoint endpoint;
  RoutePolicy policy;
};

std::span<const Route> all_routes();

// Whether an account with this role may ask for it, whether or not there is such a route (nullptr: there is
// none).
bool permits(Role role, Audience audience, std::string_view method, const Route* route);

struct Found {
  const Route* route = nullptr;
  std::vector<std::string> parameters;  // In order of the pattern, decoded, of any content.
  std::vector<std::pair<std::string, std::string>> query;
};

// The path exists, with other methods: "GET, HEAD".
struct OtherMethods {
  std::string allow;
};

struct NoRoute {};

inline constexpr std::size_t single_bytes_max = std::size_t{64} * 1024;

// Bytes that the body of such a request may have: batch_bytes_max (batch.h) for a batch, else
// single_bytes_max.
std::size_t body_bytes_max(Audience audience, std::string_view method, std::string_view target);

// HEAD is answered like GET.
std::variant<Found, OtherMethods, NoRoute> find_route(Audience audience, std::string_view method,
                                                      const Target& target);

}  // namespace gavel::http
