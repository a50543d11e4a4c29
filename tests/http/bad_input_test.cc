// Every bad input is answered by a refusal that names what is wrong; none has an effect, and none is a fault
// of ours.

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "world.h"

namespace gavel::http {
namespace {

struct Row {
  Asked asked;
  unsigned status;
  std::string detail;  // Stands within the body.
};

Asked order(const std::string& body) { return Asked{shop, "POST", "/v1/orders", "k1", body, ""}; }

Asked order_of_quantity(const std::string& quantity) {
  return order(R"({"user":"u1","lines":[{"sku":"tee","quantity":)" + quantity + "}]}");
}

class BadInput : public testing::Test {
 protected:
  BadInput() {
    ask(world, Asked{operators, "PUT", "/v1/skus/tee", "s1", "", ""});
    ask(world, Asked{operators, "POST", "/v1/stock/tee/receive", "s2", R"({"quantity":1000000})", ""});
  }

  void expect_all_refused(const std::vector<Row>& rows) {
    const std::string before = world.dump();
    for (const Row& row : rows) {
      const Reply reply = ask(world, row.asked);
      EXPECT_EQ(reply.status, row.status) << row.asked.body << reply.body;
      EXPECT_EQ(reply.headers.at("content-type"), "application/problem+json");
      EXPECT_NE(reply.body.find(row.detail), std::string::npos) << row.detail << "\n" << reply.body;
    }
    EXPECT_EQ(world.dump(), before);
  }

  World world;
};

TEST_F(BadInput, Quantities) {
  const std::string bounds = R"("detail":"lines[0].quantity: must be 1 to 1000000")";
  const std::string integer = R"("detail":"lines[0].quantity: must be an integer)";
  std::vector<Row> rows;
  for (const std::string text :
       {"0", "-1", "-0", "1000001", "2147483648", "4294967297", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616"}) {
    rows.push_back(Row{order_of_quantity(text), 400, bounds});
  }
  for (const std::string& text :
       std::vector<std::string>{"1.5", "1.0", "1e3", "1E0", "1e400", "\"1\"", "null", "true", "[1]", "{}"}) {
    rows.push_back(Row{order_of_quantity(text), 400, integer});
  }
  for (const std::string text : {"0", "1e3", "-5", "1000001", "\"7\""}) {
    rows.push_back(Row{{operators, "POST", "/v1/stock/tee/receive", "k1", R"({"quantity":)" + text + "}", ""},
                       400,
                       R"("detail":"quantity: must be )"});
  }
  expect_all_refused(rows);
}

// B015, B017: one SKU on several lines counts as one line, in bounds and in what is taken.
TEST_F(BadInput, OneSkuTwiceIsOneLine) {
  const auto twice = [](const std::string& a, const std::string& b) {
    return order(R"({"user":"u1","lines":[{"sku":"tee","quantity":)" + a + R"(},{"sku":"tee","quantity":)" +
                 b + "}]}");
  };
  expect_all_refused(
      {Row{twice("999999", "2"), 400, "the lines of one SKU must be at most 1000000 together"}});
  const Reply reply = ask(world, twice("600000", "400000"));
  EXPECT_EQ(reply.status, 201U);
  EXPECT_NE(reply.body.find(R"("lines":[{"sku":"tee","quantity":1000000}])"), std::string::npos)
      << reply.body;
  Asked second = twice("1", "1");
  second.key = "k2";
  EXPECT_NE(ask(world, second).body.find(R"("code":"sold_out")"), std::string::npos);
}

TEST_F(BadInput, Bodies) {
  const std::string line = R"("lines":[{"sku":"tee","quantity":1}])";
  const std::string user = R"("user":"u1")";
  expect_all_refused({
      Row{order(""), 400, "body: is empty"},
      Row{order("   "), 400, "body: is empty"},
      Row{order("{" + user + "," + line + "," + user + "}"), 400, "user: is given twice"},
      Row{order("{" + user + R"(,"lines":[{"sku":"tee","quantity":1,"quantity":1}]})"), 400,
          "lines[0].quantity: is given twice"},
      Row{order("{" + user + "," + line + R"(,"coupon":"x"})"), 400,
          "coupon: is not a field of this request"},
      Row{order("{" + user + R"(,"lines":[{"sku":"tee","quantity":1,"price":1}]})"), 400,
          "lines[0].price: is not a field of this request"},
      Row{order("{\"user\":\"\xFF\"," + line + "}"), 400, "user: not JSON in UTF-8"},
      Row{order("{\"user\":\"\xED\xA0\x80\"," + line + "}"), 400, "user: not JSON in UTF-8"},
      Row{order(R"({"user":"\ud800",)" + line + "}"), 400, "user: "},
      Row{order(R"({"user":"u\u0001",)" + line + "}"), 400, "user: must not contain control characters"},
      Row{order(R"({"user":"u\u0000",)" + line + "}"), 400, "user: must not contain control characters"},
      Row{order(R"({"user":"u\u009f",)" + line + "}"), 400, "user: must not contain control characters"},
      Row{order("{\"user\":\"" + std::string(129, 'u') + "\"," + line + "}"), 400,
          "user: must have 1 to 128 bytes"},
      Row{order("{\"user\":\"\xC0\xAF\"," + line + "}"), 400, "user: not JSON in UTF-8"},
      Row{order("\xEF\xBB\xBF{" + user + "," + line + "}"), 400, "byte order mark"},
      Row{order("{" + user + "," + line + "}{}"), 400, "unexpected content after the document"},
      Row{order("[{" + user + "," + line + "}]"), 400, "body: must be an object"},
      Row{order(std::string(60'000, '[')), 400, "body: must be an object"},
      Row{order("{" + user + R"(,"lines":)" + std::string(60'000, '[') + "}"), 400,
          "lines[0]: must be an object"},
      Row{order("{" + user + R"(,"lines":[{"sku":"tee","quantity":1,"warehouse":"north"}]})"), 400,
          R"(lines[0].warehouse: must be \"main\" or left out)"},
      Row{order("{" + user + R"(,"lines":[]})"), 400, "lines: must not be empty"},
      Row{order("{" + user + "," + line + R"(,"hold_seconds":86401})"), 400,
          "hold_seconds: must be 1 to 86400"},
      Row{{operators, "POST", "/v1/activities", "k1",
           R"({"name":"a","lines":[{"sku":"tee","allotment":1}],"opens_at":"2026-11-29T20:00:00Z",)"
           R"("closes_at":"2026-11-29T20:00:00Z"})",
           ""},
          400,
          "closes_at: must be later than opens_at"},
      Row{{operators, "POST", "/v1/activities", "k1",
           R"({"name":"a","lines":[{"sku":"tee","allotment":1},{"sku":"tee","allotment":1}]})", ""},
          400,
          "lines: SKU tee is given twice"},
      Row{order(R"({"user":"u1","lines":[{"sku":")" + std::string(70'000, 'x') + R"(","quantity":1}]})"), 413,
          "body: at most 65536 bytes"},
  });
}

TEST_F(BadInput, HeadersAndPaths) {
  const std::string body = R"({"user":"u1","lines":[{"sku":"tee","quantity":1}]})";
  const auto with = [&](const std::string& key, const std::string& more) {
    return Asked{shop, "POST", "/v1/orders", key, body, more};
  };
  expect_all_refused({
      Row{with("", ""), 400, R"("code":"key_missing")"},
      Row{with("a b", ""), 400, "Idempotency-Key: must be"},
      Row{with(std::string(256, 'k'), ""), 400, "Idempotency-Key: must be"},
      Row{with("k\xC3\xA9y", ""), 400, "Idempotency-Key: must be"},
      Row{with("a\\b", ""), 400, "Idempotency-Key: must be"},
      Row{with("\"unfinished", ""), 400, "Idempotency-Key: must be"},
      Row{with("k1", "Idempotency-Key: k1\r\n"), 400, "Idempotency-Key: must be sent once"},
      Row{with("k1", "Gavel-Attempt: 0\r\n"), 400, "Gavel-Attempt: must be"},
      Row{with("k1", "Gavel-Attempt: first\r\n"), 400, "Gavel-Attempt: must be"},
      Row{with("k1", "Content-Type: text/plain\r\n"), 415, "Content-Type: must be application/json"},
      Row{with("k1", "Content-Type: application/json; charset=utf-16\r\n"), 415,
          "must be application/json, in UTF-8"},
      Row{with("k1", "Content-Type: application/jsonp\r\n"), 415, "must be application/json, in UTF-8"},
      Row{{shop, "POST", "/v1/orders?dry=1", "k1", body, ""}, 400, "query: "},
      Row{{shop, "GET", "/v1/orders/17", "", "{}", ""}, 400, "body: this request must not have one"},
      Row{{shop, "GET", "/nosuch", "", "", ""}, 404, "there is no such path"},
      Row{{shop, "PUT", "/v1/skus/tee", "k1", "", ""}, 404, "there is no such path"},
      Row{{shop, "GET", "/docs/outcomes/nosuch", "", "", ""}, 404, "there is no such outcome"},
      Row{{shop, "DELETE", "/v1/orders/17", "k1", "", ""}, 405, "GET, HEAD"},
      Row{{shop, "GET", "/v1/%zz", "", "", ""}, 400, "not a path"},
      Row{{operators, "PUT", "/v1/skus/a%0Ab", "k1", "", ""}, 400, "sku: must be 1 to 128 bytes of UTF-8"},
      Row{{operators, "PUT", "/v1/skus/a%C3", "k1", "", ""}, 400, "sku: must be 1 to 128 bytes of UTF-8"},
      Row{{operators, "PUT", "/v1/skus/a%", "k1", "", ""}, 400, "not a path"},
      Row{{operators, "PUT", "/v1/skus/a/b", "k1", "", ""}, 404, "there is no such path"},
      Row{{shop, "GET", "/v1/orders?user=a%0Ab", "", "", ""}, 400, "user: must be 1 to 128 bytes of UTF-8"},
      Row{{operators, "POST", "/v1/stock/a%20b/receive", "k1", R"({"quantity":1})", ""}, 404, "unknown_sku"},
      Row{{operators, "POST", "/v1/activities/%00/open", "k1", "", ""}, 404, "unknown_activity"},
      Row{{operators, "GET", "/v1/stock", "", "", ""}, 400, "sku: is missing"},
      Row{{operators, "GET", "/v1/stock?sku=hat", "", "", ""}, 404, R"("sku":"hat")"},
      Row{{operators, "GET", "/v1/stock?sku=tee&lot=1", "", "", ""}, 400, "query: "},
      Row{{operators, "GET", "/v1/activities/nosuch", "", "", ""}, 404, "unknown_activity"},
  });
  // Each is refused for its key, so its content is taken: UTF-8 has to be named by nobody.
  for (const char* type :
       {"application/json", "Application/JSON ; Charset=\"UTF-8\"", "application/json;v=1"}) {
    const Asked asked = with("a b", std::string("Content-Type: ") + type + "\r\n");
    EXPECT_EQ(ask(world, asked).status, 400U) << type;
  }
  // A reader of both forms, and the key of another.
  EXPECT_EQ(ask(world, with("k1", "Gavel-Attempt: 1\r\n")).status, 201U);
  Asked other = with("k1", "");
  other.audience = operators;
  EXPECT_EQ(ask(world, other).status, 201U);  // Keys belong to the caller: the operator's k1 is another.
}

}  // namespace
}  // namespace gavel::http
