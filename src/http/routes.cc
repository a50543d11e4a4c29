#include "http/routes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "http/batch.h"
#include "http/command_parser.h"

namespace gavel::http {
namespace {

using enum Endpoint;

// Short words for the columns, so that the table stays one line a route.
constexpr auto both = Audiences::both;
constexpr auto operators = Audiences::operators;
constexpr auto known = Credential::of_account;
constexpr auto anyone = Credential::none;
constexpr auto no_body = Body::none;
constexpr auto may_body = Body::optional;
constexpr auto body = Body::required;
constexpr auto keyed = Key::required;
constexpr auto keys_inside = Key::in_body;
constexpr auto no_key = Key::none;

// clang-format off
constexpr std::array routes{
    // method, pattern, endpoint, who may come, credential, body, its shape, key
    Route{"POST", "/v1/orders", reserve, RoutePolicy(both, known, body, &reserve_shape, keyed)},
    Route{"POST", "/v1/orders/{}/confirm", confirm, RoutePolicy(both, known, may_body, &confirm_shape, keyed)},
    Route{"POST", "/v1/orders/{}/cancel", cancel, RoutePolicy(both, known, may_body, &empty_shape, keyed)},
    Route{"POST", "/v1/orders/{}/extend", extend, RoutePolicy(both, known, may_body, &extend_shape, keyed)},
    Route{"PATCH", "/v1/orders/{}", change, RoutePolicy(both, known, body, &change_shape, keyed)},
    Route{"POST", "/v1/orders/{}/refund", refund, RoutePolicy(both, known, body, &refund_shape, keyed)},
    Route{"POST", "/v1/orders/{}/ship", ship, RoutePolicy(both, known, may_body, &ship_shape, keyed)},
    Route{"POST", "/v1/batch", batch, RoutePolicy(both, known, body, &batch_shape, keys_inside)},
    Route{"GET", "/v1/orders", list_orders, RoutePolicy(both, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/orders/{}", show_order, RoutePolicy(both, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/requests/{}", show_request, RoutePolicy(both, known, no_body, nullptr, no_key)},
    Route{"PUT", "/v1/skus/{}", put_sku, RoutePolicy(operators, known, may_body, &put_sku_shape, keyed)},
    Route{"GET", "/v1/stock", show_stock, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"POST", "/v1/stock/{}/receive", receive, RoutePolicy(operators, known, body, &receive_shape, keyed)},
    Route{"POST", "/v1/stock/{}/adjust", adjust, RoutePolicy(operators, known, body, &adjust_shape, keyed)},
    Route{"POST", "/v1/stock/{}/count", count, RoutePolicy(operators, known, body, &count_shape, keyed)},
    Route{"POST", "/v1/activities", create_activity,
          RoutePolicy(operators, known, body, &create_activity_shape, keyed)},
    Route{"GET", "/v1/activities", list_activities, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/trace", trace, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/activities/{}", show_activity, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"PUT", "/v1/activities/{}", change_activity,
          RoutePolicy(operators, known, body, &change_activity_shape, keyed)},
    Route{"POST", "/v1/activities/{}/warm", warm_activity,
          RoutePolicy(operators, known, may_body, &empty_shape, keyed)},
    Route{"POST", "/v1/activities/{}/check", check_activity,
          RoutePolicy(operators, known, may_body, &empty_shape, keyed)},
    Route{"POST", "/v1/activities/{}/open", open_activity,
          RoutePolicy(operators, known, may_body, &empty_shape, keyed)},
    Route{"POST", "/v1/activities/{}/close", close_activity,
          RoutePolicy(operators, known, may_body, &empty_shape, keyed)},
    Route{"GET", "/v1/admin/verify", verify, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/admin/shortages", list_shortages, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/admin/gate", show_gate, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/v1/admin/clock", show_clocks, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/healthz", health, RoutePolicy(both, anyone, no_body, nullptr, no_key)},
    Route{"GET", "/readyz", readiness, RoutePolicy(both, anyone, no_body, nullptr, no_key)},
    Route{"GET", "/metrics", metrics, RoutePolicy(operators, known, no_body, nullptr, no_key)},
    Route{"GET", "/openapi.json", openapi, RoutePolicy(both, known, no_body, nullptr, no_key)},
    Route{"GET", "/docs", docs, RoutePolicy(both, known, no_body, nullptr, no_key)},
    Route{"GET", "/docs/outcomes", list_outcomes, RoutePolicy(both, known, no_body, nullptr, no_key)},
    Route{"GET", "/docs/outcomes/{}", explain_outcome, RoutePolicy(both, known, no_body, nullptr, no_key)},
};
// clang-format on

static_assert(std::ranges::all_of(routes,
                                  [](const Route& route) {
                                    return (route.policy.key != Key::none) == (route.method != "GET");
                                  }),
              "every write demands a request key, and nothing else does");

// The parameters of `target` by `pattern`; nothing if it does not match.
std::optional<std::vector<std::string>> match(std::string_view pattern, const Target& target) {
  std::vector<std::string> parameters;
  pattern.remove_prefix(1);
  for (std::size_t i = 0; i < target.segments.size(); ++i) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view part = pattern.substr(0, end);
    const std::string& segment = target.segments[i];
    if (part == "{}") {
      if (segment.empty()) return std::nullopt;
      parameters.push_back(segment);
    } else if (part != segment) {
      return std::nullopt;
    }
    const bool last_of_pattern = end == pattern.size();
    const bool last_of_target = i + 1 == target.segments.size();
    if (last_of_pattern != last_of_target) return std::nullopt;
    if (!last_of_pattern) pattern.remove_prefix(end + 1);
  }
  return parameters;
}

}  // namespace

std::span<const Route> all_routes() { return routes; }

bool permits(Role role, Audience audience, std::string_view method, const Route* route) {
  const bool is_metrics = route != nullptr && route->endpoint == metrics;
  switch (role) {
    case Role::shop:
      return audience == Audience::shop;
    case Role::ops:
      return true;
    case Role::read:
      return (method == "GET" || method == "HEAD") && !is_metrics;
    case Role::metrics:
      return is_metrics;
  }
  CHECK(false);
}

std::size_t body_bytes_max(Audience audience, std::string_view method, std::string_view target) {
  const std::optional<Target> parsed = parse_target(target);
  if (!parsed) return single_bytes_max;
  const auto place = find_route(audience, method, *parsed);
  const auto* found = std::get_if<Found>(&place);
  return found != nullptr && found->route->endpoint == batch ? batch_bytes_max : single_bytes_max;
}

std::variant<Found, OtherMethods, NoRoute> find_route(Audience audience, std::string_view method,
                                                      const Target& target) {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  std::string allow;
  for (const Route& route : routes) {
    if (route.policy.audiences == Audiences::operators && audience != Audience::operators) continue;
    auto parameters = match(route.pattern, target);
    if (!parameters) continue;
    if (route.method == wanted) return Found{&route, *std::move(parameters), target.query};
    allow.append(allow.empty() ? "" : ", ").append(route.method == "GET" ? "GET, HEAD" : route.method);
  }
  if (allow.empty()) return NoRoute{};
  return OtherMethods{std::move(allow)};
}

}  // namespace gavel::http
