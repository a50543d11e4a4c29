#include "judge/audit/sorted_records.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/temporary_folder_test.h"

namespace gavel::judge {
namespace {

using Records = std::vector<std::pair<std::string, std::string>>;

// Keys of up to `key_max` bytes, many of them twice, with every byte that there is.
Records random_records(std::size_t count, std::size_t key_max, std::size_t value_max) {
  Random random(count);
  const auto text = [&random](std::size_t size_max) {
    std::string bytes(random.below(size_max + 1), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    return bytes;
  };
  Records records;
  while (records.size() < count) {
    const bool again = !records.empty() && random.below(4) == 0;
    std::string key = again ? records[random.below(records.size())].first : text(key_max);
    records.emplace_back(std::move(key), text(value_max));
  }
  return records;
}

// That they need in memory.
std::size_t bytes_of(const Records& records) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : records) bytes += key.size() + value.size() + 8 + 16;
  return bytes;
}

Records sorted(SortedRecords& sorter, const Records& records) {
  for (const auto& [key, value] : records) EXPECT_TRUE(sorter.add(key, value));
  EXPECT_TRUE(sorter.sort());
  Records seen;
  while (!sorter.is_end()) {
    seen.emplace_back(sorter.key(), sorter.value());
    EXPECT_TRUE(sorter.next());
  }
  return seen;
}

TEST(SortedRecords, RecordsGoInTheOrderOfTheirKeysHoweverSmallTheRunsAre_G013) {
  const TemporaryFolder folder;
  for (const std::size_t count : {0U, 1U, 2U, 100U, 3'000U}) {
    const Records records = random_records(count, 12, 40);
    Records expected = records;
    std::ranges::sort(expected);
    for (const std::size_t run_bytes : {1UL, 500UL, 20'000UL, 10'000'000UL}) {
      SortedRecords on_disk({{folder.path()}, run_bytes});
      EXPECT_EQ(sorted(on_disk, records), expected) << count << " records, runs of " << run_bytes;
      const std::size_t bytes = bytes_of(records);
      EXPECT_EQ(on_disk.bytes_on_disk() > 0, count > 1 && bytes > run_bytes) << count << " " << run_bytes;
    }
    SortedRecords in_memory({{}, 1});
    EXPECT_EQ(sorted(in_memory, records), expected) << count;
    EXPECT_EQ(in_memory.bytes_on_disk(), 0);
  }
}

// A record may be larger than what a run is read by.
TEST(SortedRecords, ARecordMayBeLargerThanABuffer_G013) {
  const TemporaryFolder folder;
  const Records records = random_records(40, 20'000, 200'000);
  Records expected = records;
  std::ranges::sort(expected);
  SortedRecords on_disk({{folder.path()}, 100});
  EXPECT_EQ(sorted(on_disk, records), expected);
}

TEST(SortedRecords, WhatTheDiskRefusesIsSaid_G013) {
  SortedRecords on_disk({{"/nowhere"}, 10});
  EXPECT_TRUE(on_disk.add("one", "1"));
  const Result<void> added = on_disk.add("two", "2");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::unavailable);
  EXPECT_EQ(added.error().message,
            "the audit cannot make a scratch file in /nowhere: No such file or directory");
}

}  // namespace
}  // namespace gavel::judge
