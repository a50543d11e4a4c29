#include "app/client/retry.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(Retry, ReadsWhatAResponseAsksOfItsClient) {
  struct Row {
    unsigned status;
    const char* code;
    const char* retry_after;  // nullptr: none.
    ReplyClass reply;
    std::chrono::milliseconds pause;
  };
  const std::vector<Row> rows{
      {201, "reserved", nullptr, ReplyClass::final, std::chrono::milliseconds(100)},
      {409, "sold_out", nullptr, ReplyClass::final, std::chrono::milliseconds(100)},
      {409, "sold_out", "6", ReplyClass::final, std::chrono::milliseconds(100)},
      {409, "key_in_flight", nullptr, ReplyClass::busy, std::chrono::milliseconds(100)},
      {503, "overloaded", "3", ReplyClass::busy, std::chrono::milliseconds(3000)},
      {503, "overloaded", nullptr, ReplyClass::busy, std::chrono::milliseconds(1000)},
      {503, "overloaded", "soon", ReplyClass::busy, std::chrono::milliseconds(1000)},
      {429, "throttled", "0", ReplyClass::busy, std::chrono::milliseconds(0)},
      {504, "outcome_unknown", "2", ReplyClass::unknown, std::chrono::milliseconds(100)},
  };
  for (const Row& row : rows) {
    HttpResponse response{
        .status = row.status, .headers = {}, .body = R"({"code":")" + std::string(row.code) + R"("})"};
    if (row.retry_after != nullptr) response.headers.emplace_back("Retry-After", row.retry_after);
    EXPECT_EQ(code_of(response), row.code);
    EXPECT_EQ(class_of(response, row.code), row.reply) << row.code;
    EXPECT_EQ(retry_pause(response), row.pause) << row.code;
  }
  EXPECT_EQ(code_of({.status = 502, .headers = {}, .body = "<html>"}), "502");
}

}  // namespace
}  // namespace gavel::app
