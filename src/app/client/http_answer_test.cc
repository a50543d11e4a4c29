#include "app/client/http_answer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/client/remote_audit.h"

namespace gavel::app {
namespace {

const std::string sample =
    "HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\nRETRY-AFTER:  2 \r\nContent-Length: "
    "7\r\n\r\n{\"a\":1}";

TEST(AnswerReader, WholeAtOnce) {
  AnswerReader reader;
  const auto answer = reader.feed(sample);
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status, 409U);
  EXPECT_EQ((*answer)->body, "{\"a\":1}");
  EXPECT_EQ(*(*answer)->header("retry-after"), "2");
  EXPECT_EQ((*answer)->header("location"), nullptr);
  EXPECT_FALSE(reader.in_between());
}

// Wherever the network cuts, the answer is the same, and the next one is not disturbed.
TEST(AnswerReader, CutAnywhere) {
  AnswerReader reader;
  for (std::size_t cut = 1; cut < sample.size(); ++cut) {
    const auto nothing = reader.feed(sample.substr(0, cut));
    ASSERT_TRUE(nothing) << cut;
    ASSERT_FALSE(*nothing) << cut;
    EXPECT_TRUE(reader.in_between());
    const auto answer = reader.feed(sample.substr(cut));
    ASSERT_TRUE(answer && *answer) << cut;
    EXPECT_EQ((*answer)->body, "{\"a\":1}");
  }
}

TEST(AnswerReader, EmptyBody) {
  AnswerReader reader;
  const auto answer = reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->body, "");
}

TEST(AnswerReader, WhatIsNoAnswer) {
  for (const std::string text : {
           "SSH-2.0-OpenSSH\r\n\r\n",
           "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
           "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",
           "HTTP/1.1\r\n\r\n",
           "\r\n\r\n",
           "HTTP/1.1 200 OK\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
           "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
       }) {
    AnswerReader reader;
    EXPECT_FALSE(reader.feed(text)) << text;
  }
}

TEST(RemoteAudit, Report) {
  const auto report =
      parse_audit(R"({"clean":false,"items":2,"flows":103,"orders":5,"batches":4,"findings_total":7,)"
                  R"("findings":[{"invariant":"chain","what":"bucket 1/0: a gap"}]})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->items, 2);
  EXPECT_EQ(report->flows, 103);
  EXPECT_EQ(report->orders, 5);
  EXPECT_EQ(report->batches, 4);
  EXPECT_EQ(report->findings_total, 7);
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings[0].what, "bucket 1/0: a gap");
  EXPECT_FALSE(report->clean());
}

TEST(RemoteAudit, WhatIsNoReport) {
  for (const std::string body :
       {"", "{}", "[]", "null", R"({"items":"2"})",
        R"({"items":1,"flows":1,"orders":1,"batches":1,"findings_total":0,"findings":[1]})"}) {
    const auto report = parse_audit(body);
    ASSERT_FALSE(report) << body;
    EXPECT_EQ(report.error().code, ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace gavel::app
