#include "base/uuid.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel {
namespace {

// RFC 9562, appendix A.6.
constexpr std::string_view rfc_example = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";
constexpr Time rfc_time{Duration(1'645'557'742'000)};

std::string reread_uuid(std::string_view text) {
  const auto uuid = parse_uuid(text);
  return uuid ? to_text(*uuid) : "refused";
}

TEST(UuidTest, TheExampleOfTheRfc) {
  const Uuid uuid = parse_uuid(rfc_example).value();
  EXPECT_TRUE(is_version_7(uuid));
  EXPECT_EQ(time_of(uuid), rfc_time);
  EXPECT_EQ(to_text(uuid), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(UuidTest, TakesThe36CharacterFormInEitherCaseAndNothingElse) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
      {"017F22e2-79b0-7cC3-98c4-dc0c0c07398F", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
      {"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"},
      {"ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff"},
      {"", "refused"},
      {"017f22e279b07cc398c4dc0c0c07398f", "refused"},
      {"{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", "refused"},
      {"017f22e2-79b0-7cc3-98c4-dc0c0c07398", "refused"},
      {"017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "refused"},
      {"017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "refused"},
      {"g17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "refused"},
      {"017f22e2-79b0-7cc3-98c4_dc0c0c07398f", "refused"},
      {"017f22e27-9b0-7cc3-98c4-dc0c0c07398f", "refused"},
      {"017f22e2-79b0-7cc3-98c4-dc0c0c0739 f", "refused"},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(reread_uuid(text), expected) << text;
}

TEST(UuidTest, VersionAndVariantAreBothAsked) {
  const std::pair<std::string_view, bool> rows[] = {
      {"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true},  {"017f22e2-79b0-7cc3-b8c4-dc0c0c07398f", true},
      {"017f22e2-79b0-7cc3-78c4-dc0c0c07398f", false}, {"017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", false},
      {"017f22e2-79b0-4cc3-98c4-dc0c0c07398f", false}, {"017f22e2-79b0-8cc3-98c4-dc0c0c07398f", false},
      {"00000000-0000-0000-0000-000000000000", false}, {"ffffffff-ffff-ffff-ffff-ffffffffffff", false},
  };
  for (const auto& [text, expected] : rows)
    EXPECT_EQ(is_version_7(parse_uuid(text).value()), expected) << text;
}

TEST(UuidTest, MadeIdsCarryTheirTimeAndAreRepeatedByTheSeed) {
  Random random(7);
  Random again(7);
  const Time last{Duration((std::int64_t{1} << 48) - 1)};
  for (const Time time : {Time(), rfc_time, last}) {
    const Uuid uuid = make_uuid7(time, random);
    EXPECT_TRUE(is_version_7(uuid)) << to_text(uuid);
    EXPECT_EQ(time_of(uuid), time);
    EXPECT_EQ(uuid, make_uuid7(time, again));
  }
}

TEST(UuidTest, LaterIdsSortLaterAsBytesAndAsText) {
  Random random(11);
  std::vector<Uuid> uuids;
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) {
    // Steps that carry into every byte of the time.
    uuids.push_back(make_uuid7(rfc_time + Duration(std::int64_t{1} << (i % 40)), random));
  }
  std::ranges::sort(uuids, {}, time_of);
  for (std::size_t i = 1; i < uuids.size(); ++i) {
    if (time_of(uuids[i - 1]) == time_of(uuids[i])) continue;
    ASSERT_LT(uuids[i - 1], uuids[i]);
    ASSERT_LT(to_text(uuids[i - 1]), to_text(uuids[i]));
  }
}

TEST(UuidTest, ManyIdsOfOneMillisecondDiffer) {
  Random random(13);
  std::vector<Uuid> uuids;
  for (int i = 0; i < 10'000; ++i) uuids.push_back(make_uuid7(rfc_time, random));
  // All 74 free bits vary: none is the same in all ids.
  Uuid ones;
  Uuid zeros;
  for (const Uuid& uuid : uuids) {
    for (std::size_t i = 0; i < 16; ++i) {
      ones.bytes[i] = static_cast<std::uint8_t>(ones.bytes[i] | uuid.bytes[i]);
      zeros.bytes[i] = static_cast<std::uint8_t>(zeros.bytes[i] | static_cast<std::uint8_t>(~uuid.bytes[i]));
    }
  }
  EXPECT_EQ(to_text(ones), "017f22e2-79b0-7fff-bfff-ffffffffffff");
  EXPECT_EQ(to_text(zeros), "fe80dd1d-864f-8fff-7fff-ffffffffffff");
  std::ranges::sort(uuids);
  EXPECT_EQ(std::ranges::adjacent_find(uuids), uuids.end());
}

TEST(UuidDeathTest, RefusesATimeBefore1970) {
  Random random(17);
  EXPECT_DEATH(make_uuid7(Time(Duration(-1)), random), "CHECK failed");
}

}  // namespace
}  // namespace gavel
