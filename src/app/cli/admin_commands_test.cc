// Each command of administration as the request that it sends, and compared with the routes that the server
// has.
#include "app/cli/admin_commands.h"

#include <algorithm>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "http/query_params.h"
#include "http/routes.h"
#include "http/strict_json.h"
#include "http/target.h"

namespace gavel::app {
namespace {

const AdminCommand& command(std::string_view group, std::string_view word) {
  const auto found = std::ranges::find_if(
      admin_commands(), [&](const AdminCommand& one) { return one.group == group && one.word == word; });
  EXPECT_NE(found, admin_commands().end()) << group << " " << word;
  return *found;
}

std::string said(const Result<HttpRequest>& request) {
  if (!request) return request.error().message;
  const std::string text = request->method + " " + request->target;
  return request->body.empty() ? text : text + " " + request->body;
}

struct Row {
  const char* group;
  const char* word;
  ArgumentValues values;
  const char* request;
};
// table: what is typed, and the request or the error.
const Row rows[] = {
    {"stock", "create", {{"sku", {"tee"}}}, "PUT /v1/skus/tee"},
    {"stock", "create", {{"sku", {"tee"}}, {"buckets", {"8"}}}, R"(PUT /v1/skus/tee {"buckets":8})"},
    {"stock", "show", {{"sku", {"tee", "cup"}}}, "GET /v1/stock?sku=tee&sku=cup"},
    {"stock",
     "receive",
     {{"sku", {"tee"}}, {"quantity", {"5"}}},
     R"(POST /v1/stock/tee/receive {"quantity":5})"},
    {"stock",
     "adjust",
     {{"sku", {"tee"}}, {"difference", {"-5"}}, {"reason", {"lost \"at\" sea"}}},
     R"(POST /v1/stock/tee/adjust {"difference":-5,"reason":"lost \"at\" sea"})"},
    {"stock",
     "count",
     {{"sku", {"tee"}}, {"counted", {"97"}}, {"version", {"12"}}},
     R"(POST /v1/stock/tee/count {"counted":97,"version":12})"},
    {"order", "show", {{"order", {"a/b c"}}}, "GET /v1/orders/a%2Fb%20c"},
    {"order",
     "list",
     {{"user", {"ann"}}, {"state", {"held"}}, {"limit", {"3"}}},
     "GET /v1/orders?user=ann&state=held&limit=3"},
    {"order", "confirm", {{"order", {"o1"}}}, "POST /v1/orders/o1/confirm"},
    {"order",
     "confirm",
     {{"order", {"o1"}}, {"lines", {"tee=1", "a=b=2"}}},
     R"(POST /v1/orders/o1/confirm {"lines":[{"sku":"tee","quantity":1},{"sku":"a=b","quantity":2}]})"},
    {"order", "cancel", {{"order", {"o1"}}}, "POST /v1/orders/o1/cancel"},
    {"order", "extend", {{"order", {"o1"}}}, "POST /v1/orders/o1/extend"},
    {"order",
     "extend",
     {{"order", {"o1"}}, {"seconds", {"120"}}},
     R"(POST /v1/orders/o1/extend {"seconds":120})"},
    {"order",
     "change",
     {{"order", {"o1"}}, {"lines", {"tee=2"}}},
     R"(PATCH /v1/orders/o1 {"lines":[{"sku":"tee","quantity":2}]})"},
    {"order",
     "refund",
     {{"order", {"o1"}}, {"restock", {"no"}}},
     R"(POST /v1/orders/o1/refund {"restock":false})"},
    {"activity", "list", {{"cursor", {"drop"}}}, "GET /v1/activities?cursor=drop"},
    {"activity", "list", {}, "GET /v1/activities"},
    {"activity",
     "create",
     {{"id", {"drop"}}, {"name", {"Friday"}}, {"lines", {"tee=5"}}, {"limit_per_user", {"1"}}},
     R"(POST /v1/activities {"id":"drop","name":"Friday","lines":[{"sku":"tee","allotment":5}],"limit_per_user":1})"},
    {"activity", "open", {{"activity", {"drop"}}}, "POST /v1/activities/drop/open"},
    {"activity", "warm", {{"activity", {"drop"}}}, "POST /v1/activities/drop/warm"},
    {"activity", "check", {{"activity", {"drop"}}}, "POST /v1/activities/drop/check"},
    {"activity",
     "change",
     {{"activity", {"drop"}}, {"buckets", {"4"}}, {"mode", {"gated"}}},
     R"(PUT /v1/activities/drop {"buckets":4,"mode":"gated"})"},
    {"gate", "show", {{"sku", {"tee"}}}, "GET /v1/admin/gate?sku=tee"},
    {"clock", "show", {}, "GET /v1/admin/clock"},
    {"trace", "", {{"request", {"k 1"}}, {"caller", {"shop"}}}, "GET /v1/trace?request=k%201&caller=shop"},
    // Names as shops have them are percent-encoded in paths and queries, and stand in bodies as they are
    // (E27).
    {"stock", "create", {{"sku", {"24\" / 61 cm +100%"}}}, "PUT /v1/skus/24%22%20%2F%2061%20cm%20%2B100%25"},
    {"stock", "show", {{"sku", {"a&sku=b", "Größe"}}}, "GET /v1/stock?sku=a%26sku%3Db&sku=Gr%C3%B6%C3%9Fe"},
    {"order",
     "list",
     {{"user", {"ann+shop@x.example"}}, {"cursor", {"1.2.3.4"}}},
     "GET /v1/orders?user=ann%2Bshop%40x.example&cursor=1.2.3.4"},
    {"order",
     "change",
     {{"order", {"o1"}}, {"lines", {"汉 \"x\"=2"}}},
     R"(PATCH /v1/orders/o1 {"lines":[{"sku":"汉 \"x\"","quantity":2}]})"},
    {"stock", "create", {{"sku", {"a\xff"}}}, "SKU: is not UTF-8"},
    {"order", "list", {{"user", {"\xe4nn"}}}, "--user: is not UTF-8"},
    // What is wrong is named as it is typed.
    {"stock", "receive", {{"sku", {"tee"}}}, "QUANTITY: is missing"},
    {"stock", "receive", {{"sku", {""}}, {"quantity", {"5"}}}, "SKU: is empty"},
    {"stock", "receive", {{"sku", {"tee"}}, {"quantity", {"5.5"}}}, "QUANTITY: '5.5' is not an integer"},
    {"stock",
     "receive",
     {{"sku", {"tee"}}, {"quantity", {"99999999999999999999"}}},
     "QUANTITY: '99999999999999999999' is not an integer"},
    {"order",
     "refund",
     {{"order", {"o1"}}, {"restock", {"true"}}},
     "--restock: must be yes or no, but is 'true'"},
    {"order",
     "confirm",
     {{"order", {"o1"}}, {"lines", {"tee"}}},
     "--lines: 'tee' is not SKU=N, such as tee=2"},
    {"order", "confirm", {{"order", {"o1"}}, {"lines", {"=2"}}}, "--lines: '=2' is not SKU=N, such as tee=2"},
    {"activity",
     "create",
     {{"id", {"drop"}}, {"name", {"F"}}, {"lines", {"t=1"}}, {"limit_per_user", {"x"}}},
     "--limit-per-user: 'x' is not an integer"},
};

TEST(AdminCommands, BecomeRequests) {
  for (const Row& row : rows)
    EXPECT_EQ(said(request_of(command(row.group, row.word), row.values)), row.request);
}

http::Found route_of(const AdminCommand& command) {
  std::string path(command.target);
  if (const std::size_t at = path.find("{}"); at != std::string::npos) path.replace(at, 2, "x");
  const auto place = http::find_route(http::Audience::operators, command.method, *http::parse_target(path));
  const auto* found = std::get_if<http::Found>(&place);
  return found == nullptr ? http::Found{} : *found;
}

// A word that the server would not understand, or one that it misses, is found here and not by a user.
TEST(AdminCommands, FitTheRoutes) {
  for (const AdminCommand& command : admin_commands()) {
    const std::string name = std::string(command.group) + " " + std::string(command.word);
    const http::Found found = route_of(command);
    ASSERT_NE(found.route, nullptr) << name;
    EXPECT_EQ(found.route->pattern, command.target) << name;
    EXPECT_EQ(command.writes(), found.route->policy.key == http::Key::required) << name;
    http::Query query;
    for (const AdminArgument& argument : command.arguments) {
      if (argument.place == ArgumentPlace::in_path) {
        EXPECT_TRUE(command.target.contains("{}")) << name;
      } else if (!command.writes()) {
        query.emplace_back(argument.field, "x");
      } else {
        ASSERT_NE(found.route->policy.shape, nullptr) << name;
        const auto members = found.route->policy.shape->members;
        EXPECT_TRUE(std::ranges::any_of(members, [&](const auto& one) { return one.name == argument.field; }))
            << name << " " << argument.field;
      }
    }
    EXPECT_EQ(http::wrong_in_query(found.route->endpoint, query), std::nullopt) << name;
    if (found.route->policy.shape == nullptr) continue;
    for (const auto& member : found.route->policy.shape->members) {
      if (member.need != http::Need::required) continue;
      const bool is_there = std::ranges::any_of(command.arguments, [&](const AdminArgument& argument) {
        return argument.field == member.name && argument.need == ArgumentNeed::required;
      });
      EXPECT_TRUE(is_there) << name << " lacks " << member.name;
    }
  }
}

}  // namespace
}  // namespace gavel::app
