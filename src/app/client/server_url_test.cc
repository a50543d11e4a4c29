#include "app/client/server_url.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(ServerUrl, IsRead) {
  struct Row {
    const char* text;
    const char* host;
    int port;
    const char* whole;
  };
  const std::vector<Row> rows{
      {"http://127.0.0.1:8081", "127.0.0.1", 8081, "http://127.0.0.1:8081"},
      {"http://localhost", "localhost", 80, "http://localhost:80"},
      {"https://shop.example.com/", "shop.example.com", 443, "https://shop.example.com:443"},
      {"https://shop-1.example.com:8443", "shop-1.example.com", 8443, "https://shop-1.example.com:8443"},
      {"http://[::1]:8080", "::1", 8080, "http://[::1]:8080"},
      {"http://[fe80::1%eth0]", "fe80::1%eth0", 80, "http://[fe80::1%eth0]:80"},
  };
  for (const Row& row : rows) {
    const auto url = parse_server_url(row.text);
    ASSERT_TRUE(url) << row.text;
    EXPECT_EQ(url->host, row.host);
    EXPECT_EQ(url->port, row.port);
    EXPECT_EQ(url->text(), row.whole);
    EXPECT_EQ(url->scheme == ServerUrl::Scheme::https, std::string(row.text).starts_with("https"));
  }
}

TEST(ServerUrl, WhatIsNoAddress) {
  for (const std::string text : {"", "localhost", "localhost:8081", "ftp://localhost", "http://",
                                 "http://:80", "http://a:", "http://a:0", "http://a:65536", "http://a:x",
                                 "http://a b", "http://a/path", "http://u@a", "http://a?q", "http://[::1",
                                 "http://[]", "http://[1]", "http://::1:80", "http://a\r\nX: y"}) {
    const auto url = parse_server_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::invalid);
    EXPECT_EQ(url.error().message, text +
                                       " is not the address of a server; write it like "
                                       "http://127.0.0.1:8081 or https://shop.example.com");
  }
}

}  // namespace
}  // namespace gavel::app
