#include "plain/history_file.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace gavel::plain {
namespace {

Result<HistoryFile> read(const std::string& text) {
  std::istringstream lines(text);
  return read_history(lines);
}

TEST(HistoryFile, AttemptsRepliesAndReadingsAreRead) {
  const auto file =
      read(R"({"terms": {"per_ms": 1000000, "at_epoch": -17, "release_within_ms": 2000, "at_rest": false}}
{"caller": "shop", "key": "k", "act": "reserve", "user": "ann", "lines": [["tee", 1], ["tee", 2]], "activity": "sale", "call": 5}
{"caller": "shop", "key": "k", "act": "reserve", "user": "ann", "lines": [["tee", 3]], "activity": "sale", "call": 6, "answered": 9, "outcome": "insufficient", "recorded": true, "replayed": true, "sku": "tee", "available": 2, "text": "409"}
{"caller": "shop", "key": "p", "act": "confirm", "meant_order": "o", "call": 7, "answered": 8, "outcome": "confirmed", "order": "o"}
{"reading": true, "call": 1, "answered": 2, "sku": "tee", "available": 3, "reserved": 0, "sold": 1}
)");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->terms.clock.of(2), 1999983);
  EXPECT_EQ(file->terms.release_within_ms, 2000);
  EXPECT_FALSE(file->terms.at_rest);
  const oracle::Asked& asked = file->history.asked().at({"shop", "k"});
  ASSERT_EQ(asked.attempts.size(), 2U);
  ASSERT_EQ(asked.requests.size(), 1U);
  EXPECT_EQ(asked.requests[0].lines, (std::vector<oracle::Line>{{"tee", 3}}));
  EXPECT_FALSE(asked.attempts[0].reply.has_value());
  EXPECT_EQ(asked.attempts[1].answered, 9);
  EXPECT_EQ(asked.attempts[1].reply->available, 2);
  EXPECT_TRUE(asked.attempts[1].reply->replayed);
  EXPECT_EQ(file->history.asked().at({"shop", "p"}).requests[0].order, "o");
  ASSERT_EQ(file->history.readings().size(), 1U);
  EXPECT_EQ(file->history.readings()[0].sold, 1);
}

TEST(HistoryFile, WhatIsWrongIsNamedWithItsLine) {
  const auto why = [](const std::string& text) {
    const auto file = read("{\"terms\": {}}\n" + text);
    return file ? std::string("nothing") : file.error().message;
  };
  EXPECT_EQ(why(R"({"caller": "s", "key": "k", "act": "cancel", "call": 1, "anwsered": 2})"),
            "line 2: no member is called anwsered");
  EXPECT_EQ(why(R"({"caller": "s", "key": "k", "call": 1})"), "line 2: an attempt needs caller, key and act");
  EXPECT_NE(why(R"({"caller": "s", "key": "k", "act": "cancel"})"), "nothing");
  EXPECT_NE(why(R"({"caller": "s", "key": "k", "act": "cancel", "call": "1"})"), "nothing");
  EXPECT_NE(why("{"), "nothing");
}

}  // namespace
}  // namespace gavel::plain
