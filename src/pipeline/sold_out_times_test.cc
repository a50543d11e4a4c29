#include "pipeline/sold_out_times.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

namespace gavel::pipeline {
namespace {

using rules::ItemGeneration;
using rules::ItemId;
using rules::Quantity;

constexpr Duration at(std::int64_t seconds) { return std::chrono::seconds(seconds); }

// A batch that left so many available where it found so many, in two buckets.
rules::State left(std::int64_t item, std::int64_t generation, std::int64_t found, std::int64_t leaves) {
  rules::Item row;
  row.id = ItemId{item};
  row.generation = generation;
  row.loaded = {rules::Bucket{.available = Quantity{found}, .reserved = {}, .sold = {}}, rules::Bucket{}};
  row.buckets = row.loaded;
  row.buckets[0].available = Quantity{leaves};
  rules::State state;
  state.items.emplace(row.id, row);
  return state;
}

// "5 20 60": the waits that are told at these times, in seconds.
std::string waits(SoldOutTimes& times, const ItemGeneration& item,
                  std::initializer_list<std::int64_t> asked) {
  std::string text;
  for (const std::int64_t second : asked) {
    text += (text.empty() ? "" : " ") + std::to_string(times.retry_after(item, at(second)).count());
  }
  return text;
}

TEST(SoldOutTimes, GrowWithTheTimeSinceABatchEmptiedTheItem_E28) {
  SoldOutTimes times;
  times.note(left(1, 1, 3, 0), at(100));
  EXPECT_EQ(waits(times, {ItemId{1}, 1}, {100, 104, 106, 120, 159, 160, 161, 9'000}), "5 5 6 20 59 60 60 60");
  EXPECT_EQ(waits(times, {ItemId{2}, 1}, {160, 180}), "5 20") << "another item has its own time";
}

TEST(SoldOutTimes, BeginWithTheFirstRefusalWhereNobodySawIt_E28) {
  SoldOutTimes times;
  times.note(left(1, 1, 3, 1), at(50));  // It has one.
  times.note(left(1, 1, 0, 0), at(60));  // It had none.
  EXPECT_EQ(waits(times, {ItemId{1}, 1}, {100, 130}), "5 30");
  times.note(left(1, 1, 3, 0), at(140));
  EXPECT_EQ(waits(times, {ItemId{1}, 1}, {150}), "50") << "refusals of the same generation came before";
}

TEST(SoldOutTimes, BeginAnewWithEachGeneration_E28) {
  SoldOutTimes times;
  times.note(left(1, 1, 3, 0), at(0));
  EXPECT_EQ(waits(times, {ItemId{1}, 1}, {40}), "40");
  times.note(left(1, 2, 3, 0), at(50));
  EXPECT_EQ(waits(times, {ItemId{1}, 2}, {50, 70}), "5 20");
  EXPECT_EQ(waits(times, {ItemId{1}, 3}, {80, 90}), "5 10") << "of which it was told by a refusal alone";
  EXPECT_EQ(waits(times, {ItemId{1}, 2}, {100}), "5") << "a late word of an earlier one changes nothing";
  EXPECT_EQ(waits(times, {ItemId{1}, 3}, {100}), "20");
}

// However many items are sold out, what is remembered is bounded; whoever is asked for stays.
TEST(SoldOutTimes, RememberTheItemsThatAreAskedFor) {
  SoldOutTimes times(8);
  for (std::int64_t item = 1; item <= 1'000; ++item) {
    times.note(left(item, 1, 3, 0), at(item));
    EXPECT_LE(times.size(), 8U);
    EXPECT_EQ(times.retry_after({ItemId{1}, 1}, at(item)).count(), std::clamp<std::int64_t>(item - 1, 5, 60));
  }
  EXPECT_EQ(waits(times, {ItemId{2}, 1}, {1'000}), "5") << "forgotten";
}

}  // namespace
}  // namespace gavel::pipeline
