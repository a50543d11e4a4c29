// POST /v1/batch through real sockets: each element is answered as its single request would have been.

#include "http/batch.h"

#include <array>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "http/routes.h"
#include "world.h"

namespace gavel::http {
namespace {

std::string key7(int n) {
  const std::string digits = std::to_string(n);
  return "01a228e4-9a00-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

// One command in both forms.
struct Asks {
  std::string key;
  std::string act;
  std::string order;  // In the path, or in the field of that name.
  std::string body;   // Members alone: "user":"u1", …

  std::string element() const {
    std::string text = R"({"act":")" + act + "\"";
    if (!key.empty()) text += R"(,"request_id":")" + key + "\"";
    if (!order.empty()) text += R"(,"order":")" + order + "\"";
    return text + (body.empty() ? "" : ",") + body + "}";
  }
  Asked single() const {
    const bool changes = act == "change";
    std::string path = order.empty() ? "/v1/orders" : "/v1/orders/" + order;
    if (!order.empty() && !changes) path += "/" + act;
    return Asked{shop, changes ? "PATCH" : "POST", path, key, "{" + body + "}", ""};
  }
};

std::string joined(const std::vector<Asks>& all) {
  std::string text;
  for (const Asks& one : all) text.append(text.empty() ? "[" : ",").append(one.element());
  return text + "]";
}

Asks reserves(const std::string& key, const std::string& user, int quantity, const std::string& more = "") {
  return Asks{key, "reserve", "",
              R"("user":")" + user + R"(","lines":[{"sku":"tee","quantity":)" + std::to_string(quantity) +
                  "}]" + more};
}

// What a single answer is as an element of a batch.
std::string as_element(const Reply& reply) {
  std::string text = "{";
  if (reply.headers.contains("idempotency-replayed")) text += R"("replayed":true,)";
  if (reply.status < 400) text += R"("status":)" + std::to_string(reply.status) + ",";
  return text + reply.body.substr(1);
}

class BatchTest : public testing::Test {
 protected:
  static void make_stock(const World& world, int units = 10) {
    ask(world, Asked{operators, "PUT", "/v1/skus/tee", "s1", "", ""});
    ask(world, Asked{operators, "POST", "/v1/stock/tee/receive", "s2",
                     R"({"quantity":)" + std::to_string(units) + "}", ""});
  }
  static Reply post(const World& world, const std::string& body, const std::string& more = "") {
    return ask(world, Asked{shop, "POST", "/v1/batch", "", body, more});
  }

  World world;
};

// table: one row for each kind of answer, successes and refusals mixed.
TEST_F(BatchTest, EachElementIsAnsweredAsItsSingleRequest) {
  World other;
  make_stock(world);
  make_stock(other);
  for (const World* each : std::array<const World*, 2>{&world, &other}) {
    ask(*each, reserves(key7(1), "u1", 1).single());
    ask(*each, reserves(key7(2), "u2", 1).single());
  }
  const std::vector<Asks> mixture{
      reserves(key7(3), "u3", 2),
      Asks{"c1", "confirm", key7(1), ""},
      Asks{"x1", "cancel", key7(2), ""},
      reserves("", "u4", 1),
      reserves("k5", "u5", 0),
      reserves("k6", "u 6", 1),
      reserves("k7", "u7", 100),
      Asks{"c2", "confirm", key7(99), ""},
      Asks{"c3", "confirm", "17", ""},
      Asks{"x2", "cancel", key7(1), ""},
      reserves(key7(1), "u9", 1),
      reserves("k8", "u8", 1, R"(,"activity":"nosuch")"),
      reserves("k9", "u9", 1, R"(,"coupon":"x")"),
      Asks{"k10", "reserve", "", R"("user":"u1","lines":[{"sku":"hat","quantity":1}])"},
      reserves(key7(4), "u4", 3, R"(,"payment":"none")"),
      reserves("k11", "u11", 9),
      Asks{"e1", "extend", key7(3), ""},
      Asks{"e2", "extend", key7(3), R"("seconds":86400)"},
      Asks{"e3", "extend", key7(3), R"("seconds":0)"},
      Asks{"e4", "extend", key7(1), ""},
      Asks{"h1", "change", key7(3), R"("lines":[{"sku":"tee","quantity":3}])"},
      Asks{"h2", "change", key7(3), R"("lines":[{"sku":"tee","quantity":99}])"},
      Asks{"h3", "change", key7(2), R"("lines":[{"sku":"tee","quantity":1}])"},
      Asks{"h4", "change", key7(3), ""},
      Asks{"c4", "confirm", key7(3), R"("lines":[{"sku":"tee","quantity":2}])"},
      Asks{"r1", "refund", key7(3), R"("lines":[{"sku":"tee","quantity":1}],"restock":false)"},
      Asks{"r2", "refund", key7(3), R"("lines":[{"sku":"tee","quantity":9}],"restock":true)"},
      Asks{"r3", "refund", key7(3), R"("restock":true)"},
      Asks{"r4", "refund", key7(3), R"("restock":true)"},
      Asks{"", "refund", key7(3), R"("restock":true)"},
  };
  for (int round = 0; round < 2; ++round) {  // The second time all that is recorded comes again.
    std::string singles;
    for (const Asks& one : mixture) {
      singles.append(singles.empty() ? "[" : ",").append(as_element(ask(other, one.single())));
    }
    const Reply reply = post(world, joined(mixture));
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.headers.at("content-type"), "application/json");
    EXPECT_EQ(reply.body, singles + "]");
  }
  const Asked stock{operators, "GET", "/v1/stock?sku=tee", "", "", ""};
  EXPECT_EQ(ask(world, stock).body, ask(other, stock).body);
}

TEST_F(BatchTest, AKeyInFlightIsSaidSoWithinABatchAndBesideIt_A9) {
  make_stock(world);
  world.hold_lane();
  auto first = std::async(std::launch::async, [&] {
    return post(world, joined({reserves("k1", "u1", 1), reserves("k1", "u1", 1), reserves("k2", "u2", 1)}));
  });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 2; }));
  const Reply second = post(world, joined({reserves("k2", "u2", 1)}));
  EXPECT_NE(second.body.find(R"("code":"key_in_flight")"), std::string::npos);
  EXPECT_EQ(ask(world, reserves("k1", "u1", 1).single()).status, 409U);
  world.let_lane_go();
  const std::string body = first.get().body;
  const std::size_t refused = body.find(R"("code":"key_in_flight")");
  EXPECT_LT(body.find(R"("code":"reserved")"), refused);
  EXPECT_LT(refused, body.rfind(R"("code":"reserved")"));
  EXPECT_TRUE(post(world, joined({reserves("k1", "u1", 1)})).body.starts_with(R"([{"replayed":true,)"));
}

TEST(BatchLimits, EightThousandAndNoMore) {
  WorldLimits limits;
  limits.in_flight_max = 10'000;
  World world(limits);
  ask(world, Asked{operators, "PUT", "/v1/skus/tee", "s1", "", ""});
  ask(world, Asked{operators, "POST", "/v1/stock/tee/receive", "s2", R"({"quantity":8000})", ""});
  std::vector<Asks> many;
  for (int i = 0; i < batch_commands_max + 1; ++i) many.push_back(reserves(key7(i), "u1", 1));
  const std::string before = world.dump();
  const Reply refused = ask(world, Asked{shop, "POST", "/v1/batch", "", joined(many), ""});
  EXPECT_EQ(refused.status, 400U);
  EXPECT_NE(refused.body.find("body: at most 8192 elements"), std::string::npos) << refused.body;
  EXPECT_EQ(world.dump(), before);
  many.pop_back();
  const std::string body = ask(world, Asked{shop, "POST", "/v1/batch", "", joined(many), ""}).body;
  const auto count = [&body](const std::string& what) {
    int found = 0;
    for (std::size_t at = body.find(what); at != std::string::npos; at = body.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(R"("code":"reserved")"), 8000);
  EXPECT_EQ(count(R"("code":"sold_out")"), 192);
}

// The judge's refusals beyond those that it records, as an answer of its own and in a batch, where the body
// alone can say when to come again.
TEST(BatchLimits, AnElementSaysInItsBodyWhenToComeAgain_E28) {
  WorldLimits limits;
  limits.in_flight_max = 10'000;
  World world(limits);
  ask(world, Asked{operators, "PUT", "/v1/skus/tee", "s1", "", ""});
  std::vector<Asks> many;
  for (int i = 0; i < 1001; ++i) many.push_back(reserves(key7(i), "u1", 1));
  const Reply whole = ask(world, Asked{shop, "POST", "/v1/batch", "", joined(many), ""});
  const std::size_t later = whole.body.find(R"("recorded":false,"retry":"later","retry_after":)" +
                                            whole.headers.at("retry-after") + R"(,"sku":"tee"})");
  EXPECT_EQ(later, whole.body.find(R"("recorded":false)")) << whole.body.substr(whole.body.size() - 300);
  EXPECT_EQ(later, whole.body.rfind(R"("recorded":false)")) << "the last one alone";

  world.clock().advance(std::chrono::seconds(40));
  const Reply single = ask(world, reserves("single", "u1", 1).single());
  EXPECT_GE(std::stoi(single.headers.at("retry-after")), 40);
  EXPECT_LE(std::stoi(single.headers.at("retry-after")), 50);
  EXPECT_NE(single.body.find(R"("retry_after":)" + single.headers.at("retry-after") + ","),
            std::string::npos);
  EXPECT_FALSE(ask(world, reserves(key7(1), "u1", 1).single()).headers.contains("retry-after"))
      << "what is recorded keeps its answer";
}

TEST(BatchLimits, EachCommandIsAdmittedByItself_A20) {
  WorldLimits limits;
  limits.in_flight_max = 2;
  World world(limits);
  const Reply reply = ask(world, Asked{shop, "POST", "/v1/batch", "",
                                       joined({reserves("a", "u", 1), reserves("b", "u", 0),
                                               reserves("c", "u", 1), reserves("d", "u", 1)}),
                                       ""});
  EXPECT_EQ(reply.status, 200U);
  EXPECT_TRUE(reply.headers.contains("retry-after"));
  EXPECT_NE(reply.body.find(R"("status":503)"), std::string::npos);
  EXPECT_LT(reply.body.find(R"("code":"malformed")"), reply.body.find(R"("code":"overloaded")"));
}

TEST_F(BatchTest, FourMebibytesAndNoMore) {
  make_stock(world);
  const std::string small = joined({reserves(key7(1), "u1", 1)});
  const std::string large = small + std::string(batch_bytes_max - small.size(), ' ');
  const std::string before = world.dump();
  const std::string too_large = "\"detail\":\"body: at most 4194304 bytes\"";
  const Reply refused = post(world, large + " ");
  EXPECT_EQ(refused.status, 413U);
  EXPECT_NE(refused.body.find(too_large), std::string::npos) << refused.body;

  // The same in chunks, which do not say their sum before they have come.
  const auto in_chunks = [&](const std::string& path, const std::string& body) {
    Client client(world.port(shop));
    std::string text = "POST " + path +
                       " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size(); at += 0x10000) {
      const std::string part = body.substr(at, 0x10000);
      std::array<char, 16> size{};
      std::snprintf(size.data(), size.size(), "%zx\r\n", part.size());
      text.append(size.data()).append(part).append("\r\n");
    }
    client.send(text + "0\r\n\r\n");
    return client.read().value_or(Reply());
  };
  EXPECT_EQ(in_chunks("/v1/batch", large + " ").status, 413U);
  EXPECT_EQ(in_chunks("/v1/orders", std::string(single_bytes_max + 1, ' ')).status, 413U);
  Asked single = reserves("k", "u", 1).single();
  single.body += std::string(single_bytes_max + 1, ' ');
  EXPECT_NE(ask(world, single).body.find("body: at most 65536 bytes"), std::string::npos);
  EXPECT_EQ(world.dump(), before);

  EXPECT_EQ(post(world, large).status, 200U);
  EXPECT_EQ(in_chunks("/v1/batch", large).body.substr(0, 17), R"([{"replayed":true)");
}

// What large bodies may take is theirs together; what ends, in whatever way, gives its share back.
TEST(BatchLimits, LargeBodiesShareOneAllowance) {
  WorldLimits limits;
  limits.large_bodies_bytes_max = 200'000;
  World world(limits);
  const std::string body = joined({reserves("a", "u", 1)}) + std::string(150'000, ' ');
  const std::string head =
      "POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    Client slow(world.port(shop));
    slow.send(head + body.substr(0, 70'000));
    const auto other = [&] { return ask(world, Asked{shop, "POST", "/v1/batch", "", body, ""}).status; };
    EXPECT_TRUE(comes_true([&] { return other() == 503; }));
    EXPECT_EQ(ask(world, Asked{shop, "POST", "/v1/batch", "", joined({reserves("a", "u", 1)}), ""}).status,
              200U);
    if (i == 0) slow.reset();
    if (i == 1) {
      slow.send(body.substr(70'000));
      EXPECT_EQ(slow.read()->status, 200U);
      // The connection goes on, for small requests and for large ones.
      slow.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + head + body);
      EXPECT_EQ(slow.read()->status, 200U);
      EXPECT_EQ(slow.read()->status, 200U);
    }
    if (i == 2) {
      EXPECT_EQ(slow.read()->status, 408U);
    }
    EXPECT_TRUE(comes_true([&] { return other() == 200; }));
  }
}

TEST_F(BatchTest, WhatSurroundsABatchIsAsStrictAsElsewhere) {
  const std::string body = joined({reserves("a", "u", 1)});
  const std::string before = world.dump();
  EXPECT_EQ(ask(world, Asked{shop, "POST", "/v1/batch", "k", body, ""}).status, 400U);
  EXPECT_EQ(ask(world, Asked{shop, "POST", "/v1/batch?dry=1", "", body, ""}).status, 400U);
  EXPECT_EQ(ask(world, Asked{shop, "PUT", "/v1/batch", "", body, ""}).status, 405U);
  EXPECT_EQ(ask(world, Asked{shop, "POST", "/v1/batch", "", "", ""}).status, 400U);
  Client client(world.port(shop));
  client.send(
      "POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]");
  EXPECT_EQ(client.read()->status, 415U);
  EXPECT_EQ(world.dump(), before);
}

// A damaged batch is refused as a whole, or in those elements that are damaged; it is never a fault of ours.
TEST_F(BatchTest, Damaged) {
  make_stock(world, 1'000'000);
  Random random(5);
  Client client(world.port(shop));
  for (int i = 0; i < 300; ++i) {
    std::string body =
        joined({reserves(key7(i), "u1", 1), Asks{"x" + std::to_string(i), "cancel", key7(i), ""}});
    constexpr std::string_view bytes = "[]{}\",:\\ 0a\xFF";
    body[random.below(body.size())] = bytes[random.below(bytes.size())];
    client.send("POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto reply = client.read();
    ASSERT_TRUE(reply);
    ASSERT_TRUE(reply->status == 200 || reply->status == 400) << body << reply->body;
    ASSERT_EQ(reply->body.find(R"("status":500)"), std::string::npos) << reply->body;
  }
  const Reply clean = ask(world, Asked{operators, "GET", "/v1/admin/verify", "", "", ""});
  EXPECT_NE(clean.body.find(R"("clean":true)"), std::string::npos) << clean.body;
}

}  // namespace
}  // namespace gavel::http
