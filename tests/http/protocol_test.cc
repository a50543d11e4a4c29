// What a connection may be fed: malformed HTTP, slow HTTP, too much HTTP. Nothing of it stops the server,
// costs a 5xx or has an effect; and what is well-formed but rare works.
// One noun: the protocol of a connection.

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "world.h"

namespace gavel::http {
namespace {

using std::chrono::steady_clock;

std::string get(const std::string& path, const std::string& headers = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

std::string post_of(const std::string& headers, const std::string& body) {
  return "POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k1\r\n" +
         headers + "\r\n" + body;
}

const std::string order = R"({"user":"u1","lines":[{"sku":"tee","quantity":1}]})";
const std::string length_of_order = "Content-Length: " + std::to_string(order.size()) + "\r\n";

std::string chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx", bytes.size());
  return std::string(size) + "\r\n" + bytes + "\r\n";
}

bool still_answers(const World& world) { return ask(world, Asked()).status == 200; }

struct BytesRow {
  std::string name;
  std::string bytes;
  unsigned status;  // 0: closed without an answer.
};

// table: each row is sent on a connection of its own, which then ends its side.
const std::vector<BytesRow>& malformed_rows() {
  static const std::vector<BytesRow> rows{
      {"no method", " /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"method with a colon", "GE:T /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"control character in the method", "G\x01T /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"no target", "GET  HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"no version", "GET /healthz\r\nHost: x\r\n\r\n", 400},
      {"version in small letters", "GET /healthz http/1.1\r\nHost: x\r\n\r\n", 400},
      {"version 0.9", "GET /healthz HTTP/0.9\r\nHost: x\r\n\r\n", 400},
      {"version 2.0", "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n", 400},
      {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"version without digits", "GET /healthz HTTP/x.y\r\nHost: x\r\n\r\n", 400},
      {"blanks in the target", "GET /health z HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"a NUL in the target", std::string("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", 28), 400},
      {"high bytes in the target", "GET /\x80\xFF HTTP/1.1\r\nHost: x\r\n\r\n", 404},
      {"line feeds alone", "GET /healthz HTTP/1.1\nHost: x\n\n", 400},
      {"carriage returns alone", "GET /healthz HTTP/1.1\rHost: x\r\r", 400},
      {"an empty line first", "\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
      {"random bytes", "\x8f\x1b\xd9\r\n\r\n\xff\xfe", 400},
      {"SMTP", "EHLO shop.example\r\n\r\n", 400},
      {"asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"authority", "CONNECT shop.example:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"unknown method", "BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405},
      {"TRACE", "TRACE /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405},
      {"no Host", "GET /healthz HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", get("/healthz", "Host: y\r\n"), 400},
      {"field without a colon", get("/healthz", "nonsense\r\n"), 400},
      {"field without a name", get("/healthz", ": x\r\n"), 400},
      {"blank before the colon", get("/healthz", "X-A : 1\r\n"), 400},
      {"NUL in a value", get("/healthz", std::string("X-A: a\0b\r\n", 10)), 400},
      {"control character in a value", get("/healthz", "X-A: a\x01z\r\n"), 400},
      {"carriage return in a value", get("/healthz", "X-A: a\rb\r\n"), 400},
      {"a folded field", get("/healthz", "X-A: a\r\n b\r\n"), 200},
      {"high bytes in a value", get("/healthz", "X-A: \xFF\xFE\r\n"), 200},
      {"length that is no number", post_of("Content-Length: ten\r\n", order), 400},
      {"negative length", post_of("Content-Length: -5\r\n", order), 400},
      {"length with a sign", post_of("Content-Length: +50\r\n", order), 400},
      {"length in hexadecimal", post_of("Content-Length: 0x32\r\n", order), 400},
      {"empty length", post_of("Content-Length: \r\n", order), 400},
      {"length beyond 64 bits", post_of("Content-Length: 99999999999999999999\r\n", order), 400},
      {"length of 2^63", post_of("Content-Length: 9223372036854775808\r\n", order), 413},
      {"two lengths that differ", post_of("Content-Length: 3\r\nContent-Length: 50\r\n", order), 400},
      {"two lengths in one", post_of("Content-Length: 3, 50\r\n", order), 400},
      {"length and chunked", post_of("Content-Length: 50\r\nTransfer-Encoding: chunked\r\n", order), 400},
      {"chunked and length", post_of("Transfer-Encoding: chunked\r\nContent-Length: 50\r\n", order), 400},
      {"an encoding beside chunked",
       post_of("Transfer-Encoding: gzip, chunked\r\n", chunk(order) + "0\r\n\r\n"), 400},
      {"chunked, then another", post_of("Transfer-Encoding: chunked, gzip\r\n", chunk(order) + "0\r\n\r\n"),
       400},
      {"chunked twice", post_of("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
       400},
      {"identity", post_of("Transfer-Encoding: identity\r\n", order), 400},
      {"xchunked", post_of("Transfer-Encoding: xchunked\r\n", order), 400},
      {"chunked in 1.0", "POST /v1/orders HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"chunk size that is no number", post_of("Transfer-Encoding: chunked\r\n", "zz\r\n\r\n"), 400},
      {"negative chunk size", post_of("Transfer-Encoding: chunked\r\n", "-1\r\n\r\n"), 400},
      {"chunk size beyond 64 bits", post_of("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"), 400},
      {"chunk beyond the limit", post_of("Transfer-Encoding: chunked\r\n", "fffffff\r\nabc"), 413},
      {"chunk longer than it says", post_of("Transfer-Encoding: chunked\r\n", "3\r\nabcdef\r\n0\r\n\r\n"),
       400},
      {"chunk without its end", post_of("Transfer-Encoding: chunked\r\n", "3\r\nabc0\r\n\r\n"), 400},
      {"endless chunk extension",
       post_of("Transfer-Encoding: chunked\r\n", "3;a=" + std::string(20'000, 'x')), 431},
      {"many chunks beyond the limit",
       post_of("Transfer-Encoding: chunked\r\n",
               [] {
                 std::string body;
                 for (int i = 0; i < 70; ++i) body += chunk(std::string(1'000, ' '));
                 return body;
               }()),
       413},
      {"body beyond the limit", post_of("Content-Length: 65537\r\n", std::string(65'537, ' ')), 413},
      {"body announced beyond the limit", post_of("Content-Length: 1000000000\r\n", ""), 413},
      {"a body in another encoding", post_of("Content-Encoding: gzip\r\n" + length_of_order, order), 415},
      {"an expectation unknown", post_of("Expect: miracles\r\n" + length_of_order, order), 417},
      {"request line beyond the limit", "GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n",
       414},
      {"one field beyond the limit", get("/healthz", "X-A: " + std::string(9'000, 'a') + "\r\n"), 431},
      {"many fields beyond the limit",
       get("/healthz",
           [] {
             std::string fields;
             for (int i = 0; i < 1'000; ++i) fields += "X-" + std::to_string(i) + ": 1\r\n";
             return fields;
           }()),
       431},
      {"line and fields beyond it together",
       get("/" + std::string(6'000, 'a'), "X-A: " + std::string(6'000, 'a') + "\r\n"), 431},
      {"a header without end", "GET /healthz HTTP/1.1\r\nHost: x\r\n" + std::string(40'000, 'a'), 431},
      {"a line without end", std::string(40'000, 'A'), 414},
      {"nothing", "", 0},
      {"half a line", "GET /heal", 0},
      {"half a header", "GET /healthz HTTP/1.1\r\nHo", 0},
      {"half a body", post_of("Content-Length: 50\r\n", "{\"user\""), 0},
      {"half a chunk", post_of("Transfer-Encoding: chunked\r\n", "32\r\n{\"user\""), 0},
  };
  return rows;
}

TEST(MalformedHttp, IsRefusedAndChangesNothing) {
  const World world;
  const std::string before = world.dump();
  for (const BytesRow& row : malformed_rows()) {
    Client client(world.port(shop));
    client.send(row.bytes);
    client.end_sending();
    const auto reply = client.read();
    EXPECT_EQ(reply ? reply->status : 0, row.status) << row.name;
    if (reply && reply->status >= 400) {
      EXPECT_EQ(reply->headers.at("content-type"), "application/problem+json") << row.name;
      EXPECT_NE(reply->body.find(R"("code":"malformed")"), std::string::npos) << row.name;
    }
    EXPECT_TRUE(client.is_closed()) << row.name;
  }
  EXPECT_TRUE(still_answers(world));
  EXPECT_EQ(world.dump(), before);
  EXPECT_TRUE(comes_true([&] { return world.connections(shop) == 0; }));
}

// Random damage to a good request: an answer or a closed connection, never a fault of ours.
TEST(MalformedHttp, MutationsAreSurvived) {
  WorldLimits limits;
  limits.header_within = Duration(100);
  limits.body_within = Duration(100);
  const World world(limits);
  const std::string good = post_of("Transfer-Encoding: chunked\r\n",
                                   chunk(order.substr(0, 20)) + chunk(order.substr(20)) + "0\r\n\r\n");
  Random random(20261129);
  for (int i = 0; i < 1'000; ++i) {
    std::string bytes = good;
    const std::uint64_t changes = 1 + random.below(5);
    for (std::uint64_t change = 0; change < changes; ++change) {
      const std::size_t place = random.below(bytes.size());
      if (random.chance(1, 3)) {
        bytes.erase(place, 1 + random.below(8));
      } else if (random.chance(1, 2)) {
        bytes.insert(place, bytes.substr(random.below(bytes.size()), random.below(40)));
      } else {
        bytes[place] = static_cast<char>(random.below(256));
      }
    }
    Client client(world.port(shop));
    client.send(bytes);
    if (random.chance(1, 4)) {
      client.reset();
      continue;
    }
    client.end_sending();
    while (const auto reply = client.read()) EXPECT_LT(reply->status, 500U) << bytes;
  }
  EXPECT_TRUE(still_answers(world));
}

TEST(Connection, IsKeptAndItsRequestsAreAnsweredInOrder) {
  const World world;
  Client client(world.port(shop));
  client.send(get("/healthz") + get("/readyz") + get("/nosuch") + post_of(length_of_order, order) +
              get("/healthz"));
  EXPECT_EQ(client.read()->body, R"({"status":"alive"})");
  EXPECT_EQ(client.read()->body, R"({"status":"ready","warnings":[]})");
  EXPECT_EQ(client.read()->status, 404U);
  EXPECT_NE(client.read()->body.find(R"("code":"unknown_sku")"), std::string::npos);
  EXPECT_EQ(client.read()->status, 200U);
  client.send(get("/healthz", "Connection: close\r\n"));
  const auto last = client.read();
  EXPECT_EQ(last->headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(Connection, OfHttp10EndsUnlessItIsToBeKept) {
  const World world;
  Client once(world.port(shop));
  once.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(once.read()->status, 200U);
  EXPECT_TRUE(once.is_closed());
  Client kept(world.port(shop));
  for (int i = 0; i < 2; ++i) {
    kept.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(kept.read()->headers.at("connection"), "keep-alive");
  }
}

TEST(Connection, HeadIsGetWithoutItsBody) {
  const World world;
  Client client(world.port(shop));
  client.send("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + get("/healthz"));
  const auto head = client.read(true);
  EXPECT_EQ(head->status, 200U);
  EXPECT_EQ(head->headers.at("content-length"), "18");
  EXPECT_EQ(client.read()->body, R"({"status":"alive"})");
}

TEST(Connection, ExpectationsAreMetBeforeTheBodyIsSent) {
  const World world;
  Client client(world.port(shop));
  client.send(post_of("Expect: 100-continue\r\n" + length_of_order, ""));
  EXPECT_EQ(client.read()->status, 100U);
  client.send(order);
  EXPECT_EQ(client.read()->status, 404U);
  client.send(post_of("Expect: 100-continue\r\nContent-Length: 70000\r\n", ""));
  EXPECT_EQ(client.read()->status, 413U);
}

TEST(Connection, TakesABodyInChunksAndPieces) {
  const World world;
  Client client(world.port(shop));
  const std::string bytes =
      post_of("transfer-encoding: Chunked\r\n", chunk(order.substr(0, 1)) + "31;a=b\r\n" + order.substr(1) +
                                                    "\r\n0\r\nIdempotency-Key: k2\r\n\r\n");
  for (const char byte : bytes) client.send(std::string(1, byte));
  EXPECT_NE(client.read()->body.find(R"("code":"unknown_sku")"), std::string::npos);
}

struct Slow {
  std::string bytes;
  unsigned status;  // 0: closed without an answer.
};

TEST(Connection, EndsWhenItsTimeIsPast) {
  WorldLimits limits;
  limits.header_within = Duration(80);
  limits.body_within = Duration(80);
  limits.idle_within = Duration(80);
  const World world(limits);
  const std::array slow{
      Slow{"", 0},
      Slow{"GET", 408},
      Slow{"GET /healthz HTTP/1.1\r\nHost: x\r\n", 408},
      Slow{post_of("Content-Length: 50\r\n", "{"), 408},
      Slow{post_of("Transfer-Encoding: chunked\r\n", "5\r\nabc"), 408},
  };
  for (const Slow& row : slow) {
    const auto start = steady_clock::now();
    Client client(world.port(shop));
    client.send(row.bytes);
    const auto reply = client.read();
    EXPECT_EQ(reply ? reply->status : 0, row.status) << row.bytes;
    EXPECT_TRUE(client.is_closed());
    const auto took = steady_clock::now() - start;
    EXPECT_GE(took, std::chrono::milliseconds(80)) << row.bytes;
    EXPECT_LT(took, std::chrono::milliseconds(2'500)) << row.bytes;
  }
  Client idle(world.port(shop));
  idle.send(get("/healthz"));
  EXPECT_EQ(idle.read()->status, 200U);
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(comes_true([&] { return world.connections(shop) == 0; }));
  EXPECT_TRUE(still_answers(world));
}

// A byte now and then does not buy time.
TEST(Connection, ATrickleIsCutOff) {
  WorldLimits limits;
  limits.header_within = Duration(150);
  const World world(limits);
  Client client(world.port(shop));
  const auto start = steady_clock::now();
  const std::string bytes = get("/healthz", "X-A: " + std::string(5'000, 'a') + "\r\n");
  for (const char byte : bytes) {
    if (!client.send(std::string(1, byte)) || steady_clock::now() - start > std::chrono::seconds(2)) break;
    wait_a_little();
    if (world.connections(shop) == 0) break;
  }
  EXPECT_LT(steady_clock::now() - start, std::chrono::milliseconds(1'800));
  EXPECT_TRUE(still_answers(world));
}

TEST(Connection, BeyondTheLimitIsTurnedAway) {
  WorldLimits limits;
  limits.connections_max = 3;
  const World world(limits);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<Client>(world.port(shop)));
    clients.back()->send(get("/healthz"));
    EXPECT_EQ(clients.back()->read()->status, 200U);
  }
  Client refused(world.port(shop));
  const auto reply = refused.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 503U);
  EXPECT_EQ(reply->headers.at("retry-after"), "1");
  EXPECT_NE(reply->body.find(R"("code":"overloaded")"), std::string::npos);
  EXPECT_TRUE(refused.is_closed());
  clients.clear();
  ASSERT_TRUE(comes_true([&] { return world.connections(shop) == 0; }));
  EXPECT_TRUE(still_answers(world));
}

TEST(Connection, ThatIsResetLeavesNothing) {
  World world;
  world.hold_lane();
  for (int i = 0; i < 20; ++i) {
    Client client(world.port(shop));
    client.send("POST /v1/orders HTTP/1.1\r\nHost: x\r\nIdempotency-Key: r" + std::to_string(i) + "\r\n" +
                length_of_order + "\r\n" + order);
    if (i % 2 == 0) comes_true([&] { return world.commands_waiting() > static_cast<std::size_t>(i) / 2; });
    client.reset();
  }
  world.let_lane_go();
  EXPECT_TRUE(comes_true([&] { return world.connections(shop) == 0; }));
  EXPECT_TRUE(still_answers(world));
}

TEST(Server, FinishesWhatIsInProgressWhenItStops) {
  World world;
  Client idle(world.port(shop));
  idle.send(get("/healthz"));
  EXPECT_EQ(idle.read()->status, 200U);
  world.hold_lane();
  Client asking(world.port(shop));
  asking.send(post_of(length_of_order, order) + get("/healthz"));
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  world.stop_servers();
  EXPECT_TRUE(idle.is_closed());
  world.let_lane_go();
  const auto reply = asking.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 404U);
  EXPECT_EQ(reply->headers.at("connection"), "close");
  EXPECT_TRUE(asking.is_closed());
  EXPECT_TRUE(comes_true([&] { return world.connections(shop) == 0; }));
}

// As when the program gives up draining: sessions in every phase are still there.
TEST(Server, MayEndInTheMiddle) {
  std::vector<std::unique_ptr<Client>> clients;
  {
    WorldLimits limits;
    limits.ends_at_once = true;
    World world(limits);
    world.hold_lane();
    for (const std::string& bytes :
         {std::string(), std::string("GET /hea"), post_of("Content-Length: 9\r\n", "{"),
          post_of(length_of_order, order)}) {
      clients.push_back(std::make_unique<Client>(world.port(shop)));
      clients.back()->send(bytes);
    }
    ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
    EXPECT_EQ(world.connections(shop), 4U);
  }
  for (const auto& client : clients) EXPECT_TRUE(client->is_closed());
}

TEST(Server, SaysWhyItCannotListen) {
  const World world;
  EXPECT_EQ(World::listen_error("nowhere", 0), "cannot listen on nowhere port 0: Invalid argument");
  EXPECT_EQ(
      World::listen_error("127.0.0.1", world.port(shop)),
      "cannot listen on 127.0.0.1 port " + std::to_string(world.port(shop)) + ": Address already in use");
}

}  // namespace
}  // namespace gavel::http
