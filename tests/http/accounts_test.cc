// Who may call, what each role may do, and that an account's orders and keys are its own (A9, G002).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service_fixture.h"

namespace gavel::http {
namespace {

const std::string refused_key =
    "401 www-authenticate: Bearer realm=\"gavel\" " + problem_of("unauthenticated", 401, final_never);
const std::string refused_role = "403 " + problem_of("forbidden", 403, final_never);
const std::string no_order = "404 " + problem_of("unknown_order", 404, final_never);

class AccountsOfService : public ServiceTest {
 protected:
  void SetUp() override {
    make_stock();
    world.use_accounts({key_of("web", Role::shop), key_of("app", Role::shop), key_of("desk", Role::ops),
                        key_of("audit", Role::read), key_of("prometheus", Role::metrics)});
  }

  static AccountKey key_of(const std::string& account, Role role) {
    return {digest_of("gavel_" + account), {rules::Caller(account), role}};
  }

  // As said(), with the key of this account.
  std::string as(const std::string& account, const std::string& method, const std::string& path,
                 const std::string& key = "", const std::string& body = "") {
    return said(Asked{shop, method, path, key, body, "Authorization: Bearer gavel_" + account + "\r\n"});
  }

  // Whatever is sent as it stands.
  Reply sent(Audience audience, const std::string& bytes) {
    Client client(world.port(audience));
    client.send(bytes);
    return client.read().value();
  }
  std::string sent_to_operators(const std::string& account, const std::string& line) {
    return rendered(sent(
        operators, line + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer gavel_" + account + "\r\n\r\n"));
  }
};

TEST_F(AccountsOfService, TheShopAsksForAKeyAndAStrangerLearnsNothing_A9_G002) {
  const std::string before = world.dump();
  for (const std::string header :
       {"", "Authorization: Bearer\r\n", "Authorization: Bearer gavel_\r\n",
        "Authorization: Bearer gavel_WEB\r\n", "Authorization: Basic d2ViOmdhdmVsX3dlYg==\r\n"}) {
    for (const std::string line :
         {"GET /v1/orders?user=ann", "GET /v1/requests/k1", "GET /nosuch", "GET /docs", "GET /v1/%zz"}) {
      EXPECT_EQ(rendered(sent(shop, line + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n")), refused_key)
          << line;
    }
    Asked order{shop, "POST", "/v1/orders", "k1", order_of("ann", "tee", 1), header};
    EXPECT_EQ(said(order), refused_key);
    order.body = "no JSON";
    EXPECT_EQ(said(order), refused_key) << "nothing of the request was looked at";
  }
  EXPECT_EQ(world.dump(), before);
  EXPECT_EQ(get("/healthz"), R"(200 {"status":"alive"})");
  EXPECT_EQ(get("/readyz"), R"(200 {"status":"ready","warnings":[]})");
}

TEST_F(AccountsOfService, ARevokedKeyIsRefusedOnAnOpenConnection_A9) {
  Client client(world.port(shop));
  const std::string request =
      "GET /v1/orders?user=ann HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer gavel_web\r\n\r\n";
  client.send(request);
  EXPECT_EQ(client.read()->status, 200U);
  world.use_accounts({key_of("app", Role::shop)});
  client.send(request);
  EXPECT_EQ(client.read()->status, 401U);
}

TEST_F(AccountsOfService, EachActOnAnotherAccountsOrderIsOfAnUnknownOrder_A9_G002) {
  const std::string order = key7(1);
  ASSERT_EQ(as("web", "POST", "/v1/orders", order, order_of("ann", "tee", 1)).substr(0, 3), "201");
  ASSERT_EQ(as("web", "POST", "/v1/orders", key7(2), order_of("ann", "tee", 2, R"(,"payment":"none")"))
                .substr(0, 3),
            "201");
  const std::string before = world.dump();
  const std::string path = "/v1/orders/" + order;
  EXPECT_EQ(as("app", "GET", path), no_order);
  EXPECT_EQ(as("app", "POST", path + "/confirm", "a1"), no_order);
  EXPECT_EQ(as("app", "POST", path + "/cancel", "a2"), no_order);
  EXPECT_EQ(as("app", "POST", path + "/extend", "a3"), no_order);
  EXPECT_EQ(as("app", "PATCH", path, "a4", R"({"lines":[{"sku":"tee","quantity":2}]})"), no_order);
  EXPECT_EQ(as("app", "POST", "/v1/orders/" + key7(2) + "/refund", "a5", R"({"restock":true})"), no_order);
  const std::string batch = R"([{"request_id":"a6","act":"cancel","order":")" + order + R"("}])";
  EXPECT_NE(as("app", "POST", "/v1/batch", "", batch).find("unknown_order"), std::string::npos);
  EXPECT_EQ(as("app", "GET", "/v1/orders?user=ann"), R"(200 {"orders":[],"lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(world.dump(), before);
  EXPECT_NE(as("web", "GET", "/v1/orders?user=ann").find(order), std::string::npos);
  EXPECT_EQ(as("web", "POST", path + "/confirm", "a1").substr(0, 3), "200")
      << "the key is each account's own";
}

TEST_F(AccountsOfService, RequestKeysAreTheAccountsOwn_A9_G002) {
  ASSERT_EQ(as("web", "POST", "/v1/orders", "one", order_of("ann", "tee", 1)).substr(0, 3), "201");
  EXPECT_EQ(as("app", "GET", "/v1/requests/one"), "404 " + problem_of("unknown_request", 404, final_never));
  const std::string other = as("app", "POST", "/v1/orders", "one", order_of("bob", "cup", 1));
  EXPECT_EQ(other.substr(0, 3), "201") << other;
  EXPECT_EQ(other.find("replayed"), std::string::npos);
  EXPECT_NE(as("web", "GET", "/v1/requests/one").find(R"("code":"reserved")"), std::string::npos);
}

TEST_F(AccountsOfService, OperatorsSeeAndActUponAllAndReadersSeeAll_A9) {
  const std::string order = key7(1);
  ASSERT_EQ(as("web", "POST", "/v1/orders", order, order_of("ann", "tee", 1)).substr(0, 3), "201");
  ASSERT_EQ(as("app", "POST", "/v1/orders", key7(2), order_of("ann", "tee", 1)).substr(0, 3), "201");
  for (const char* account : {"desk", "audit"}) {
    EXPECT_EQ(as(account, "GET", "/v1/orders/" + order).substr(0, 3), "200") << account;
    const std::string list = as(account, "GET", "/v1/orders?user=ann");
    EXPECT_NE(list.find(order), std::string::npos) << account;
    EXPECT_NE(list.find(key7(2)), std::string::npos) << account;
    EXPECT_NE(sent_to_operators(account, "GET /v1/trace?user=ann").find(key7(2)), std::string::npos)
        << account;
  }
  EXPECT_EQ(as("audit", "POST", "/v1/orders/" + order + "/cancel", "c1"), refused_role);
  EXPECT_EQ(as("desk", "POST", "/v1/orders/" + order + "/confirm", "c1").substr(0, 3), "200");
  EXPECT_EQ(operate("POST", "/v1/orders/" + order + "/refund", "c2", R"({"restock":true})").substr(0, 3),
            "200")
      << "so does the operators' own key";
}

TEST_F(AccountsOfService, ARoleMayDoWhatItIsForAndNothingElse_A9) {
  EXPECT_EQ(sent_to_operators("web", "GET /v1/stock?sku=tee"), refused_role);
  EXPECT_EQ(sent_to_operators("web", "GET /nosuch"), refused_role);
  EXPECT_EQ(sent_to_operators("audit", "GET /v1/stock?sku=tee").substr(0, 3), "200");
  EXPECT_EQ(sent_to_operators("audit", "GET /metrics"), refused_role);
  EXPECT_EQ(sent_to_operators("audit", "POST /v1/stock/tee/receive"), refused_role);
  EXPECT_EQ(sent_to_operators("prometheus", "GET /v1/stock?sku=tee"), refused_role);
  EXPECT_EQ(as("prometheus", "GET", "/v1/orders?user=ann"), refused_role);
  EXPECT_EQ(
      sent(operators, "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer gavel_prometheus\r\n\r\n")
          .status,
      200U);
  EXPECT_EQ(sent_to_operators("desk", "GET /v1/stock?sku=tee").substr(0, 3), "200");
}

TEST_F(AccountsOfService, ALimitCountsOverAllAccounts_A9_B3) {
  operate("POST", "/v1/activities", "s5",
          R"({"id":"drop","name":"Drop","lines":[{"sku":"tee","allotment":5}],"limit_per_user":1})");
  operate("POST", "/v1/activities/drop/open", "s6", "");
  const std::string more = R"(,"activity":"drop")";
  ASSERT_EQ(as("web", "POST", "/v1/orders", key7(1), order_of("ann", "tee", 1, more)).substr(0, 3), "201");
  const std::string told = as("app", "POST", "/v1/orders", "one", order_of("ann", "tee", 1, more));
  EXPECT_NE(told.find(R"("code":"limit_reached")"), std::string::npos) << told;
  EXPECT_EQ(told.find(key7(1)), std::string::npos) << "the other account's order is not told";
}

TEST_F(ServiceTest, WithoutAccountsTheShopIsOpenAndAWrongKeyIsNobodys_A9) {
  make_stock();
  EXPECT_EQ(post("/v1/orders", key7(1), order_of("ann", "tee", 1)).substr(0, 3), "201");
  Asked asked{shop, "GET", "/v1/orders/" + key7(1), "", "", "Authorization: Bearer gavel_old\r\n"};
  EXPECT_EQ(said(asked), refused_key) << "who means to be somebody is not taken for the shop";
  asked.more_headers = "Authorization: Basic d2ViOnB3\r\n";
  EXPECT_EQ(said(asked).substr(0, 3), "200") << "as from a proxy, which is none of ours";
  asked.more_headers = "Authorization: Bearer " + std::string(operator_key) + "\r\n";
  EXPECT_EQ(said(asked).substr(0, 3), "200");
}

// What a page of another origin can make a browser send: no header of its own, no body of type JSON, and an
// answer that it may not read.
TEST_F(ServiceTest, APageOfAnotherOriginChangesNothing_G002) {
  make_stock();
  const std::string before = world.dump();
  const std::string order = order_of("ann", "tee", 1);
  const std::string batch = R"([{"request_id":"k1","act":"reserve",)" + order.substr(1) + "]";
  const auto post_of = [](const std::string& path, const std::string& headers, const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  for (const std::string type :
       {"", "Content-Type: text/plain\r\n", "Content-Type: text/plain;application/json\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n"}) {
    const std::pair<std::string, std::string> requests[] = {
        {"/v1/batch", batch}, {"/v1/batch", ""}, {"/v1/orders", order}};
    for (const auto& [path, body] : requests) {
      Client client(world.port(shop));
      client.send(post_of(path, type, body));
      const auto reply = client.read();
      ASSERT_TRUE(reply);
      EXPECT_EQ(rendered(*reply), malformed_of(415, "Content-Type: must be application/json, in UTF-8"))
          << type << path;
    }
  }
  // Without a body it is the request key that a page cannot send.
  Client client(world.port(shop));
  client.send(post_of("/v1/orders/" + key7(1) + "/cancel", "", ""));
  EXPECT_EQ(client.read()->status, 400U);
  EXPECT_EQ(world.dump(), before);
  // And no answer lets another origin in, not to a preflight and not to a question.
  for (const std::string line : {"OPTIONS /v1/orders", "GET /v1/orders?user=ann", "GET /openapi.json"}) {
    Client asked(world.port(shop));
    asked.send(
        line +
        " HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n"
        "Access-Control-Request-Headers: idempotency-key\r\n\r\n");
    const auto reply = asked.read();
    ASSERT_TRUE(reply);
    for (const auto& [name, value] : reply->headers)
      EXPECT_FALSE(name.starts_with("access-control-")) << name;
    EXPECT_EQ(reply->status, line.starts_with("OPTIONS") ? 405U : 200U);
  }
}

}  // namespace
}  // namespace gavel::http
