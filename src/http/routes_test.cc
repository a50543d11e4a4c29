#include "http/routes.h"

#include <array>

#include <gtest/gtest.h>

namespace gavel::http {
namespace {

std::string place(Audience audience, std::string_view method, std::string_view path) {
  const auto target = parse_target(path);
  if (!target) return "no path";
  const auto found = find_route(audience, method, *target);
  if (const auto* others = std::get_if<OtherMethods>(&found)) return "allow " + others->allow;
  const auto* route = std::get_if<Found>(&found);
  if (route == nullptr) return "none";
  std::string text(route->route->pattern);
  for (const std::string& parameter : route->parameters) text += " " + parameter;
  return text;
}

TEST(Routes, AreFoundByMethodAndPath) {
  struct Row {
    Audience audience;
    std::string_view method, path, place;
  };
  constexpr auto shop = Audience::shop;
  constexpr auto operators = Audience::operators;
  const std::array rows{
      Row{shop, "POST", "/v1/orders", "/v1/orders"},
      Row{operators, "POST", "/v1/orders", "/v1/orders"},
      Row{shop, "GET", "/v1/orders/a", "/v1/orders/{} a"},
      Row{shop, "HEAD", "/v1/orders/a", "/v1/orders/{} a"},
      Row{shop, "POST", "/v1/orders/a/confirm", "/v1/orders/{}/confirm a"},
      Row{shop, "POST", "/v1/orders/a%2Fb/cancel", "/v1/orders/{}/cancel a/b"},
      Row{shop, "GET", "/v1/requests/k", "/v1/requests/{} k"},
      Row{shop, "GET", "/v1/orders?user=u1", "/v1/orders"},
      Row{shop, "DELETE", "/v1/orders/a", "allow PATCH, GET, HEAD"},
      Row{shop, "get", "/v1/orders/a", "allow PATCH, GET, HEAD"},
      Row{shop, "OPTIONS", "/v1/orders", "allow POST, GET, HEAD"},
      Row{shop, "GET", "/v1/orders/", "none"},
      Row{shop, "GET", "/v1/orders/a/", "none"},
      Row{shop, "GET", "/v1//orders/a", "none"},
      Row{shop, "POST", "/v1/orders/a/confirm/x", "none"},
      Row{shop, "PATCH", "/v1/orders/a", "/v1/orders/{} a"},
      Row{shop, "POST", "/v1/orders/a/extend", "/v1/orders/{}/extend a"},
      Row{shop, "POST", "/v1/orders/a/refund", "/v1/orders/{}/refund a"},
      Row{shop, "GET", "/V1/orders/a", "none"},
      Row{shop, "GET", "/", "none"},
      // To the shop, what is for operators does not exist.
      Row{shop, "PUT", "/v1/skus/tee", "none"},
      Row{shop, "GET", "/v1/stock", "none"},
      Row{shop, "POST", "/v1/stock/tee/receive", "none"},
      Row{shop, "POST", "/v1/activities", "none"},
      Row{shop, "GET", "/v1/admin/verify", "none"},
      Row{operators, "PUT", "/v1/skus/tee", "/v1/skus/{} tee"},
      Row{operators, "GET", "/v1/stock?sku=tee", "/v1/stock"},
      Row{operators, "POST", "/v1/stock/tee/receive", "/v1/stock/{}/receive tee"},
      Row{shop, "POST", "/v1/stock/tee/adjust", "none"},
      Row{shop, "POST", "/v1/stock/tee/count", "none"},
      Row{operators, "POST", "/v1/stock/tee/adjust", "/v1/stock/{}/adjust tee"},
      Row{operators, "POST", "/v1/stock/tee/count", "/v1/stock/{}/count tee"},
      Row{operators, "POST", "/v1/activities", "/v1/activities"},
      Row{operators, "GET", "/v1/activities/s1", "/v1/activities/{} s1"},
      Row{operators, "POST", "/v1/activities/s1/open", "/v1/activities/{}/open s1"},
      Row{operators, "POST", "/v1/activities/s1/close", "/v1/activities/{}/close s1"},
      Row{operators, "POST", "/v1/activities/s1/warm", "/v1/activities/{}/warm s1"},
      Row{operators, "POST", "/v1/activities/s1/check", "/v1/activities/{}/check s1"},
      Row{operators, "PUT", "/v1/activities/s1", "/v1/activities/{} s1"},
      Row{operators, "GET", "/v1/admin/gate?sku=tee", "/v1/admin/gate"},
      Row{operators, "GET", "/v1/admin/verify", "/v1/admin/verify"},
      Row{shop, "GET", "/healthz", "/healthz"},
      Row{operators, "GET", "/readyz", "/readyz"},
      Row{shop, "GET", "/docs/outcomes", "/docs/outcomes"},
      Row{shop, "GET", "/docs/outcomes/sold_out", "/docs/outcomes/{} sold_out"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(place(row.audience, row.method, row.path), row.place) << row.method << " " << row.path;
  }
}

TEST(Routes, ABatchAloneMayBeLarge) {
  constexpr auto shop = Audience::shop;
  constexpr auto operators = Audience::operators;
  EXPECT_EQ(body_bytes_max(shop, "POST", "/v1/batch"), 4U * 1024 * 1024);
  EXPECT_EQ(body_bytes_max(operators, "POST", "http://x/v1/batch?a=1"), 4U * 1024 * 1024);
  for (const char* target : {"/v1/orders", "/v1/batch/", "/v1/batches", "/nosuch", "no path"}) {
    EXPECT_EQ(body_bytes_max(shop, "POST", target), 64U * 1024) << target;
  }
  EXPECT_EQ(body_bytes_max(shop, "PUT", "/v1/batch"), 64U * 1024);
}

// Whoever changes a policy changes this list too, and means it.
TEST(Routes, HaveThesePolicies) {
  std::string text;
  for (const Route& route : all_routes()) {
    text += std::string(route.method) + " " + std::string(route.pattern);
    text += route.policy.audiences == Audiences::both ? " both" : " operators";
    text += route.policy.credential == Credential::none ? " anyone" : "";
    text += route.policy.body == Body::none       ? ""
            : route.policy.body == Body::required ? " body"
                                                  : " may-body";
    text += route.policy.key == Key::required  ? " key\n"
            : route.policy.key == Key::in_body ? " keys-inside\n"
                                               : "\n";
  }
  EXPECT_EQ(text, R"(POST /v1/orders both body key
POST /v1/orders/{}/confirm both may-body key
POST /v1/orders/{}/cancel both may-body key
POST /v1/orders/{}/extend both may-body key
PATCH /v1/orders/{} both body key
POST /v1/orders/{}/refund both body key
POST /v1/orders/{}/ship both may-body key
POST /v1/batch both body keys-inside
GET /v1/orders both
GET /v1/orders/{} both
GET /v1/requests/{} both
PUT /v1/skus/{} operators may-body key
GET /v1/stock operators
POST /v1/stock/{}/receive operators body key
POST /v1/stock/{}/adjust operators body key
POST /v1/stock/{}/count operators body key
POST /v1/activities operators body key
GET /v1/activities operators
GET /v1/trace operators
GET /v1/activities/{} operators
PUT /v1/activities/{} operators body key
POST /v1/activities/{}/warm operators may-body key
POST /v1/activities/{}/check operators may-body key
POST /v1/activities/{}/open operators may-body key
POST /v1/activities/{}/close operators may-body key
GET /v1/admin/verify operators
GET /v1/admin/shortages operators
GET /v1/admin/gate operators
GET /v1/admin/clock operators
GET /healthz both anyone
GET /readyz both anyone
GET /metrics operators
GET /openapi.json both
GET /docs both
GET /docs/outcomes both
GET /docs/outcomes/{} both
)");
}

}  // namespace
}  // namespace gavel::http
