// What the person who typed a command is told, and how the command ends. That lost responses are asked for
// again is shown by tests/e2e/administration_test.py, against a server that loses them.
#include "app/cli/call_report.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

const ServerAddress server{.url = "http://127.0.0.1:8081", .key = "s", .key_file = "gavel.key"};
const HttpRequest write{.method = "POST", .target = "/v1/stock/tee/receive", .key = "k1"};
const HttpRequest read{.method = "GET", .target = "/v1/stock?sku=tee"};

std::string reported(const Result<HttpResponse>& response, const HttpRequest& request) {
  const CallReport report = call_report(response, request, server);
  return std::to_string(static_cast<int>(report.exit)) + (report.line.empty() ? "" : " " + report.line);
}

std::string reported(unsigned status, const std::string& body, const HttpRequest& request = write) {
  return reported(HttpResponse{.status = status, .headers = {}, .body = body}, request);
}

std::string problem(const std::string& code, const std::string& more) {
  return R"({"type":"/docs/outcomes/x","title":"X","status":1,"detail":"Sold out: no units left.","code":")" +
         code + R"(","final":true,"recorded":true,)" + more + "}";
}

TEST(CallReport, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(reported(201, "{}"), "0");
  EXPECT_EQ(
      reported(409, problem("sold_out", R"("retry":"new_key","sku":"tee","available":2)")),
      "1 sold_out: Sold out: no units left (sku tee, available 2); to try again later, rerun without --key");
  EXPECT_EQ(reported(409, problem("sold_out", R"("retry":"later","retry_after":7,"sku":"tee")")),
            "1 sold_out: Sold out: no units left (sku tee); to try again, wait 7 s and rerun with --key k1");
  EXPECT_EQ(reported(409, problem("already_confirmed", R"("retry":"never")")),
            "1 already_confirmed: Sold out: no units left");
  EXPECT_EQ(reported(404, problem("unknown_sku", R"("retry":"never","sku":"tee")"), read),
            "1 unknown_sku: Sold out: no units left (sku tee)");
  EXPECT_EQ(reported(422, problem("key_reused", R"("retry":"new_key")")),
            "1 key_reused: Sold out: no units left; use another --key, or repeat the first command of this "
            "key unchanged");
  EXPECT_EQ(reported(409, problem("version_conflict", R"("retry":"new_key","version":3)")),
            "1 version_conflict: Sold out: no units left (version 3); run gavel stock show again "
            "and pass the version it shows with --version");
  EXPECT_EQ(
      reported(404, problem("malformed", R"("retry":"new_key")"), read),
      "2 malformed: Sold out: no units left at http://127.0.0.1:8081; is this the shop's address? --server "
      "must be the operators' address");
  EXPECT_EQ(reported(400, problem("malformed", R"("retry":"new_key")")),
            "2 malformed: Sold out: no units left");
  EXPECT_EQ(
      reported(401, problem("unauthenticated", R"("retry":"new_key")")),
      "2 the server at http://127.0.0.1:8081 does not accept the key in gavel.key; give its key file with "
      "--admin.key_file");
  EXPECT_EQ(reported(503, problem("overloaded", R"("retry":"same_key","retry_after":2)")),
            "3 overloaded: Sold out: no units left; to try again, rerun with --key k1");
  EXPECT_EQ(
      reported(504, problem("outcome_unknown", R"("retry":"same_key")")),
      "3 outcome_unknown: Sold out: no units left; the request may have been applied; rerun with --key k1 "
      "(safe: same key, same effect)");
  EXPECT_EQ(reported(502, "<html>"),
            "3 http://127.0.0.1:8081 answered with status 502 and not in Gavel's format; is it the "
            "operators' address?");
}

// What strangers chose is not executed by the terminal, and a key is one word of the shell's.
TEST(CallReport, NamesAndKeysAreShownSafely_E27) {
  const HttpRequest odd{.method = "POST", .target = "/v1/stock/x/receive", .key = "k;$(x)'1"};
  EXPECT_EQ(reported(409, problem("sold_out", R"("retry":"same_key","sku":"t\u202e\u001b[2J/é")"), odd),
            "1 sold_out: Sold out: no units left (sku t\\u202e\\u001b[2J/é); to try again, rerun with --key "
            "'k;$(x)'\\''1'");
  EXPECT_EQ(
      reported(fail(ErrorCode::unknown, "the connection was lost"), odd),
      "3 the connection was lost; the request may have been applied; rerun with --key 'k;$(x)'\\''1' (safe: "
      "same key, same effect)");
}

TEST(CallReport, UnknownIsNotFailed_A13) {
  EXPECT_EQ(reported(fail(ErrorCode::unknown, "the connection was lost"), write),
            "3 the connection was lost; the request may have been applied; rerun with --key k1 (safe: same "
            "key, same effect)");
  EXPECT_EQ(reported(fail(ErrorCode::unknown, "the connection was lost"), read), "3 the connection was lost");
  EXPECT_EQ(reported(fail(ErrorCode::unavailable, "nobody answers"), write),
            "3 nobody answers; start gavel serve, or give the operators' address with --server");
  EXPECT_EQ(reported(fail(ErrorCode::invalid, "x is not an address"), write), "2 x is not an address");
}

}  // namespace
}  // namespace gavel::app
