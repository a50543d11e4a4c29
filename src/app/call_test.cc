// What the one who typed a command is told, and how the command ends. That lost answers are asked for again
// is shown by tests/e2e/cli_test.py, against a server that loses them.
#include "app/call.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

const ServerPlace place{.url = "http://127.0.0.1:8081", .key = "s", .key_file = "gavel.key"};
const HttpRequest write{.method = "POST", .target = "/v1/stock/tee/receive", .key = "k1"};
const HttpRequest read{.method = "GET", .target = "/v1/stock?sku=tee"};

std::string ended(const Result<HttpAnswer>& answer, const HttpRequest& request) {
  const CallEnd end = end_of_call(answer, request, place);
  return std::to_string(static_cast<int>(end.exit)) + (end.line.empty() ? "" : " " + end.line);
}

std::string ended(unsigned status, const std::string& body, const HttpRequest& request = write) {
  return ended(HttpAnswer{.status = status, .headers = {}, .body = body}, request);
}

std::string problem(const std::string& code, const std::string& more) {
  return R"({"type":"/docs/outcomes/x","title":"X","status":1,"detail":"Nothing is left.","code":")" + code +
         R"(","final":true,"recorded":true,)" + more + "}";
}

TEST(CallEnd, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(ended(201, "{}"), "0");
  EXPECT_EQ(ended(409, problem("sold_out", R"("retry":"new_key","sku":"tee","available":2)")),
            "1 sold_out: Sold out: no units left (sku tee, available 2); to try again later: the same "
            "command without "
            "--key");
  EXPECT_EQ(ended(409, problem("sold_out", R"("retry":"same_key")")),
            "1 sold_out: Sold out: no units left; to try again: the same command with --key k1");
  EXPECT_EQ(ended(409, problem("already_confirmed", R"("retry":"never")")),
            "1 already_confirmed: Sold out: no units left");
  EXPECT_EQ(ended(404, problem("unknown_sku", R"("retry":"never","sku":"tee")"), read),
            "1 unknown_sku: Sold out: no units left (sku tee)");
  EXPECT_EQ(
      ended(422, problem("key_reused", R"("retry":"new_key")")),
      "1 key_reused: Sold out: no units left; use another --key, or say with this one what was said first");
  EXPECT_EQ(ended(409, problem("version_conflict", R"("retry":"new_key","version":3)")),
            "1 version_conflict: Sold out: no units left (version 3); look again with gavel stock show, and "
            "use its "
            "version with --version");
  EXPECT_EQ(ended(404, problem("malformed", R"("retry":"new_key")"), read),
            "2 malformed: Sold out: no units left at http://127.0.0.1:8081; is it the shop's address? "
            "--server is to "
            "be the operators' address");
  EXPECT_EQ(ended(400, problem("malformed", R"("retry":"new_key")")), "2 malformed: Sold out: no units left");
  EXPECT_EQ(
      ended(401, problem("unauthenticated", R"("retry":"new_key")")),
      "2 the server at http://127.0.0.1:8081 does not take the key in gavel.key; name its key file with "
      "--admin.key_file");
  EXPECT_EQ(ended(503, problem("overloaded", R"("retry":"same_key")")),
            "3 overloaded: Sold out: no units left; to try again: the same command with --key k1");
  EXPECT_EQ(ended(504, problem("outcome_unknown", R"("retry":"same_key")")),
            "3 outcome_unknown: Sold out: no units left; perhaps it was done: run the same command again "
            "with --key k1, "
            "which does nothing twice");
  EXPECT_EQ(ended(502, "<html>"),
            "3 http://127.0.0.1:8081 answered 502 and no problem of gavel's; is it the operators' address?");
}

TEST(CallEnd, UnknownIsNotFailed_A13) {
  EXPECT_EQ(ended(fail(ErrorCode::unknown, "the connection was lost"), write),
            "3 the connection was lost; perhaps it was done: run the same command again with --key k1, which "
            "does nothing twice");
  EXPECT_EQ(ended(fail(ErrorCode::unknown, "the connection was lost"), read), "3 the connection was lost");
  EXPECT_EQ(ended(fail(ErrorCode::unavailable, "nobody answers"), write),
            "3 nobody answers; start gavel serve, or name the operators' address with --server");
  EXPECT_EQ(ended(fail(ErrorCode::invalid, "x is not an address"), write), "2 x is not an address");
}

}  // namespace
}  // namespace gavel::app
