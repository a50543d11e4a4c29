// The contract holds: docs/openapi.json says what the code does and what the service answers, and a route, a
// field or an outcome that stands on one side only is found.
#include "http/openapi.h"

#include <functional>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "openapi_checks.h"
#include "world.h"

namespace gavel::http {
namespace {

using boost::json::value;
using Differences = std::vector<std::string>;

// What only a broken database would be answered with.
// … or a gate that somebody else writes to (gate_test.cc makes one).
const std::set<std::string> never_answered{"Finding.invariant", "Finding.what", "Problem.bucket",
                                           "Problem.at_gate"};

value document() {
  const std::string_view text = openapi_text();
  return boost::json::parse(boost::json::string_view(text.data(), text.size()));
}

std::string key7(int n) { return "01a228e4-9a00-7000-8000-00000000000" + std::to_string(n); }

std::string order_body(const std::string& user, int quantity, const std::string& more = "") {
  return R"({"user":")" + user + R"(","lines":[{"sku":"tee","quantity":)" + std::to_string(quantity) + "}]" +
         more + "}";
}

// A life of everything, so that each member of each answer is there at least once.
// table: what is asked, in order.
std::vector<Asked> life() {
  const std::string sale =
      R"({"id":"sale","name":"S","lines":[{"sku":"tee","allotment":5,"buckets":1}],"limit_per_user":2,)"
      R"("opens_at":"2026-11-29T19:00:00Z","closes_at":"2026-11-30T20:00:00Z","hold_seconds":60})";
  const std::string later =
      R"({"id":"later","name":"L","lines":[{"sku":"tee","allotment":1}],"opens_at":"2026-11-29T21:00:00Z"})";
  const auto post = [](const std::string& path, const std::string& key, const std::string& body) {
    return Asked{shop, "POST", path, key, body, ""};
  };
  const auto operate = [](const std::string& method, const std::string& path, const std::string& key,
                          const std::string& body) { return Asked{operators, method, path, key, body, ""}; };
  const auto get = [](Audience audience, const std::string& path) {
    return Asked{audience, "GET", path, "", "", ""};
  };
  const std::string first = "/v1/orders/" + key7(1);
  return {
      operate("PUT", "/v1/skus/tee", "s1", R"({"buckets":2})"),
      operate("PUT", "/v1/skus/tee", "s2", R"({"buckets":2})"),
      operate("POST", "/v1/stock/tee/receive", "s3", R"({"quantity":10})"),
      operate("POST", "/v1/activities", "a1", sale),
      operate("POST", "/v1/activities/sale/open", "a2", ""),
      operate("POST", "/v1/activities", "a3", later),
      operate("POST", "/v1/activities/later/open", "a4", ""),
      operate("PUT", "/v1/skus/tee", "g1", R"({"mode":"direct"})"),
      operate("PUT", "/v1/activities/later", "g2", R"({"mode":"gated","buckets":2})"),
      operate("POST", "/v1/activities", "g3",
              R"({"id":"rush","name":"R","lines":[{"sku":"tee","allotment":1}],"mode":"gated"})"),
      operate("POST", "/v1/activities/rush/open", "g4", ""),
      operate("POST", "/v1/activities/rush/warm", "g5", ""),
      operate("POST", "/v1/activities/rush/check", "g6", ""),
      operate("GET", "/v1/admin/gate?sku=tee", "", ""),
      operate("GET", "/v1/admin/clock", "", ""),
      operate("GET", "/v1/activities/rush", "", ""),
      operate("GET", "/v1/activities/sale", "", ""),
      post("/v1/orders", key7(1), order_body("u1", 2, R"(,"activity":"sale")")),
      post("/v1/orders", key7(1), order_body("u1", 2, R"(,"activity":"sale")")),
      post("/v1/orders", key7(1), order_body("u2", 2)),
      post("/v1/orders", "k2", order_body("u1", 1, R"(,"activity":"sale")")),
      post("/v1/orders", "k3", order_body("u1", 1, R"(,"activity":"later")")),
      post("/v1/orders", "k4", order_body("u1", 100)),
      post("/v1/orders", "k5", order_body("u3", 1, R"(,"payment":"none")")),
      post(first + "/confirm", "c1", ""),
      post(first + "/cancel", "c2", ""),
      post("/v1/orders", key7(2), order_body("u2", 1)),
      post("/v1/orders/" + key7(2) + "/cancel", "c3", "{}"),
      post("/v1/orders", key7(3), order_body("u2", 50)),
      post("/v1/orders/" + key7(3) + "/confirm", "c4", ""),
      post("/v1/batch", "", R"([{"act":"cancel","request_id":"c3","order":")" + key7(2) + R"("},7])"),
      post("/v1/orders", key7(4), order_body("u4", 2)),
      post("/v1/orders", key7(5), order_body("u1", 1)),
      post("/v1/orders/" + key7(4) + "/confirm", "c5", R"({"lines":[{"sku":"tee","quantity":1}]})"),
      post("/v1/orders/" + key7(4) + "/refund", "r1",
           R"({"lines":[{"sku":"tee","quantity":1}],"restock":true})"),
      post("/v1/orders/" + key7(3) + "/ship", "h0", ""),
      post("/v1/orders", key7(8), order_body("u6", 2, R"(,"payment":"none")")),
      post("/v1/orders/" + key7(8) + "/ship", "h1", R"({"lines":[{"sku":"tee","quantity":1}]})"),
      post("/v1/orders/" + key7(8) + "/ship", "h2", ""),
      post("/v1/orders/" + key7(8) + "/ship", "h3", ""),
      post("/v1/orders/" + key7(8) + "/refund", "h4",
           R"({"restock":true,"from":"buyer","lines":[{"sku":"tee","quantity":1}]})"),
      get(shop, "/v1/orders/" + key7(8)),
      operate("GET", "/v1/trace?order=" + key7(8), "", ""),
      post("/v1/orders", key7(5), order_body("u5", 1, R"(,"hold_seconds":60)")),
      post("/v1/orders/" + key7(5) + "/extend", "x1", R"({"seconds":90})"),
      post("/v1/orders/" + key7(5) + "/extend", "x2", R"({"seconds":86400})"),
      post("/v1/orders/" + key7(5) + "/extend", "x3", R"({"seconds":86400})"),
      Asked{shop, "PATCH", "/v1/orders/" + key7(5), "p1", R"({"lines":[{"sku":"tee","quantity":2}]})", ""},
      get(shop, "/v1/requests/x3"),
      get(shop, "/v1/orders/" + key7(4)),
      get(shop, first),
      get(shop, "/v1/orders/" + key7(3)),
      get(shop, "/v1/orders/nosuch"),
      get(shop, "/v1/requests/" + key7(1)),
      get(shop, "/v1/requests/k2"),
      get(shop, "/v1/requests/k4"),
      get(shop, "/v1/requests/c4"),
      operate("POST", "/v1/stock/tee/adjust", "d1", R"({"difference":1,"reason":"found"})"),
      operate("POST", "/v1/stock/tee/count", "d2", R"({"counted":1,"version":1})"),
      operate("PUT", "/v1/skus/cap", "d3", ""),
      operate("POST", "/v1/stock/cap/count", "d4", R"({"counted":1,"version":0})"),
      operate("GET", "/v1/requests/d1", "", ""),
      operate("GET", "/v1/activities?limit=1", "", ""),
      operate("GET", "/v1/trace?order=" + key7(1), "", ""),
      operate("GET", "/v1/trace?user=u1&limit=1", "", ""),
      get(shop, "/v1/orders?user=u1&limit=1"),
      operate("GET", "/v1/trace?request=k2", "", ""),
      operate("GET", "/v1/trace?request=k4", "", ""),
      operate("GET", "/v1/trace?request=c4", "", ""),
      operate("GET", "/v1/trace?request=s3&caller=operator", "", ""),
      operate("GET", "/v1/stock?sku=tee", "", ""),
      operate("PUT", "/v1/skus/pin", "e1", ""),
      operate("POST", "/v1/stock/pin/receive", "e2", R"({"quantity":1})"),
      post("/v1/orders", key7(6),
           R"({"user":"u6","lines":[{"sku":"pin","quantity":1},{"sku":"cap","quantity":1}]})"),
      operate("POST", "/v1/stock/pin/adjust", "e3", R"({"difference":-1,"reason":"lost"})"),
      operate("POST", "/v1/stock/cap/count", "e4", R"({"counted":0,"version":2})"),
      operate("GET", "/v1/requests/e4", "", ""),
      operate("GET", "/v1/trace?request=e4&caller=operator", "", ""),
      operate("GET", "/v1/admin/shortages?limit=1", "", ""),
      operate("POST", "/v1/activities/sale/close", "a5", ""),
      operate("GET", "/v1/admin/verify", "", ""),
      get(shop, "/healthz"),
      get(shop, "/readyz"),
      get(operators, "/metrics"),
      get(shop, "/openapi.json"),
      get(operators, "/openapi.json"),
      get(shop, "/docs"),
      get(shop, "/docs/outcomes"),
      get(shop, "/docs/outcomes/sold_out"),
      get(shop, "/docs/outcomes/nosuch"),
  };
}

Differences differences_from_answers(const value& contract) {
  World world;
  AnswersHeld held(contract);
  for (const Asked& asked : life()) held.hold(asked, ask(world, asked));
  world.set_ready(false, "stopping");  // The one answer here that asks for another try later.
  const Asked readiness{shop, "GET", "/readyz", "", "", ""};
  held.hold(readiness, ask(world, readiness));
  return held.differences(never_answered);
}

TEST(Contract, IsWhatTheCodeSays) { EXPECT_EQ(differences_from_code(document()), Differences()); }

TEST(Contract, IsWhatTheServiceAnswers) { EXPECT_EQ(differences_from_answers(document()), Differences()); }

// What the contract does not allow is refused, and what it allows is not refused for its form (G011). Each
// row is asked alone.
TEST(Contract, SaysWhichBodiesAreMalformed_G011) {
  struct Row {
    std::string method, path, body;
    bool is_allowed;
  };
  const std::string long_text(200, 'x');
  const std::string order = "/v1/orders/" + key7(9);
  const std::vector<Row> rows{
      {"PUT", "/v1/activities/sale", "{}", false},
      {"PUT", "/v1/activities/sale", R"({"buckets":2})", true},
      {"PUT", "/v1/activities/sale", R"({"mode":"fast"})", false},
      {"PUT", "/v1/skus/tee", "{}", true},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":"found"})", true},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":0,"reason":"found"})", false},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":""})", false},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":"a\nb"})", false},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":"a\u007f"})", false},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":"a\u0085"})", false},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":"a\u2028"})", true},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":")" + long_text + "\"}", true},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":")" + long_text + "汉\"}", false},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1,"reason":")" + long_text.substr(1) + "汉\"}", true},
      {"POST", "/v1/stock/tee/adjust", R"({"difference":1000001,"reason":"x"})", false},
      {"POST", "/v1/stock/tee/count", R"({"counted":-1,"version":0})", false},
      {"POST", "/v1/activities", R"({"name":"a\u0000","lines":[{"sku":"tee","allotment":1}]})", false},
      {"POST", "/v1/activities", R"({"id":"a\u0000","name":"a","lines":[{"sku":"tee","allotment":1}]})",
       false},
      {"POST", "/v1/activities", R"({"id":"-","name":"a","lines":[{"sku":"tee","allotment":1}]})", false},
      {"POST", "/v1/activities", R"({"id":"..","name":"a","lines":[{"sku":"tee","allotment":1}]})", false},
      {"POST", "/v1/activities", R"({"id":"汉/ #","name":"a","lines":[{"sku":"tee","allotment":1}]})", true},
      {"POST", "/v1/activities", R"({"name":"a","lines":[]})", false},
      {"POST", "/v1/orders", R"({"user":"ann+1@x.example","lines":[{"sku":"tee","quantity":1}]})", true},
      {"POST", "/v1/orders", R"({"user":"","lines":[{"sku":"tee","quantity":1}]})", false},
      {"POST", "/v1/orders", R"({"user":"a\u001b","lines":[{"sku":"tee","quantity":1}]})", false},
      {"POST", "/v1/orders",
       R"({"user":")" + std::string(128, 'u') + R"(","lines":[{"sku":"tee","quantity":1}]})", true},
      {"POST", "/v1/orders",
       R"({"user":")" + std::string(129, 'u') + R"(","lines":[{"sku":"tee","quantity":1}]})", false},
      {"POST", "/v1/orders", R"({"user":"u","lines":[{"sku":"tee","quantity":0}]})", false},
      {"PATCH", order, "{}", false},
      {"POST", order + "/confirm", R"({"lines":[]})", false},
      {"POST", order + "/refund", "{}", false},
      {"POST", order + "/refund", R"({"restock":true,"from":"home"})", false},
      {"POST", order + "/extend", R"({"seconds":86401})", false},
  };
  const value contract = document();
  for (const Row& row : rows) {
    World world;
    ask(world, Asked{operators, "PUT", "/v1/skus/tee", "s", "", ""});
    const Asked asked{operators, row.method, row.path, "k", row.body, ""};
    EXPECT_EQ(allows_body(contract, asked), row.is_allowed) << row.method << row.path << row.body;
    const Reply reply = ask(world, asked);
    EXPECT_EQ(reply.status != 400, row.is_allowed) << row.method << row.path << row.body << reply.body;
  }
}

// An element of a batch is refused where the contract does not allow it, and alone.
TEST(Contract, SaysWhichElementsOfABatchAreRefused_G011) {
  const std::pair<std::string, std::string> rows[] = {
      {R"({"request_id":"k/1?","act":"cancel","order":"x"})", "unknown_order"},
      {R"({"act":"cancel","order":"x"})", "key_missing"},
      {R"({"request_id":"a b","act":"cancel","order":"x"})", "malformed"},
      {R"({"request_id":"","act":"cancel","order":"x"})", "malformed"},
      {R"({"request_id":")" + std::string(255, 'k') + R"(","act":"cancel","order":"x"})", "unknown_order"},
      {R"({"request_id":")" + std::string(256, 'k') + R"(","act":"cancel","order":"x"})", "malformed"},
      {R"({"request_id":"k\"","act":"cancel","order":"x"})", "malformed"},
      {R"({"request_id":"k","act":"receive","order":"x"})", "malformed"},
  };
  const value contract = document();
  World world;
  for (const auto& [element, code] : rows) {
    const Asked asked{shop, "POST", "/v1/batch", "", "[" + element + "]", ""};
    EXPECT_EQ(allows_body(contract, asked), code == "unknown_order") << element;
    const value answers = boost::json::parse(ask(world, asked).body);
    EXPECT_EQ(answers.at(0).at("code"), value(boost::json::string_view(code.data(), code.size()))) << element;
  }
}

// A copy of the contract with one thing changed, and the words of the difference that tells of it.
struct Doctored {
  std::function<void(boost::json::object& paths, boost::json::object& schemas)> change;
  std::string difference;
};

std::string joined(const Differences& differences) {
  std::string all;
  for (const std::string& one : differences) all += one + "\n";
  return all;
}

value doctored(const Doctored& by) {
  value copy = document();
  by.change(copy.at("paths").as_object(), copy.at("components").at("schemas").as_object());
  return copy;
}

boost::json::object& properties(boost::json::object& schemas, const char* name) {
  return schemas.at(name).at("properties").as_object();
}

TEST(Contract, WithAnythingElseIsFoundOut) {
  const value text = boost::json::parse(R"({"type":"string"})");
  const std::vector<Doctored> copies{
      {[](auto& paths, auto&) { paths.erase("/v1/batch"); }, "POST /v1/batch is not documented"},
      {[](auto& paths, auto&) {
         const value orders = paths.at("/v1/orders");  // A copy: the insertion moves what is there.
         paths["/v1/gifts"] = orders;
       },
       "POST /v1/gifts is documented alone"},
      {[](auto& paths, auto&) { paths.at("/v1/orders").at("post").as_object().erase("parameters"); },
       "keyed"},
      {[](auto& paths, auto&) { paths.at("/v1/stock").at("get").at("tags") = boost::json::array({"shop"}); },
       "GET /v1/stock"},
      {[&](auto&, auto& schemas) { properties(schemas, "Reserve")["coupon"] = text; }, "coupon?: text(0..)"},
      {[](auto&, auto& schemas) { properties(schemas, "Reserve").erase("activity"); }, "POST /v1/orders"},
      {[](auto&, auto& schemas) { properties(schemas, "Receive").at("quantity").at("maximum") = 7; },
       "integer(1..7)"},
      {[](auto&, auto& schemas) { properties(schemas, "ConfirmItem").erase("order"); }, "POST /v1/batch"},
      {[](auto&, auto& schemas) {
         schemas.at("CancelItem").at("required") = boost::json::array({"act", "order"});
       },
       "POST /v1/batch"},
      {[](auto&, auto& schemas) { schemas.at("Refusal").at("enum").as_array().push_back("tired"); },
       "insufficient outcome_unknown tired"},
      {[](auto&, auto& schemas) { schemas.at("Done").at("enum").as_array().pop_back(); },
       "warmed verified \n"},
  };
  for (const Doctored& copy : copies) {
    const std::string differences = joined(differences_from_code(doctored(copy)));
    EXPECT_NE(differences.find(copy.difference), std::string::npos) << copy.difference << "\n" << differences;
  }
}

TEST(Contract, WithAnotherAnswerIsFoundOut) {
  const value text = boost::json::parse(R"({"type":"string"})");
  const std::vector<Doctored> copies{
      {[&](auto&, auto& schemas) { properties(schemas, "Order")["colour"] = text; },
       "Order.colour is in no answer"},
      {[](auto&, auto& schemas) { properties(schemas, "Order").erase("settled_at"); },
       "Order.settled_at is not documented"},
      {[&](auto&, auto& schemas) { properties(schemas, "Stock").at("age_ms") = text; },
       "Stock.age_ms: 0 is no string"},
      {[](auto&, auto& schemas) { properties(schemas, "Problem").erase("claimed"); },
       "Problem.claimed is not documented"},
      {[](auto&, auto& schemas) { schemas.at("Refusal").at("enum").as_array().clear(); },
       "is none of its words"},
      {[](auto& paths, auto&) { paths.at("/v1/orders").at("post").at("responses").as_object().erase("201"); },
       "201 is not documented"},
  };
  for (const Doctored& copy : copies) {
    const std::string differences = joined(differences_from_answers(doctored(copy)));
    EXPECT_NE(differences.find(copy.difference), std::string::npos) << copy.difference << "\n" << differences;
  }
}

TEST(Contract, IsServedToBothAsItIs) {
  World world;
  for (const Audience audience : {shop, operators}) {
    const Reply reply = ask(world, Asked{audience, "GET", "/openapi.json", "", "", ""});
    EXPECT_EQ(reply.headers.at("content-type"), "application/json");
    EXPECT_EQ(reply.body, openapi_text());
  }
}

// A page for people that loads nothing from anywhere, and names every route.
TEST(Docs, NameEveryRouteAndNoOutsideAddress) {
  World world;
  const Reply page = ask(world, Asked{shop, "GET", "/docs", "", "", ""});
  EXPECT_EQ(page.status, 200U);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.body.find("http:"), std::string::npos);
  EXPECT_EQ(page.body.find("https:"), std::string::npos);
  EXPECT_EQ(page.body.find("//"), std::string::npos);
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
  const value contract = document();
  for (const auto& [path, methods] : contract.at("paths").as_object()) {
    EXPECT_NE(page.body.find(std::string(path) + "</code>"), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace gavel::http
