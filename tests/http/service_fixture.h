// ServiceTest: a world with some stock, and answers as one line of text each: status, the headers that mean
// something, the whole body. For tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "rules/outcome.h"
#include "world.h"

namespace gavel::http {

// UUIDv7 keys of the world's first moment; orders made under them have them for their id.
inline std::string key7(int n) {
  const std::string digits = std::to_string(n);
  return "01a228e4-9a00-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

// The body without how long to wait, which is drawn at random, and which the header says, too.
inline std::string without_wait(const Reply& reply) {
  const bool says_when = reply.status == 503 || reply.status == 429 ||
                         reply.body.find(R"("retry":"later")") != std::string::npos;
  EXPECT_EQ(reply.headers.contains("retry-after"), says_when) << reply.body;
  if (!says_when) return reply.body;
  const std::string wait = R"(,"retry_after":)" + reply.headers.at("retry-after");
  const std::size_t at = reply.body.find(wait);
  EXPECT_NE(at, std::string::npos) << reply.body;
  return at == std::string::npos ? reply.body : std::string(reply.body).erase(at, wait.size());
}

inline std::string rendered(const Reply& reply) {
  std::string text = std::to_string(reply.status);
  for (const char* name : {"allow", "idempotency-replayed", "location", "www-authenticate"}) {
    const auto header = reply.headers.find(name);
    if (header != reply.headers.end()) text += std::string(" ") + name + ": " + header->second;
  }
  const bool is_problem = reply.headers.at("content-type") == "application/problem+json";
  EXPECT_EQ(is_problem, reply.status >= 400);
  EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
  return text + " " + without_wait(reply);
}

// A problem's body without what the table of outcomes says of it; problem_test.cc holds whole ones.
inline std::string problem_of(const std::string& code, unsigned status, const std::string& rest) {
  const rules::OutcomeTraits& traits = rules::traits(*rules::parse_outcome(code));
  std::string title = code;
  for (char& c : title) c = c == '_' ? ' ' : c;
  title[0] = static_cast<char>(std::toupper(title[0]));
  return R"({"type":"/docs/outcomes/)" + code + R"(","title":")" + title + R"(","status":)" +
         std::to_string(status) + R"(,"detail":")" + std::string(traits.meaning) + R"(","code":")" + code +
         "\"," + rest + "}";
}

inline std::string malformed_of(unsigned status, const std::string& detail) {
  const char* retry = status == 408 ? "same_key" : status == 404 || status == 405 ? "never" : "new_key";
  return std::to_string(status) + R"( {"type":"/docs/outcomes/malformed","title":"Malformed","status":)" +
         std::to_string(status) + R"(,"detail":")" + detail +
         R"(","code":"malformed","final":true,"recorded":false,"retry":")" + retry + "\"}";
}

inline constexpr const char* at = R"("at":"2026-11-29T20:00:00.000Z")";
inline constexpr const char* final_never = R"("final":true,"recorded":false,"retry":"never")";
inline constexpr const char* recorded_never = R"("final":true,"recorded":true,"retry":"never")";
inline constexpr const char* open_new = R"("final":false,"recorded":false,"retry":"new_key")";

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

inline std::string order_of(const std::string& user, const std::string& sku, int quantity,
                            const std::string& more = "") {
  return R"({"user":")" + user + R"(","lines":[{"sku":")" + sku + R"(","quantity":)" +
         std::to_string(quantity) + "}]" + more + "}";
}

}  // namespace gavel::http
