#include "app/client/response_parser.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

const std::string sample =
    "HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\nRETRY-AFTER:  2 \r\nContent-Length: "
    "7\r\n\r\n{\"a\":1}";

// Whether a response is whole then; whatever follows it is left in `bytes`.
bool feed(ResponseParser& parser, std::string_view& bytes) {
  const auto whole = parser.feed(bytes);
  EXPECT_TRUE(whole) << whole.error().message;
  return whole && *whole;
}

bool feed(ResponseParser& parser, const std::string& text) {
  std::string_view bytes = text;
  const bool whole = feed(parser, bytes);
  EXPECT_EQ(bytes, "");
  return whole;
}

TEST(ResponseParser, WholeAtOnce) {
  ResponseParser parser;
  ASSERT_TRUE(feed(parser, sample));
  const HttpResponse& response = parser.response();
  EXPECT_EQ(response.status, 409U);
  EXPECT_EQ(response.body, "{\"a\":1}");
  EXPECT_EQ(*response.header("retry-after"), "2");
  EXPECT_EQ(*response.header("CONTENT-LENGTH"), "7");
  EXPECT_EQ(response.header("location"), nullptr);
  EXPECT_FALSE(parser.in_between());
  EXPECT_TRUE(parser.keeps_alive());
}

// Wherever the network cuts, the response is the same, and the next one is not disturbed.
TEST(ResponseParser, CutAnywhere) {
  ResponseParser parser;
  for (std::size_t cut = 1; cut < sample.size(); ++cut) {
    EXPECT_FALSE(feed(parser, sample.substr(0, cut))) << cut;
    EXPECT_TRUE(parser.in_between());
    ASSERT_TRUE(feed(parser, sample.substr(cut))) << cut;
    EXPECT_EQ(parser.response().body, "{\"a\":1}");
    EXPECT_EQ(parser.response().headers.size(), 3U);
  }
  for (const char byte : sample.substr(0, sample.size() - 1))
    EXPECT_FALSE(feed(parser, std::string(1, byte)));
  EXPECT_TRUE(feed(parser, sample.substr(sample.size() - 1)));
}

TEST(ResponseParser, LeavesWhatFollows) {
  const std::string other = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  for (const std::size_t cut : {std::size_t{0}, std::size_t{30}, sample.size() - 3}) {
    ResponseParser parser;
    EXPECT_FALSE(feed(parser, sample.substr(0, cut)));
    const std::string rest = sample.substr(cut) + other;
    std::string_view bytes = rest;
    ASSERT_TRUE(feed(parser, bytes));
    EXPECT_EQ(bytes, other);
    ASSERT_TRUE(feed(parser, bytes));
    EXPECT_EQ(parser.response().status, 200U);
    EXPECT_EQ(parser.response().body, "");
    EXPECT_EQ(parser.response().headers.size(), 2U);
    EXPECT_FALSE(parser.keeps_alive());
  }
}

TEST(ResponseParser, ABodyMayEndWithTheConnection) {
  ResponseParser parser;
  EXPECT_FALSE(*parser.finish()) << "nothing had begun";
  EXPECT_FALSE(feed(parser, "HTTP/1.1 200 OK\r\n\r\nall"));
  EXPECT_TRUE(*parser.finish());
  EXPECT_EQ(parser.response().body, "all");
  EXPECT_FALSE(parser.keeps_alive());
  for (const std::string& part : {sample.substr(0, 20), sample.substr(0, sample.size() - 1)}) {
    ResponseParser broken;
    EXPECT_FALSE(feed(broken, part));
    EXPECT_EQ(broken.finish().error().code, ErrorCode::unknown);
  }
}

TEST(ResponseParser, HasNoBodyAfterHead) {
  ResponseParser parser;
  parser.expect_no_body();
  EXPECT_TRUE(feed(parser, sample.substr(0, sample.size() - 7)));
  EXPECT_EQ(parser.response().body, "");
  EXPECT_TRUE(feed(parser, sample));
  EXPECT_EQ(parser.response().body, "{\"a\":1}");
}

TEST(ResponseParser, WhatIsNoResponse) {
  for (const std::string& text : {
           std::string("SSH-2.0-OpenSSH\r\n\r\n"),
           std::string("HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
           std::string("HTTP/1.1\r\n\r\n"),
           std::string("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
           std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
           std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx"),
           std::string("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n"),
           "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n",
       }) {
    ResponseParser parser;
    std::string_view bytes = text;
    const auto whole = parser.feed(bytes);
    ASSERT_FALSE(whole) << text.substr(0, 80);
    EXPECT_EQ(whole.error().code, ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace gavel::app
