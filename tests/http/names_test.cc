// Names as shops have them (E27, F021): what went in comes out the same, byte by byte, everywhere.
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/percent_text.h"
#include "service_fixture.h"

namespace gavel::http {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

// Names of real shops, names that mean something to HTTP, JSON or a request's content, and those at the edge.
const std::vector<std::string>& names() {
  static const std::vector<std::string> all{
      "24\" / 61 cm & 'co' + #1 (100%)",
      "Größe M, grün",
      "手机壳 📱",
      "ann+shop@example.org",
      "auth0|5f7c8ec7",
      "a%2Fb",
      "a/b",
      "/",
      "%",
      "?x=1",
      " ",
      "\\",
      "tee*9,cap",
      "ann;lines=tee*9",
      "caf\xc3\xa9",
      "cafe\xcc\x81",  // The same to people, and another name.
      "\xef\xbb\xbftee",
      "a\u2028b\u202e",
      "{}",
      "[a,b]",
      std::string(125, 'x') + "汉",
  };
  return all;
}

std::string text(const value& of) { return {of.as_string().data(), of.as_string().size()}; }

class NamesTest : public ServiceTest {
 protected:
  object asked(Audience audience, const std::string& method, const std::string& path, const std::string& key,
               const object& body) {
    const Reply reply =
        ask(world, Asked{audience, method, path, key, body.empty() ? "" : boost::json::serialize(body), ""});
    EXPECT_LT(reply.status, 300U) << method << " " << path << " " << reply.body;
    location = reply.headers.contains("location") ? reply.headers.at("location") : "";
    return boost::json::parse(reply.body).as_object();
  }
  object read(Audience audience, const std::string& path) { return asked(audience, "GET", path, "", {}); }

  // Two orders of the user of this name, for the SKU and from the sale of this name; the first made by the
  // shop under the key, the second by operators, of which the shop is not told (A9).
  void expect_shown(const std::string& name, const std::string& id, const std::string& order_key) {
    const std::string in_path = percent_encoded(name);
    for (const Audience audience : {shop, operators}) {
      const object listed = read(audience, "/v1/orders?user=" + in_path);
      const std::size_t others = audience == operators ? 1 : 0;
      EXPECT_EQ(listed.at("orders").as_array().size(), 1 + others) << name;
      EXPECT_EQ(text(listed.at("orders").at(others).at("id")), id);
      EXPECT_EQ(text(read(audience, "/v1/orders/" + id).at("lines").at(0).at("sku")), name);
    }
    const object stock = read(operators, "/v1/stock?sku=" + in_path);
    EXPECT_EQ(text(stock.at("stock").at(0).at("sku")), name);
    EXPECT_EQ(text(stock.at("stock").at(1).at("pool")), name);
    EXPECT_EQ(stock.at("stock").at(1).at("reserved").as_int64(), 2);
    EXPECT_EQ(text(read(operators, "/v1/admin/gate?sku=" + in_path).at("gate").at(0).at("sku")), name);
    EXPECT_EQ(read(operators, "/v1/trace?user=" + in_path).at("traces").as_array().size(), 2U);
    const object trace = read(operators, "/v1/trace?request=" + percent_encoded(order_key));
    EXPECT_EQ(text(trace.at("flows").at(0).at("sku")), name);
    EXPECT_EQ(text(trace.at("requests").at(0).at("key")), order_key);
    const std::string unknown = get("/v1/orders/" + in_path);
    EXPECT_TRUE(unknown.starts_with("404 ")) << unknown;
  }

  static object order(const std::string& user, const std::string& sku, const std::string& activity) {
    return {{"user", user}, {"activity", activity}, {"lines", array{object{{"sku", sku}, {"quantity", 1}}}}};
  }
  std::string key() { return "key/" + std::to_string(++keys_) + "?%41&;,'"; }

  std::string location;

 private:
  int keys_ = 0;
};

// Each name is at once a SKU, an activity and a user.
TEST_F(NamesTest, GoRoundEveryPath_E27_F021) {
  for (const std::string& name : names()) {
    const std::string in_path = percent_encoded(name);
    EXPECT_EQ(text(asked(operators, "PUT", "/v1/skus/" + in_path, key(), {}).at("sku")), name);
    EXPECT_EQ(
        text(asked(operators, "POST", "/v1/stock/" + in_path + "/receive", key(), object{{"quantity", 5}})
                 .at("sku")),
        name);
    const object sale{{"id", name},
                      {"name", name},
                      {"lines", array{object{{"sku", name}, {"allotment", 3}}}},
                      {"limit_per_user", 2}};
    EXPECT_EQ(text(asked(operators, "POST", "/v1/activities", key(), sale).at("activity")), name);
    EXPECT_EQ(location, "/v1/activities/" + in_path);
    EXPECT_EQ(text(read(operators, "/v1/activities/" + in_path).at("id")), name);
    EXPECT_EQ(text(asked(operators, "POST", "/v1/activities/" + in_path + "/open", key(), {}).at("activity")),
              name);

    const std::string order_key = key();
    const object held = asked(shop, "POST", "/v1/orders", order_key, order(name, name, name));
    EXPECT_EQ(text(held.at("user")), name);
    EXPECT_EQ(text(held.at("activity")), name);
    EXPECT_EQ(text(held.at("lines").at(0).at("sku")), name);
    const std::string id(held.at("order").as_string());
    EXPECT_EQ(text(read(shop, "/v1/requests/" + percent_encoded(order_key)).at("key")), order_key);
    const object batch{{"request_id", key()},
                       {"act", "reserve"},
                       {"user", name},
                       {"activity", name},
                       {"lines", array{object{{"sku", name}, {"quantity", 1}}}}};
    const Reply answers =
        ask(world, Asked{operators, "POST", "/v1/batch", "", boost::json::serialize(array{batch}), ""});
    EXPECT_EQ(text(boost::json::parse(answers.body).at(0).at("user")), name) << answers.body;
    const std::string limited = post("/v1/orders", key(), boost::json::serialize(order(name, name, name)));
    EXPECT_TRUE(limited.starts_with("409 ") && limited.contains("limit_reached")) << limited;
    expect_shown(name, id, order_key);
  }
  const object list = read(operators, "/v1/activities?limit=1000");
  ASSERT_EQ(list.at("activities").as_array().size(), names().size());
  std::string after;
  std::size_t seen = 0;
  do {
    const object page = read(
        operators, "/v1/activities?limit=2" + (after.empty() ? "" : "&cursor=" + percent_encoded(after)));
    seen += page.at("activities").as_array().size();
    after = page.contains("next") ? std::string(page.at("next").as_string()) : "";
  } while (!after.empty());
  EXPECT_EQ(seen, names().size());
  EXPECT_EQ(read(operators, "/v1/admin/verify").at("findings_total").as_int64(), 0);
}

// 200 orders of one user in batches, within one millisecond of a clock that stands still.
TEST_F(NamesTest, TheLatestOrderOfABatchIsListedFirst_G012) {
  make_stock();
  operate("POST", "/v1/stock/tee/receive", "more", R"({"quantity":500})");
  std::vector<std::string> made;
  for (int batch = 0; batch < 4; ++batch) {
    array commands;
    for (int i = 0; i < 50; ++i) {
      commands.push_back(object{{"request_id", key()},
                                {"act", "reserve"},
                                {"user", "u1"},
                                {"lines", array{object{{"sku", "tee"}, {"quantity", 1}}}}});
    }
    const Reply answers =
        ask(world, Asked{shop, "POST", "/v1/batch", "", boost::json::serialize(commands), ""});
    const value judged = boost::json::parse(answers.body);
    for (const value& answer : judged.as_array()) {
      made.emplace_back(answer.at("order").as_string());
    }
  }
  std::vector<std::string> listed;
  std::string cursor;
  do {
    const object page = read(shop, "/v1/orders?user=u1&limit=30" + cursor);
    for (const value& order : page.at("orders").as_array()) listed.emplace_back(order.at("id").as_string());
    cursor = page.contains("next") ? "&cursor=" + std::string(page.at("next").as_string()) : "";
  } while (!cursor.empty());
  EXPECT_EQ(listed, std::vector<std::string>(made.rbegin(), made.rend()));
}

TEST_F(NamesTest, AreComparedByteByByte_E27) {
  operate("PUT", "/v1/skus/Tee", "k1", "");
  EXPECT_TRUE(operate("POST", "/v1/stock/tee/receive", "k2", R"({"quantity":1})").starts_with("404 "));
  EXPECT_TRUE(operate("PUT", "/v1/skus/tee", "k3", "").starts_with("201 "));
  EXPECT_TRUE(operate("PUT", "/v1/skus/caf%C3%A9", "k4", "").starts_with("201 "));
  EXPECT_TRUE(operate("PUT", "/v1/skus/cafe%CC%81", "k5", "").starts_with("201 "));
  EXPECT_TRUE(operate("PUT", "/v1/skus/caf%c3%a9", "k6", "").starts_with("200 ")) << "%c3 is %C3";
}

// One key, and a body whose content would read the same, if names stood in it as they are.
TEST_F(NamesTest, ImitateNoOtherBody_E27) {
  make_stock();
  operate("PUT", "/v1/skus/cup*1%2Ctee", "k1", "");
  const std::string two = R"({"user":"u","lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":1}]})";
  const std::string one = R"({"user":"u","lines":[{"sku":"cup*1,tee","quantity":1}]})";
  EXPECT_TRUE(post("/v1/orders", "k", two).starts_with("201 "));
  const std::string imitated = post("/v1/orders", "k", one);
  EXPECT_TRUE(imitated.starts_with("422 ")) << imitated;
  EXPECT_TRUE(imitated.contains(R"("fields":["lines"])")) << imitated;
  const std::string of_user =
      post("/v1/orders", "k", R"({"user":"u;lines=cup*1,tee*1","lines":[{"sku":"tee","quantity":1}]})");
  EXPECT_TRUE(of_user.contains(R"("fields":["user","lines"])")) << of_user;
}

// A plus in a query is a blank, as forms and most libraries write it.
TEST_F(NamesTest, APlusInAQueryIsABlank_E27) {
  operate("PUT", "/v1/skus/a%20b", "k1", "");
  operate("PUT", "/v1/skus/a+c", "k2", "");
  EXPECT_TRUE(operate("GET", "/v1/stock?sku=a+b", "", "").starts_with("200 "));
  EXPECT_TRUE(operate("GET", "/v1/stock?sku=a%2Bc", "", "").starts_with("200 "));
  EXPECT_TRUE(operate("GET", "/v1/stock?sku=a+c", "", "").starts_with("404 "));
}

// What is told of people is counted in characters (G004).
TEST_F(NamesTest, ReasonsAndNamesAreCountedInCharacters_G004) {
  make_stock();
  std::string long_text;
  for (int i = 0; i < 200; ++i) long_text += "汉";
  const auto adjusted = [&](const std::string& reason, const std::string& of_key) {
    return operate("POST", "/v1/stock/tee/adjust", of_key,
                   boost::json::serialize(object{{"difference", 5}, {"reason", reason}}));
  };
  const std::string taken = adjusted(long_text, "r1");
  EXPECT_TRUE(taken.starts_with("200 ") && taken.contains(long_text)) << taken;
  EXPECT_EQ(adjusted(long_text + "字", "r2"), malformed_of(400, "reason: must have 1 to 200 characters"));
  const auto made = [&](const std::string& name, const std::string& of_key) {
    return operate("POST", "/v1/activities", of_key,
                   boost::json::serialize(
                       object{{"name", name}, {"lines", array{object{{"sku", "tee"}, {"allotment", 1}}}}}));
  };
  EXPECT_TRUE(made(long_text, "a1").starts_with("201 "));
  EXPECT_EQ(made(long_text + "字", "a2"), malformed_of(400, "name: must have 1 to 200 characters"));
}

TEST_F(NamesTest, KeysAreLongAndVisible_E27) {
  make_stock();
  const std::string longest(255, '/');
  const std::string first = post("/v1/orders", longest, order_of("u1", "tee", 1));
  EXPECT_TRUE(first.starts_with("201 ")) << first;
  EXPECT_EQ(post("/v1/orders", longest, order_of("u1", "tee", 1)).find("idempotency-replayed: true"), 4U);
  EXPECT_TRUE(get("/v1/requests/" + percent_encoded(longest)).contains(longest));
  EXPECT_TRUE(post("/v1/orders", longest + "/", order_of("u1", "tee", 1)).starts_with("400 "));
  EXPECT_TRUE(post("/v1/orders", longest.substr(1) + "x", order_of("u1", "tee", 1)).starts_with("201 "))
      << "keys that share 254 characters are two";
}

}  // namespace
}  // namespace gavel::http
