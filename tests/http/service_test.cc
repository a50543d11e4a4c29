// What callers see of every outcome, through real sockets: status, the headers that mean something, the whole
// body.

#include <array>
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/uuid.h"
#include "rules/outcome.h"
#include "world.h"

namespace gavel::http {
namespace {

constexpr auto shop = Audience::shop;
constexpr auto operators = Audience::operators;

// UUIDv7 keys of the world's first moment; orders made under them have them for their id.
std::string key7(int n) {
  const std::string digits = std::to_string(n);
  return "01a228e4-9a00-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

std::string rendered(const Reply& reply) {
  std::string text = std::to_string(reply.status);
  for (const char* name : {"allow", "idempotency-replayed", "location", "www-authenticate"}) {
    const auto header = reply.headers.find(name);
    if (header != reply.headers.end()) text += std::string(" ") + name + ": " + header->second;
  }
  const bool is_problem = reply.headers.at("content-type") == "application/problem+json";
  EXPECT_EQ(is_problem, reply.status >= 400);
  EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
  const bool says_when = reply.status == 503 || reply.status == 429;
  EXPECT_EQ(reply.headers.contains("retry-after"), says_when);
  return text + " " + reply.body;
}

// A problem's body without what the table of outcomes says of it; problem_test.cc holds whole ones.
std::string problem_of(const std::string& code, unsigned status, const std::string& rest) {
  const rules::OutcomeTraits& traits = rules::traits(*rules::parse_outcome(code));
  std::string title = code;
  for (char& c : title) c = c == '_' ? ' ' : c;
  title[0] = static_cast<char>(std::toupper(title[0]));
  return R"({"type":"/docs/outcomes/)" + code + R"(","title":")" + title + R"(","status":)" +
         std::to_string(status) + R"(,"detail":")" + std::string(traits.meaning) + R"(","code":")" + code +
         "\"," + rest + "}";
}

std::string malformed_of(unsigned status, const std::string& detail) {
  return std::to_string(status) + R"( {"type":"/docs/outcomes/malformed","title":"Malformed","status":)" +
         std::to_string(status) + R"(,"detail":")" + detail +
         R"(","code":"malformed","final":true,"recorded":false,"retry":"new_key"})";
}

constexpr const char* at = R"("at":"2026-11-29T20:00:00.000Z")";
constexpr const char* final_never = R"("final":true,"recorded":false,"retry":"never")";
constexpr const char* recorded_never = R"("final":true,"recorded":true,"retry":"never")";
constexpr const char* open_new = R"("final":false,"recorded":false,"retry":"new_key")";

class ServiceTest : public testing::Test {
 protected:
  std::string said(const Asked& asked) { return rendered(ask(world, asked)); }
  std::string operate(const std::string& method, const std::string& path, const std::string& key,
                      const std::string& body) {
    return said(Asked{operators, method, path, key, body, ""});
  }
  std::string post(const std::string& path, const std::string& key, const std::string& body) {
    return said(Asked{shop, "POST", path, key, body, ""});
  }
  std::string get(const std::string& path) { return said(Asked{shop, "GET", path, "", "", ""}); }

  // 10 tees and 3 cups in free stock.
  void make_stock() {
    operate("PUT", "/v1/skus/tee", "s1", R"({"buckets":2})");
    operate("PUT", "/v1/skus/cup", "s2", "");
    operate("POST", "/v1/stock/tee/receive", "s3", R"({"quantity":10})");
    operate("POST", "/v1/stock/cup/receive", "s4", R"({"quantity":3})");
  }

  World world;
};

std::string order_of(const std::string& user, const std::string& sku, int quantity,
                     const std::string& more = "") {
  return R"({"user":")" + user + R"(","lines":[{"sku":")" + sku + R"(","quantity":)" +
         std::to_string(quantity) + "}]" + more + "}";
}

TEST_F(ServiceTest, OperatorsSetUpASale) {
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", "a1", R"({"buckets":2})"),
            R"(201 {"code":"created","sku":"tee","buckets":2,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", "a1", R"({"buckets":2})"),
            "201 idempotency-replayed: true "
            R"({"code":"created","sku":"tee","buckets":2,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", "a2", R"({"buckets":2})"),
            R"(200 {"code":"changed","sku":"tee","buckets":2,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("PUT", "/v1/skus/cup", "a3", ""),
            R"(201 {"code":"created","sku":"cup","buckets":1,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("POST", "/v1/stock/tee/receive", "a4", R"({"quantity":7})"),
            R"(200 {"code":"received","sku":"tee","quantity":7,"at":"2026-11-29T20:00:00.000Z"})");
  // Without an id of its own the activity is called by the request key, so that a retry comes to the same
  // one.
  EXPECT_EQ(
      operate("POST", "/v1/activities", "sale", R"({"name":"Flash","lines":[{"sku":"tee","allotment":5}]})"),
      "201 location: /v1/activities/sale "
      R"({"code":"created","activity":"sale","state":"draft","name":"Flash","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(
      operate("POST", "/v1/activities", "sale", R"({"lines":[{"allotment":5,"sku":"tee"}],"name":"Flash"})"),
      "201 idempotency-replayed: true location: /v1/activities/sale "
      R"({"code":"created","activity":"sale","state":"draft","name":"Flash","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/open", "a5", ""),
            R"(200 {"code":"opened","activity":"sale","state":"open","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(
      operate("GET", "/v1/activities/sale", "", ""),
      R"(200 {"id":"sale","name":"Flash","state":"open","lines":[{"sku":"tee","warehouse":"main","allotment":5}],)"
      R"("mode":"direct"})");
  EXPECT_EQ(
      operate("GET", "/v1/stock?sku=tee&sku=cup&sku=tee", "", ""),
      R"(200 {"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":2,"reserved":0,"sold":0,)"
      R"("version":4,"generation":2},{"sku":"tee","warehouse":"main","lot":"","pool":"sale","available":5,)"
      R"("reserved":0,"sold":0,"version":2,"generation":2},{"sku":"cup","warehouse":"main","lot":"","pool":"-",)"
      R"("available":0,"reserved":0,"sold":0,"version":0,"generation":1}],"source":"judge","age_ms":0})");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/close", "a6", "{}"),
            R"(200 {"code":"closed","activity":"sale","state":"closed","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(
      operate("GET", "/v1/admin/verify", "", ""),
      R"(200 {"clean":true,"items":3,"flows":10,"orders":0,"batches":7,"findings_total":0,"findings":[]})");
}

TEST_F(ServiceTest, AnOrderLivesAndDies) {
  make_stock();
  const std::string held = R"({"code":"reserved","order":")" + key7(1) +
                           R"(","state":"held","user":"u1","lines":[{"sku":"tee","quantity":2}],)" + at +
                           R"(,"expires_at":"2026-11-29T20:15:00.000Z"})";
  EXPECT_EQ(post("/v1/orders", key7(1), order_of("u1", "tee", 2)),
            "201 location: /v1/orders/" + key7(1) + " " + held);
  world.clock().advance(Duration(60'000));
  EXPECT_EQ(get("/v1/orders/" + key7(1)),
            R"(200 {"id":")" + key7(1) +
                R"(","state":"held","user":"u1","lines":[{"sku":"tee","quantity":2,"taken":)"
                R"([{"warehouse":"main","bucket":1,"quantity":2}]}],"created_at":"2026-11-29T20:00:00.000Z",)"
                R"("expires_at":"2026-11-29T20:15:00.000Z"})");
  const std::string paid =
      R"({"code":"confirmed","order":")" + key7(1) + R"(","state":"paid","at":"2026-11-29T20:01:00.000Z"})";
  EXPECT_EQ(post("/v1/orders/" + key7(1) + "/confirm", "c1", ""), "200 " + paid);
  world.clock().advance(Duration(60'000));
  // The first answers again, of their moments, though the order is paid (A9).
  EXPECT_EQ(post("/v1/orders", "\"" + key7(1) + "\"", order_of("u1", "tee", 2)),
            "201 idempotency-replayed: true location: /v1/orders/" + key7(1) + " " + held);
  EXPECT_EQ(post("/v1/orders/" + key7(1) + "/confirm", "\"c1\"", "{}"),
            "200 idempotency-replayed: true " + paid);
  EXPECT_EQ(get("/v1/requests/" + key7(1)),
            R"(200 {"key":")" + key7(1) + R"(","status":"done","code":"reserved","http_status":201,)" + at +
                R"(,"order":")" + key7(1) + R"(","expires_at":"2026-11-29T20:15:00.000Z"})");
  EXPECT_EQ(get("/v1/requests/c1"), R"(200 {"key":"c1","status":"done","code":"confirmed","http_status":200,)"
                                    R"("at":"2026-11-29T20:01:00.000Z","order":")" +
                                        key7(1) + "\"}");

  const std::string sold = post("/v1/orders", "pay-none", order_of("u2", "cup", 1, R"(,"payment":"none")"));
  EXPECT_TRUE(sold.starts_with("201 location: /v1/orders/01a228e6-")) << sold;
  EXPECT_NE(sold.find(R"("state":"paid","user":"u2","lines":[{"sku":"cup","quantity":1}])"),
            std::string::npos);

  post("/v1/orders", key7(2), order_of("u3", "cup", 1));
  EXPECT_EQ(post("/v1/orders/" + key7(2) + "/cancel", "c2", ""),
            R"(200 {"code":"cancelled","order":")" + key7(2) +
                R"(","state":"cancelled","at":"2026-11-29T20:02:00.000Z"})");
}

TEST_F(ServiceTest, APaymentOfSomeLinesAndRefundsUntilNothingIsLeft) {
  make_stock();
  const std::string path = "/v1/orders/" + key7(1);
  const std::string order = R"("order":")" + key7(1) + "\"";
  post("/v1/orders", key7(1),
       R"({"user":"u1","lines":[{"sku":"tee","quantity":4},{"sku":"cup","quantity":3}]})");
  EXPECT_EQ(post(path + "/confirm", "c1", R"({"lines":[{"sku":"hat","quantity":1}]})"),
            "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"hat")"));
  EXPECT_EQ(
      post(path + "/confirm", "c2", R"({"lines":[{"sku":"tee","quantity":5}]})"),
      "409 " +
          problem_of("insufficient", 409,
                     R"("final":true,"recorded":true,"retry":"new_key","sku":"tee","available":4,)" + order));
  EXPECT_EQ(post(path + "/confirm", "c3", R"({"lines":[{"sku":"tee","quantity":3}]})"),
            R"(200 {"code":"confirmed",)" + order +
                R"(,"state":"paid","lines":[{"sku":"tee","quantity":3}],)" + at + "}");
  const std::string refunded = R"({"code":"refunded",)" + order +
                               R"(,"state":"partly_refunded","lines":[{"sku":"tee","quantity":1}],)" +
                               R"("restock":false,)" + at + "}";
  const std::string one = R"({"lines":[{"sku":"tee","quantity":1}],"restock":false})";
  EXPECT_EQ(post(path + "/refund", "r1", one), "200 " + refunded);
  EXPECT_EQ(get(path),
            R"(200 {"id":")" + key7(1) +
                R"(","state":"partly_refunded","user":"u1","lines":[{"sku":"cup","quantity":3,"returned":3,)"
                R"("taken":[{"warehouse":"main","bucket":0,"quantity":3}]},{"sku":"tee","quantity":4,)"
                R"("returned":2,"taken":[{"warehouse":"main","bucket":1,"quantity":4}]}],)"
                R"("created_at":"2026-11-29T20:00:00.000Z","expires_at":"2026-11-29T20:15:00.000Z",)"
                R"("settled_at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(post(path + "/refund", "r2", R"({"restock":true})"),
            R"(200 {"code":"refunded",)" + order + R"(,"state":"refunded","restock":true,)" + at + "}");
  // The first answer again, of its moment.
  world.clock().advance(Duration(60'000));
  EXPECT_EQ(post(path + "/refund", "r1", one), "200 idempotency-replayed: true " + refunded);
  EXPECT_EQ(get("/v1/requests/r1"),
            R"(200 {"key":"r1","status":"done","code":"refunded","http_status":200,)" + std::string(at) +
                "," + order + R"(,"state":"partly_refunded"})");
  EXPECT_EQ(post(path + "/refund", "r3", R"({"restock":true})"),
            "409 " + problem_of("illegal_transition", 409,
                                std::string(recorded_never) + "," + order + R"(,"state":"refunded")"));
  EXPECT_EQ(post(path + "/refund", "r4", "{}"), malformed_of(400, "restock: is missing"));
  EXPECT_EQ(operate("GET", "/v1/stock?sku=tee", "", ""),
            R"(200 {"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":9,"reserved":0,)"
            R"("sold":0,"version":7,"generation":2}],"source":"judge","age_ms":0})");
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, OperatorsCorrectStock_B095_B097) {
  make_stock();
  EXPECT_EQ(operate("POST", "/v1/stock/tee/adjust", "a1", R"({"difference":-3,"reason":"water"})"),
            R"(200 {"code":"adjusted","sku":"tee","difference":-3,"reason":"water","version":3,)" +
                std::string(at) + "}");
  post("/v1/orders", key7(1), order_of("u1", "tee", 2));
  EXPECT_EQ(
      operate("POST", "/v1/stock/tee/adjust", "a2", R"({"difference":-6,"reason":"water"})"),
      "409 " + problem_of("insufficient", 409,
                          R"("final":true,"recorded":true,"retry":"new_key","sku":"tee","available":5)"));
  const std::string stale =
      problem_of("version_conflict", 409, R"("final":true,"recorded":true,"retry":"new_key","version":4)");
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a3", R"({"counted":10,"version":3})"), "409 " + stale);
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a3", R"({"counted":10,"version":3})"),
            "409 idempotency-replayed: true " + stale);
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a4", R"({"counted":10,"version":4})"),
            R"(200 {"code":"counted","sku":"tee","counted":10,"version":6,)" + std::string(at) + "}");
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a5", R"({"version":6})"),
            malformed_of(400, "counted: is missing"));
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a6", R"({"counted":null,"version":6})"),
            malformed_of(400, "counted: must be an integer, not null"));
  EXPECT_EQ(operate("GET", "/v1/stock?sku=tee", "", ""),
            R"(200 {"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":8,"reserved":2,)"
            R"("sold":0,"version":6,"generation":2}],"source":"judge","age_ms":0})");
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, ActivitiesAreListedInPages) {
  make_stock();
  for (const char* id : {"b", "a", "c"}) {
    operate("POST", "/v1/activities", id, R"({"name":"N","lines":[{"sku":"tee","allotment":1}]})");
  }
  const auto sale = [](const std::string& id) {
    return R"({"id":")" + id +
           R"(","name":"N","state":"draft","lines":[{"sku":"tee","warehouse":"main","allotment":1}],)"
           R"("mode":"direct"})";
  };
  const auto page = [&](const std::string& query) {
    return operate("GET", "/v1/activities" + query, "", "");
  };
  const std::string all = sale("a") + "," + sale("b") + "," + sale("c");
  EXPECT_EQ(page(""), R"(200 {"activities":[)" + all + "]}");
  EXPECT_EQ(page("?limit=3"), R"(200 {"activities":[)" + all + "]}");
  EXPECT_EQ(page("?limit=2"), R"(200 {"activities":[)" + sale("a") + "," + sale("b") + R"(],"next":"b"})");
  EXPECT_EQ(page("?limit=2&cursor=b"), R"(200 {"activities":[)" + sale("c") + "]}");
  EXPECT_EQ(page("?cursor=c"), R"(200 {"activities":[]})");
  for (const char* limit : {"0", "1001", "-1", "1e2", "01", "", "18446744073709551617"}) {
    EXPECT_EQ(page(std::string("?limit=") + limit), malformed_of(400, "limit: must be 1 to 1000"));
  }
  EXPECT_EQ(page("?cursor=a%20b"), malformed_of(400, "cursor: must be the next of an earlier page"));
  EXPECT_EQ(page("?limit=2&limit=2"), malformed_of(400, "limit: stands twice"));
  EXPECT_EQ(page("?page=2"), malformed_of(400, "query: this request takes no other than limit, cursor"));
}

TEST_F(ServiceTest, ATraceTellsTheWholeChain_B17) {
  make_stock();
  post("/v1/orders", key7(1), order_of("u1", "cup", 2));
  world.clock().advance(Duration(60'000));
  post("/v1/orders/" + key7(1) + "/confirm", "c1", "");
  post("/v1/orders/" + key7(1) + "/cancel", "c2", "");
  const auto trace = [&](const std::string& query) { return operate("GET", "/v1/trace" + query, "", ""); };
  const std::string made =
      R"({"key":")" + key7(1) + R"(","status":"done","code":"reserved","http_status":201,)" + at +
      R"(,"order":")" + key7(1) + R"(","expires_at":"2026-11-29T20:15:00.000Z","caller":"shop"})";
  const std::string paid =
      R"({"key":"c1","status":"done","code":"confirmed","http_status":200,"at":"2026-11-29T20:01:00.000Z",)"
      R"("order":")" +
      key7(1) + R"(","caller":"shop"})";
  const std::string refused = R"({"key":"c2","status":"done","code":"already_confirmed","http_status":409,)"
                              R"("at":"2026-11-29T20:01:00.000Z","order":")" +
                              key7(1) + R"(","caller":"shop"})";
  const std::string order = R"("order":)" + get("/v1/orders/" + key7(1)).substr(4);
  const std::string flows =
      R"("flows":[{)" + std::string(at) +
      R"(,"action":"reserve","sku":"cup","warehouse":"main","bucket":0,"quantity":2,"seq":2,"before":3,"after":1,)"
      R"("caller":"shop","key":")" +
      key7(1) +
      R"(","source":"order","lane":1,"batch":5},{"at":"2026-11-29T20:01:00.000Z","action":"confirm","sku":"cup",)"
      R"("warehouse":"main","bucket":0,"quantity":2,"seq":3,"before":1,"after":1,"caller":"shop","key":"c1",)"
      R"("source":"order","lane":1,"batch":6}])";
  const std::string whole = R"(200 {"requests":[)" + made + "," + paid + "]," + order + "," + flows + "}";
  EXPECT_EQ(trace("?order=" + key7(1)), whole);
  EXPECT_EQ(trace("?request=c1"), whole);
  EXPECT_EQ(trace("?request=c1&caller=shop"), whole);
  // A refusal moved nothing, so only who asks for it is told of it.
  EXPECT_EQ(trace("?request=c2"),
            R"(200 {"requests":[)" + made + "," + paid + "," + refused + "]," + order + "," + flows + "}");
  EXPECT_EQ(trace("?request=s3&caller=operator"),
            R"(200 {"requests":[{"key":"s3","status":"done","code":"received","http_status":200,)" +
                std::string(at) + R"(,"caller":"operator"}],"flows":[]})");

  EXPECT_EQ(trace("?order=" + key7(9)), "404 " + problem_of("unknown_order", 404, final_never));
  EXPECT_EQ(trace("?order=17"), "404 " + problem_of("unknown_order", 404, final_never));
  EXPECT_EQ(trace("?request=c9"), "404 " + problem_of("unknown_request", 404, final_never));
  EXPECT_EQ(trace("?request=s3"), "404 " + problem_of("unknown_request", 404, final_never));
  const std::string which = malformed_of(
      400, "query: order, or request with or without its caller, or user with or without limit and cursor");
  EXPECT_EQ(trace(""), which);
  EXPECT_EQ(trace("?order=" + key7(1) + "&request=c1"), which);
  EXPECT_EQ(trace("?order=" + key7(1) + "&caller=shop"), which);
  EXPECT_EQ(trace("?user=u1&caller=shop"), which);
  EXPECT_EQ(trace("?user=u1&request=c1"), which);
  EXPECT_EQ(trace("?order=" + key7(1) + "&limit=1"), which);
  EXPECT_EQ(get("/v1/trace?order=" + key7(1)), malformed_of(404, "there is no such path"));

  const std::string one = whole.substr(4);
  EXPECT_EQ(trace("?user=u1"), R"(200 {"traces":[)" + one + R"(],"lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(trace("?user=u2"), R"(200 {"traces":[],"lag_batches":0,"lag_ms":0})");
  post("/v1/orders", key7(2), order_of("u1", "cup", 1));
  EXPECT_EQ(trace("?user=u1&limit=1&cursor=" + key7(2)),
            R"(200 {"traces":[)" + one + R"(],"lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(trace("?user=u1&limit=101"), malformed_of(400, "limit: must be 1 to 100"));
}

TEST_F(ServiceTest, OrdersOfAUserAreListedInPages_B17) {
  make_stock();
  for (const int n : {1, 2, 3}) post("/v1/orders", key7(n), order_of("u1", "tee", 1));
  post("/v1/orders", key7(4), order_of("u2", "tee", 1));
  post("/v1/orders", key7(5), order_of("u1", "tee", 500));
  post("/v1/orders/" + key7(2) + "/confirm", "c1", "");
  const auto order = [&](int n) { return get("/v1/orders/" + key7(n)).substr(4); };
  const auto list = [&](const std::string& query) { return get("/v1/orders" + query); };
  const std::string end = R"(],"lag_batches":0,"lag_ms":0})";
  EXPECT_EQ(list("?user=u1"), R"(200 {"orders":[)" + order(3) + "," + order(2) + "," + order(1) + end);
  EXPECT_EQ(list("?user=u1&limit=2"), R"(200 {"orders":[)" + order(3) + "," + order(2) + R"(],"next":")" +
                                          key7(2) + R"(","lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(list("?user=u1&limit=2&cursor=" + key7(2)), R"(200 {"orders":[)" + order(1) + end);
  EXPECT_EQ(list("?user=u1&state=paid"), R"(200 {"orders":[)" + order(2) + end);
  EXPECT_EQ(operate("GET", "/v1/orders?user=u2", "", ""), R"(200 {"orders":[)" + order(4) + end);
  EXPECT_EQ(list("?user=u9"), R"(200 {"orders":[)" + end);
  EXPECT_EQ(list(""), malformed_of(400, "user: is missing"));
  EXPECT_EQ(list("?user=a%20b"), malformed_of(400, "user: must be 1 to 64 of letters, digits and _ . : -"));
  EXPECT_EQ(list("?user=u1&state=lost"),
            malformed_of(400, "state: must be a state of an order, such as held or paid"));
  EXPECT_EQ(list("?user=u1&state=refused"),
            malformed_of(400, "state: a refused order took nothing and is not listed; ask for its request"));
  EXPECT_EQ(list("?user=u1&limit=1001"), malformed_of(400, "limit: must be 1 to 1000"));
  EXPECT_EQ(list("?user=u1&cursor=17"), malformed_of(400, "cursor: must be the next of an earlier page"));
  EXPECT_EQ(list("?user=u1&user=u2"), malformed_of(400, "user: stands twice"));
  EXPECT_EQ(list("?user=u1&page=2"),
            malformed_of(400, "query: this request takes no other than user, state, limit, cursor"));
}

struct Row {
  Asked asked;
  std::string answer;
};

// One row per outcome that a request can meet, in order of precedence.
// table: what is never recorded and changes nothing, then what is recorded.
TEST_F(ServiceTest, EveryRefusalInOrderOfPrecedence) {
  make_stock();
  const std::string order = order_of("u1", "tee", 1);
  post("/v1/orders", "kept", order_of("u9", "cup", 1));
  operate("POST", "/v1/activities", "draft", R"({"name":"D","lines":[{"sku":"cup","allotment":1}]})");
  operate("POST", "/v1/activities", "later",
          R"({"name":"L","lines":[{"sku":"tee","allotment":1}],"opens_at":"2026-11-29T21:00:00Z"})");
  operate("POST", "/v1/activities/later/open", "o1", "");
  operate("POST", "/v1/activities", "done", R"({"name":"C","lines":[{"sku":"tee","allotment":1}]})");
  operate("POST", "/v1/activities/done/close", "o2", "");
  operate("POST", "/v1/activities", "few",
          R"({"name":"F","lines":[{"sku":"tee","allotment":4}],"limit_per_user":2})");
  operate("POST", "/v1/activities/few/open", "o3", "");
  post("/v1/orders", key7(1), order_of("u1", "tee", 2, R"(,"activity":"few")"));
  post("/v1/orders", key7(2), order_of("u2", "cup", 1));
  post("/v1/orders/" + key7(2) + "/confirm", "o4", "");
  post("/v1/orders", key7(3), order_of("u3", "tee", 1));
  post("/v1/orders/" + key7(3) + "/cancel", "o5", "");
  post("/v1/orders", key7(4), order_of("u3", "tee", 1, R"(,"hold_seconds":1)"));
  world.clock().advance(Duration(2'000));
  post("/v1/orders/" + key7(4) + "/confirm", "o6", "");
  post("/v1/orders", key7(5), order_of("u5", "cup", 100));

  const std::array rows{
      Row{{shop, "POST", "/v1/orders", "", R"({"user":"u1"})", ""}, malformed_of(400, "lines: is missing")},
      Row{{shop, "POST", "/v1/orders", "", order, ""},
          "400 " + problem_of("key_missing", 400, R"("final":true,"recorded":false,"retry":"new_key")")},
      Row{{operators, "GET", "/v1/stock?sku=tee", "", "", "Authorization: Bearer wrong\r\n"},
          "401 www-authenticate: Bearer realm=\"gavel\" " + problem_of("unauthenticated", 401, final_never)},
      Row{{operators, "POST", "/v1/orders", key7(1), order, ""},
          "422 " + problem_of("key_in_use", 422, R"("final":true,"recorded":false,"retry":"new_key")")},
      Row{{shop, "POST", "/v1/orders", "kept", order, ""},
          "422 " +
              problem_of("key_reused", 422,
                         R"("final":true,"recorded":false,"retry":"new_key","fields":["user","lines"])")},
      Row{{shop, "POST", "/v1/orders", "01a2144b-2a00-7000-8000-000000000001", order, ""},
          "422 " + problem_of("key_too_old", 422, R"("final":true,"recorded":false,"retry":"new_key")")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "tee", 1, R"(,"activity":"nosuch")"), ""},
          "404 " + problem_of("unknown_activity", 404, final_never)},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "hat", 1), ""},
          "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"hat")")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "cup", 1, R"(,"activity":"few")"), ""},
          "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"cup")")},
      Row{{shop, "POST", "/v1/orders/" + key7(99) + "/confirm", "r1", "", ""},
          "404 " + problem_of("unknown_order", 404, final_never)},
      Row{{shop, "POST", "/v1/orders/17/cancel", "r1", "", ""},
          "404 " + problem_of("unknown_order", 404, final_never)},
      Row{{shop, "GET", "/v1/requests/never", "", "", ""},
          "404 " + problem_of("unknown_request", 404, final_never)},
      // The caller's own keys alone: this one is the shop's.
      Row{{operators, "GET", "/v1/requests/kept", "", "", ""},
          "404 " + problem_of("unknown_request", 404, final_never)},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "cup", 1, R"(,"activity":"draft")"), ""},
          "409 " + problem_of("not_open", 409, open_new)},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "tee", 1, R"(,"activity":"later")"), ""},
          "409 " + problem_of("not_open", 409,
                              std::string(open_new) + R"(,"opens_at":"2026-11-29T21:00:00.000Z")")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "tee", 1, R"(,"activity":"done")"), ""},
          "409 " + problem_of("over", 409, open_new)},
  };
  const std::string before = world.dump();
  for (const Row& row : rows) EXPECT_EQ(said(row.asked), row.answer);
  EXPECT_EQ(world.dump(), before);

  // These are recorded; beside the record of themselves they change nothing, and a retry gets them again.
  const std::string stock = operate("GET", "/v1/stock?sku=tee&sku=cup", "", "");
  const std::string acted_upon = R"(,"order":")";
  const std::array recorded{
      Row{{shop, "POST", "/v1/orders/" + key7(2) + "/cancel", "t1", "", ""},
          problem_of("already_confirmed", 409, recorded_never + acted_upon + key7(2) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(3) + "/confirm", "t2", "", ""},
          problem_of("already_cancelled", 409, recorded_never + acted_upon + key7(3) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(4) + "/confirm", "t3", "", ""},
          problem_of("hold_expired", 409, recorded_never + acted_upon + key7(4) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(5) + "/confirm", "t4", "", ""},
          problem_of("illegal_transition", 409,
                     recorded_never + acted_upon + key7(5) + R"(","state":"refused")")},
      Row{{operators, "PUT", "/v1/skus/tee", "t5", R"({"buckets":4})", ""},
          problem_of("illegal_transition", 409, std::string(recorded_never) + R"(,"state":"buckets=2")")},
      Row{{shop, "POST", "/v1/orders", "t6", order_of("u1", "tee", 1, R"(,"activity":"few")"), ""},
          problem_of("limit_reached", 409,
                     std::string(recorded_never) + R"(,"sku":"tee","allowed":2,"claimed":2,"order":")" +
                         key7(1) + "\"")},
      Row{{shop, "POST", "/v1/orders", "t7", order_of("u1", "cup", 2), ""},
          problem_of("insufficient", 409,
                     R"("final":true,"recorded":true,"retry":"new_key","sku":"cup","available":1)")},
  };
  for (const Row& row : recorded) {
    EXPECT_EQ(said(row.asked), "409 " + row.answer);
    EXPECT_EQ(said(row.asked), "409 idempotency-replayed: true " + row.answer);
  }
  EXPECT_EQ(operate("GET", "/v1/stock?sku=tee&sku=cup", "", ""), stock);
  post("/v1/orders", "last", order_of("u6", "cup", 1));
  EXPECT_EQ(
      post("/v1/orders", "t8", order_of("u1", "cup", 1)),
      "409 " + problem_of("sold_out", 409, R"("final":true,"recorded":true,"retry":"new_key","sku":"cup")"));
  EXPECT_EQ(
      get("/v1/requests/t8"),
      R"(200 {"key":"t8","status":"done","code":"sold_out","http_status":409,"at":"2026-11-29T20:00:02.000Z",)"
      R"("sku":"cup"})");
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, WhatIsInProcessOrUnknown) {
  make_stock();
  world.hold_lane();
  auto first =
      std::async(std::launch::async, [&] { return post("/v1/orders", "f1", order_of("u1", "tee", 1)); });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  EXPECT_EQ(
      post("/v1/orders", "f1", order_of("u1", "tee", 1)),
      "409 " + problem_of("key_in_flight", 409, R"("final":false,"recorded":false,"retry":"same_key")"));
  EXPECT_EQ(get("/v1/requests/f1"), R"(200 {"key":"f1","status":"processing"})");
  world.clock().advance(Duration(4'000));
  world.look_for_overdue();
  EXPECT_EQ(get("/v1/requests/f1"), R"(200 {"key":"f1","status":"processing"})");
  world.let_lane_go();
  EXPECT_TRUE(first.get().starts_with("201 "));

  world.hold_lane();
  auto slow =
      std::async(std::launch::async, [&] { return post("/v1/orders", "f2", order_of("u1", "tee", 1)); });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  world.clock().advance(Duration(10'000));
  world.look_for_overdue();
  EXPECT_EQ(slow.get(), "504 " + problem_of("outcome_unknown", 504,
                                            R"("final":false,"recorded":false,"retry":"same_key")"));
  EXPECT_EQ(get("/v1/requests/f2"), R"(200 {"key":"f2","status":"processing"})");
  world.let_lane_go();
  // The judge met it too late, so it was certainly not done, and its key is free.
  EXPECT_TRUE(comes_true([&] { return get("/v1/requests/f2").starts_with("404 "); }));
}

TEST(ServiceUnderLoad, RefusesWhatIsTooMuch) {
  WorldLimits limits;
  limits.in_flight_max = 1;
  World world(limits);
  world.hold_lane();
  const Asked first{operators, "PUT", "/v1/skus/tee", "p1", "", ""};
  auto waiting = std::async(std::launch::async, [&] { return ask(world, first); });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  const Asked second{operators, "PUT", "/v1/skus/cup", "p2", "", ""};
  EXPECT_EQ(rendered(ask(world, second)),
            "503 " + problem_of("overloaded", 503, R"("final":false,"recorded":false,"retry":"same_key")"));
  world.let_lane_go();
  EXPECT_EQ(waiting.get().status, 201U);
  EXPECT_EQ(ask(world, second).status, 201U);
}

TEST_F(ServiceTest, TellsWhetherItIsReady) {
  EXPECT_EQ(get("/healthz"), R"(200 {"status":"alive"})");
  EXPECT_EQ(get("/readyz"), R"(200 {"status":"ready"})");
  world.set_ready(false, "the database is being opened");
  EXPECT_EQ(get("/healthz"), R"(200 {"status":"alive"})");
  EXPECT_EQ(get("/readyz"),
            R"(503 {"type":"/docs/outcomes/not_ready","title":"Not ready","status":503,)"
            R"("detail":"the database is being opened","code":"not_ready","final":false,"recorded":false,)"
            R"("retry":"same_key"})");
}

// Machines that watch need no key; for anything else a stranger is told the same, whether it exists or not.
TEST(OperatorsListener, AsksForItsKeyFirst) {
  World world;
  const std::string refusal =
      "401 www-authenticate: Bearer realm=\"gavel\" " + problem_of("unauthenticated", 401, final_never);
  for (const std::string path :
       {"/v1/stock?sku=tee", "/v1/orders/17", "/docs/outcomes", "/nosuch", "/v1/%zz", "/"}) {
    for (const std::string header : {"", "Authorization: Bearer\r\n", "Authorization: Bearer wrong\r\n",
                                     "Authorization: Basic czNjcmV0\r\n",
                                     "Authorization: Bearer s3cret\r\nAuthorization: Bearer s3cret\r\n"}) {
      Client client(world.port(operators));
      client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n");
      const auto reply = client.read();
      ASSERT_TRUE(reply);
      EXPECT_EQ(rendered(*reply), refusal) << path << header;
    }
  }
  for (const std::string path : {"/healthz", "/readyz"}) {
    Client client(world.port(operators));
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read()->status, 200U);
  }
}

}  // namespace
}  // namespace gavel::http
