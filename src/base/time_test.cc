#include "base/time.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel {
namespace {

Time at(std::int64_t milliseconds) { return Time(Duration(milliseconds)); }

// What a text is read as, written again; "refused" when it is not taken.
std::string reread(std::string_view text) {
  const auto time = parse_time(text);
  return time ? to_text(*time) : "refused";
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

TEST(TimeTest, TextOfMilliseconds) {
  const std::pair<std::int64_t, std::string_view> rows[] = {
      {0, "1970-01-01T00:00:00.000Z"},
      {1, "1970-01-01T00:00:00.001Z"},
      {951'782'399'999, "2000-02-28T23:59:59.999Z"},
      {951'782'400'000, "2000-02-29T00:00:00.000Z"},
      {1'645'557'742'000, "2022-02-22T19:22:22.000Z"},
      {4'107'542'400'000, "2100-03-01T00:00:00.000Z"},
      {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
      {-1, "1970-01-01T00:00:00.000Z"},
      {253'402'300'800'000, "9999-12-31T23:59:59.999Z"},
      {INT64_MAX, "9999-12-31T23:59:59.999Z"},
      {INT64_MIN, "1970-01-01T00:00:00.000Z"},
  };
  for (const auto& [milliseconds, expected] : rows) EXPECT_EQ(to_text(at(milliseconds)), expected);
}

TEST(TimeTest, ReadsWhatRfc3339Allows) {
  const Row rows[] = {
      {"2026-11-29T20:48:46.123Z", "2026-11-29T20:48:46.123Z"},
      {"2026-11-29t20:48:46z", "2026-11-29T20:48:46.000Z"},
      {"2026-11-29T20:48:46.1Z", "2026-11-29T20:48:46.100Z"},
      {"2026-11-29T20:48:46.12Z", "2026-11-29T20:48:46.120Z"},
      {"2026-11-29T20:48:46.123999999Z", "2026-11-29T20:48:46.123Z"},
      {"2026-11-29T20:48:46.000000001Z", "2026-11-29T20:48:46.000Z"},
      {"2026-11-30T04:48:46.123+08:00", "2026-11-29T20:48:46.123Z"},
      {"2026-11-29T17:18:46.123-03:30", "2026-11-29T20:48:46.123Z"},
      {"2026-11-29T20:48:46.123-00:00", "2026-11-29T20:48:46.123Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"},
      {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"},
      {"2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00.000Z"},
      {"2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000Z"},
      {"1969-12-31T23:00:00-01:00", "1970-01-01T00:00:00.000Z"},
      {"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
  };
  for (const Row& row : rows) EXPECT_EQ(reread(row.text), row.expected) << row.text;
}

TEST(TimeTest, RefusesEverythingElse) {
  const std::string_view texts[] = {
      "",
      "2026-11-29",
      "2026-11-29T20:48Z",
      "2026-11-29T20:48:46",
      "2026-11-29 20:48:46Z",
      "2026-11-29T20:48:46.Z",
      "2026-11-29T20:48:46,5Z",
      "2026-11-29T20:48:46.1234567890Z",
      "2026-11-29T20:48:46Z ",
      " 2026-11-29T20:48:46Z",
      "2026-11-29T20:48:46ZZ",
      "2026-11-29T20:48:46+0800",
      "2026-11-29T20:48:46+08",
      "2026-11-29T20:48:46+24:00",
      "2026-11-29T20:48:46+08:60",
      "2026-11-29T24:00:00Z",
      "2026-11-29T20:60:00Z",
      "2026-12-31T23:59:60Z",  // A leap second.
      "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z",
      "2026-01-00T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z",
      "1969-12-31T23:59:59.999Z",
      "1970-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "0000-01-01T00:00:00Z",
      "+2026-11-29T20:48:46Z",
      "-026-11-29T20:48:46Z",
      "2O26-11-29T20:48:46Z",
      "1764449326123",
  };
  for (const std::string_view text : texts) EXPECT_EQ(reread(text), "refused") << text;
  EXPECT_EQ(reread(std::string_view("2026-11-29T20:48:46Z\0", 21)), "refused");
}

TEST(TimeTest, EveryTimeSurvivesItsText) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Time time = at(static_cast<std::int64_t>(random.below(253'402'300'800'000)));
    ASSERT_EQ(parse_time(to_text(time)), time) << to_text(time);
  }
}

}  // namespace
}  // namespace gavel
