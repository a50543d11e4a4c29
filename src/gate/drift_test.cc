#include "gate/drift.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::gate {
namespace {

using rules::Quantity;

// An item of two buckets: 4 at seq 3, 2 at seq 1, generation 2.
rules::Item item_of(std::int64_t first = 4, std::int64_t second = 2) {
  rules::Item item;
  item.generation = 2;
  item.buckets = {rules::Bucket{{first}, {}, {}, 3}, rules::Bucket{{second}, {}, {}, 1}};
  return item;
}

Bucket shows(std::int64_t seq, std::int64_t available, std::int64_t open, std::int64_t shut) {
  return {.seq = seq, .available = {available}, .open = open, .shut = shut, .in_flight = {}, .holdings = {}};
}

TEST(Drift, EachDirection_A15) {
  struct Row {
    Drift drift{};
    std::optional<Bucket> shown;
    std::optional<Quantity> then;
    rules::Item item = item_of();
    rules::BucketNo bucket = 0;
  };
  const Row rows[] = {
      {Drift::none, shows(3, 4, 2, 1), Quantity{4}},
      {Drift::none, shows(2, 9, 2, 1), Quantity{9}},  // It lags.
      {Drift::none, shows(0, 0, 1, 1), Quantity{0}},  // It lags by a reopening.
      {Drift::none, shows(3, 0, 2, 2), Quantity{0}, item_of(0, 0)},
      {Drift::missing, std::nullopt, std::nullopt},
      {Drift::too_little, shows(3, 3, 2, 1), Quantity{4}},
      {Drift::too_much, shows(2, 10, 2, 1), Quantity{9}},
      {Drift::closed, shows(3, 4, 2, 2), Quantity{4}},
      {Drift::beyond, shows(4, 4, 2, 1), std::nullopt},
      {Drift::beyond, shows(3, 4, 3, 1), Quantity{4}},
      {Drift::beyond, shows(3, 4, 2, 3), Quantity{4}},
      {Drift::beyond, shows(2, 4, 2, 1), std::nullopt},  // The ledger has a gap there.
      {Drift::beyond, shows(0, 0, 1, 1), Quantity{0}, item_of(), 2},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(drift_of(row.shown, row.item, row.bucket, row.then), row.drift)
        << word(row.drift) << ": " << to_text(row.shown);
    EXPECT_EQ(needs_erasing(row.drift), row.drift == Drift::closed || row.drift == Drift::beyond);
  }
}

TEST(Drift, EqualIsNeitherDriftNorLag_B12) {
  EXPECT_TRUE(is_equal(shows(3, 4, 2, 1), item_of(), 0));
  EXPECT_TRUE(is_equal(shows(3, 0, 2, 2), item_of(0, 0), 0));
  for (const std::optional<Bucket>& other :
       {std::optional<Bucket>{}, std::optional(shows(2, 4, 2, 1)), std::optional(shows(3, 5, 2, 1)),
        std::optional(shows(3, 4, 1, 1)), std::optional(shows(3, 4, 2, 2)),
        std::optional(shows(3, 4, 3, 1))}) {
    EXPECT_FALSE(is_equal(other, item_of(), 0)) << to_text(other);
  }
}

}  // namespace
}  // namespace gavel::gate
