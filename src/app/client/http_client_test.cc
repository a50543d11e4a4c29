// One client against a server that behaves well, late, or not at all. TLS is shown by
// tests/e2e/administration_test.py, with certificates that are made there.
#include "app/client/http_client.h"

#include <future>
#include <string>

#include <gtest/gtest.h>

#include "app/client/scripted_server_test.h"

namespace gavel::app {
namespace {

constexpr Duration within{5'000};
const HttpRequest get{.method = "GET", .target = "/healthz"};
const HttpRequest post{
    .method = "POST", .target = "/v1/stock", .body = R"({"n":1})", .key = "k1", .bearer = "secret"};

using Session = ScriptedServer::Session;

HttpClient client_of(const std::string& url) {
  auto client = HttpClient::create(url);
  EXPECT_TRUE(client) << client.error().message;
  return *std::move(client);
}

std::string asked(HttpClient& client, const HttpRequest& request, Duration limit = within) {
  const auto response = client.ask(request, limit);
  if (response) return std::to_string(response->status) + " " + response->body;
  return std::to_string(static_cast<int>(response.error().code)) + ": " + response.error().message;
}

std::string coded(ErrorCode code, const std::string& message) {
  return std::to_string(static_cast<int>(code)) + ": " + message;
}

void echo(Session& session) {
  for (std::string request = session.read(); !request.empty(); request = session.read()) {
    session.send(http_response(200, request));
  }
}

TEST(HttpClient, SendsRequestsOverOneConnection) {
  ScriptedServer server(echo);
  const std::string host = server.url().substr(7);
  HttpClient client = client_of(server.url());
  EXPECT_EQ(asked(client, get), "200 GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  EXPECT_EQ(asked(client, post),
            "200 POST /v1/stock HTTP/1.1\r\nHost: " + host +
                "\r\nAuthorization: Bearer secret\r\nIdempotency-Key: k1\r\nContent-Type: "
                "application/json\r\nContent-Length: 7\r\n\r\n{\"n\":1}");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, TakesNames) {
  ScriptedServer server(echo);
  HttpClient client = client_of(server.url("localhost"));
  EXPECT_TRUE(asked(client, get).starts_with("200 GET /healthz HTTP/1.1\r\nHost: localhost:"));
  HttpClient nowhere = client_of("http://no-such-host.invalid:80");
  EXPECT_TRUE(
      asked(nowhere, get)
          .starts_with(coded(ErrorCode::unavailable, "the host no-such-host.invalid is not known: ")));
}

// More than one read brings, so that the bytes come in several pieces, there and back.
TEST(HttpClient, TakesLargeBodies) {
  ScriptedServer server(echo);
  HttpClient client = client_of(server.url());
  HttpRequest large = post;
  large.body = std::string(3'000'000, 'x');
  const auto response = client.ask(large, within);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_TRUE(response->body.ends_with("\r\n\r\n" + large.body));
}

TEST(HttpClient, TakesBodiesInChunksAndToTheEndOfTheConnection) {
  ScriptedServer server([](Session& session) {
    session.read();
    session.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    session.read();
    session.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end");
  });
  HttpClient client = client_of(server.url());
  EXPECT_EQ(asked(client, get), "200 abcde");
  EXPECT_EQ(asked(client, get), "200 until the end");
}

TEST(HttpClient, ConnectsAgainWhereTheServerClosed) {
  ScriptedServer server([](Session& session) {
    session.read();
    session.send(http_response(200, std::to_string(session.number())));
    // A farewell that must not be taken for the answer to the next request.
    if (session.number() == 2) session.send(http_response(408, "idle for too long"));
    if (session.number() == 3) session.send("");
  });
  HttpClient client = client_of(server.url());
  EXPECT_EQ(asked(client, get), "200 1");
  server.wait_until_closed(1);
  EXPECT_EQ(asked(client, get), "200 2");
  server.wait_until_closed(2);
  EXPECT_EQ(asked(client, get), "200 3");
}

TEST(HttpClient, ClosesWhereTheServerSaysSo) {
  ScriptedServer server([](Session& session) {
    while (!session.read().empty()) {
      session.send(http_response(200, std::to_string(session.number()), "Connection: close\r\n"));
    }
  });
  HttpClient client = client_of(server.url());
  EXPECT_EQ(asked(client, get), "200 1");
  EXPECT_EQ(asked(client, get), "200 2");
}

TEST(HttpClient, UnknownIsNotFailed_A13) {
  std::promise<void> release;
  auto released = release.get_future().share();
  ScriptedServer server([released](Session& session) {
    session.read();
    if (session.number() == 1) return;
    if (session.number() == 2) {
      released.wait();
      session.send(http_response(200, "too late"));
      session.read();
    }
    session.send(http_response(200, "in time"));
  });
  HttpClient client = client_of(server.url());
  EXPECT_EQ(asked(client, post),
            coded(ErrorCode::unknown, "the connection was lost before the response: the server closed it"));
  EXPECT_EQ(asked(client, post, Duration(200)), coded(ErrorCode::unknown, "no response within 200 ms"));
  release.set_value();
  EXPECT_EQ(asked(client, post), "200 in time") << "the late response is not that to this request";
}

TEST(HttpClient, NobodyThereIsUnavailable) {
  std::string url;
  {
    ScriptedServer server(echo);
    url = server.url();
  }
  HttpClient client = client_of(url);
  EXPECT_EQ(asked(client, post),
            coded(ErrorCode::unavailable, "nobody answers at " + url + ": Connection refused"));
  EXPECT_FALSE(client.connect(within));
}

TEST(HttpClient, WhatIsNotHttpIsInvalid) {
  ScriptedServer server([](Session& session) { session.send("SSH-2.0-OpenSSH\r\n\r\n"); });
  HttpClient client = client_of(server.url());
  EXPECT_TRUE(asked(client, get).starts_with(coded(ErrorCode::invalid, "the response is not HTTP/1.1 (")));
}

TEST(HttpClient, AddressesAndCertificatesAreCheckedFirst) {
  EXPECT_EQ(HttpClient::create("127.0.0.1:80").error().code, ErrorCode::invalid);
  const auto client = HttpClient::create("https://127.0.0.1", "/nonexistent.pem");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().message,
            "the certificates in /nonexistent.pem cannot be read: No such file or directory");
}

}  // namespace
}  // namespace gavel::app
