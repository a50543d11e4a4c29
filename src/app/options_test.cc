#include "app/options.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

using Flags = std::map<std::string, std::string>;

std::optional<std::string> no_variable(const std::string&) { return std::nullopt; }

Result<Options> options_with(const Flags& flags) {
  const auto settings = Settings::load(all_settings(), "", no_variable, flags);
  if (!settings) return std::unexpected(settings.error());
  return options_of(*settings);
}

TEST(Options, DefaultsAreThoseOfTheTable) {
  const auto options = options_with({});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->shop.address, "127.0.0.1");
  EXPECT_EQ(options->shop.port, 8080);
  EXPECT_EQ(options->operators.port, 8081);
  EXPECT_EQ(to_text(options->judge), "sqlite:gavel.db");
  EXPECT_EQ(options->batch_commands_max, 1000U);
  EXPECT_EQ(options->judge_within, Duration(2000));
  EXPECT_EQ(options->hold, std::chrono::seconds(900));
  EXPECT_EQ(options->extend, std::chrono::seconds(60));
  EXPECT_EQ(options->requests_kept, std::chrono::hours(168)) << "a week";
  EXPECT_EQ(options->log.level, Level::info);
  EXPECT_EQ(options->log_one_in, 1000U);
}

TEST(Options, EverySettingSaysWhatItMeans) {
  for (const Setting& setting : all_settings()) EXPECT_FALSE(setting.meaning.empty()) << setting.name;
}

struct Refused {
  Flags flags;
  std::string line;
};

TEST(Options, ContradictionsAreOneLineThatNamesThem) {
  const std::string loopback =
      ": a loopback address is required, such as 127.0.0.1 or ::1; from elsewhere use a tunnel";
  const std::vector<Refused> rows = {
      {{{"http.address", "localhost"}},
       "http.address = localhost: an IP address is required, such as 127.0.0.1 or 0.0.0.0"},
      {{{"admin.address", "0.0.0.0"}}, "admin.address = 0.0.0.0" + loopback},
      {{{"admin.address", "128.0.0.1"}}, "admin.address = 128.0.0.1" + loopback},
      {{{"admin.address", "::"}}, "admin.address = ::" + loopback},
      {{{"admin.address", "localhost"}}, "admin.address = localhost" + loopback},
      {{{"admin.address", ""}}, "admin.address = \"\"" + loopback},
      {{{"admin.port", "8080"}}, "http.port = 8080 and admin.port = 8080: the ports must differ"},
      {{{"judge.batch_commands_max", "101"}, {"judge.queue_commands_max", "100"}},
       "judge.batch_commands_max = 101: must be at most judge.queue_commands_max = 100, since a batch is "
       "taken from the queue"},
      {{{"admission.judge_within_ms", "10000"}},
       "admission.judge_within_ms = 10000: must be less than admission.answer_within_ms = 10000, else "
       "nothing "
       "is refused in time"},
      {{{"admin.key_file", ""}}, "admin.key_file = \"\": the path of a file is required"},
      {{{"log.level", "loud"}}, "log.level = loud: must be debug, info, warn or error"},
      {{{"gate.url", "redis:x"}}, "gate.url = redis:x: must be memory:"},
      {{{"judge.url", "mysql:x"}},
       "judge.url = mysql:x: must be sqlite:PATH, the path of a file, or memory: for trials"},
      {{{"judge.lanes", "2"}},
       "judge.lanes = 2: must be 1 with judge.url = sqlite:gavel.db, since SQLite has one connection that "
       "writes"},
  };
  for (const Refused& row : rows) {
    const auto options = options_with(row.flags);
    ASSERT_FALSE(options) << row.line;
    EXPECT_EQ(options.error().message, row.line);
    EXPECT_EQ(options.error().code, ErrorCode::invalid);
  }
}

TEST(Options, WhatLooksLikeAContradictionAndIsNone) {
  EXPECT_TRUE(options_with({{"http.port", "0"}, {"admin.port", "0"}}));
  EXPECT_TRUE(options_with({{"http.address", "0.0.0.0"}}));
  EXPECT_TRUE(options_with({{"http.address", "::"}}));
  EXPECT_TRUE(options_with({{"admin.address", "127.9.9.9"}}));
  EXPECT_TRUE(options_with({{"admin.address", "::1"}}));
  EXPECT_TRUE(options_with({{"judge.batch_commands_max", "100"}, {"judge.queue_commands_max", "100"}}));
  EXPECT_TRUE(options_with({{"admission.judge_within_ms", "9999"}}));
  EXPECT_TRUE(options_with({{"judge.url", "memory:"}, {"judge.lanes", "3"}}));
}

TEST(Options, BoundsAreTheTables) {
  EXPECT_TRUE(options_with({{"http.port", "65535"}}));
  EXPECT_FALSE(options_with({{"http.port", "65536"}}));
  EXPECT_TRUE(options_with({{"rules.hold_seconds", "86400"}}));
  EXPECT_FALSE(options_with({{"rules.hold_seconds", "86401"}}));
  EXPECT_FALSE(options_with({{"rules.hold_seconds", "0"}}));
  EXPECT_TRUE(options_with({{"rules.extend_seconds", "86400"}}));
  EXPECT_FALSE(options_with({{"rules.extend_seconds", "86401"}}));
  EXPECT_FALSE(options_with({{"rules.extend_seconds", "0"}}));
  EXPECT_TRUE(options_with({{"rules.requests_kept_hours", "48"}}));
  EXPECT_FALSE(options_with({{"rules.requests_kept_hours", "47"}})) << "A28";
}

TEST(JudgeUrl, RoundTrip) {
  for (const std::string text :
       {"sqlite:gavel.db", "sqlite:/var/lib/gavel/gavel.db", "sqlite:a:b", "memory:"}) {
    const auto url = parse_judge_url(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(to_text(*url), text);
  }
}

// What SQLite takes for something else than a file of that name would not be kept.
TEST(JudgeUrl, NothingElse) {
  for (const std::string text :
       {"", "sqlite", "sqlite:", "sqlite::memory:", "sqlite:file:x", "sqlite:x?mode=memory", "memory",
        "memory:x", "gavel.db", "SQLITE:gavel.db", "mysql://h/d"}) {
    EXPECT_FALSE(parse_judge_url(text)) << text;
  }
}

}  // namespace
}  // namespace gavel::app
