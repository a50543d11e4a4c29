#include "app/client/remote_audit.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

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
  for (
      const std::string body :
      {"", "{}", "[]", "null", R"({"items":"2"})",
       R"({"items":1,"flows":1,"orders":1,"batches":1,"findings_total":0,"findings":[1]})",
       R"({"items":1,"flows":1,"orders":1,"batches":1,"findings_total":0,"findings":[{"invariant":"a","what":"b"}]})"}) {
    const auto report = parse_audit(body);
    ASSERT_FALSE(report) << body;
    EXPECT_EQ(report.error().code, ErrorCode::invalid);
  }
}

}  // namespace
}  // namespace gavel::app
