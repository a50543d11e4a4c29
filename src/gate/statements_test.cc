#include "gate/statements.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::gate {
namespace {

using rules::Item;

struct Row {
  std::string kind;
  std::vector<rules::Bucket> loaded;
  std::vector<rules::Bucket> buckets;
  std::int64_t generation;
  std::set<rules::BucketNo> asked;
  std::string owed;
};

rules::Bucket row(std::int64_t available, std::int64_t seq) { return {{available}, {}, {}, seq}; }

std::string text_of(const std::vector<PendingStatement>& all) {
  std::string text;
  for (const PendingStatement& owed : all) {
    if (!text.empty()) text += " ";
    text += std::to_string(owed.bucket) + ":" + std::to_string(owed.statement.position->seq) + "/" +
            std::to_string(owed.statement.position->available.units) + "@" +
            std::to_string(owed.statement.open) + "/" + std::to_string(owed.statement.shut);
  }
  return text;
}

Item item_of(const Row& row) {
  Item item;
  item.id = rules::ItemId{7};
  item.generation = row.generation;
  item.loaded = row.loaded;
  item.buckets = row.buckets;
  return item;
}

TEST(Statements, WhatACommitOwes) {
  const std::vector<Row> rows{
      {"a sale", {row(3, 1), row(2, 4)}, {row(2, 2), row(2, 4)}, 1, {}, "0:2/2@1/0"},
      {"a refusal", {row(3, 1), row(2, 4)}, {row(3, 1), row(2, 4)}, 1, {}, ""},
      {"a token came from 1", {row(3, 1), row(2, 4)}, {row(2, 2), row(2, 4)}, 1, {1}, "0:2/2@1/0 1:4/2@1/0"},
      {"a bucket was missing", {row(3, 1), row(2, 4)}, {row(3, 1), row(2, 4)}, 1, {0}, "0:1/3@1/0"},
      {"no such bucket", {row(3, 1)}, {row(3, 1)}, 1, {8}, ""},
      {"the last unit", {row(1, 1), row(0, 4)}, {row(0, 2), row(0, 4)}, 5, {}, "0:2/0@5/5 1:4/0@5/5"},
      {"empty as before", {row(0, 1), row(0, 4)}, {row(0, 1), row(0, 4)}, 5, {}, "0:1/0@5/5 1:4/0@5/5"},
      {"reopened", {row(0, 2), row(0, 4)}, {row(0, 2), row(1, 5)}, 6, {}, "0:2/0@6/5 1:5/1@6/5"},
      {"came and went", {row(0, 2), row(0, 4)}, {row(0, 2), row(0, 6)}, 5, {}, "0:2/0@5/5 1:6/0@5/5"},
      {"moved", {row(3, 1), row(0, 4)}, {row(2, 2), row(1, 5)}, 1, {}, "0:2/2@1/0 1:5/1@1/0"},
      {"a new bucket", {row(3, 1)}, {row(2, 2), row(1, 1)}, 1, {}, "0:2/2@1/0 1:1/1@1/0"},
      {"a new empty bucket", {row(3, 1)}, {row(3, 1), row(0, 0)}, 1, {}, "1:0/0@1/0"},
      {"an item is made", {}, {row(0, 0)}, 1, {}, "0:0/0@1/1"},
  };
  for (const Row& one : rows) {
    EXPECT_EQ(text_of(statements_after_commit(item_of(one), one.asked)), one.owed) << one.kind;
  }
}

TEST(Statements, ARefreshStatesEveryBucket) {
  EXPECT_EQ(text_of(statements_of_refresh(item_of({"", {}, {row(3, 1), row(0, 4)}, 2, {}, ""}))),
            "0:1/3@2/1 1:4/0@2/1");
  EXPECT_EQ(text_of(statements_of_refresh(item_of({"", {}, {row(0, 1), row(0, 4)}, 2, {}, ""}))),
            "0:1/0@2/2 1:4/0@2/2");
}

TEST(Statements, ARefusalStandsOnlyInItsOwnGeneration) {
  EXPECT_EQ(ruling(3, {3, {0}}), Ruling::refuse);
  EXPECT_EQ(ruling(3, {3, {1}}), Ruling::corrupted);
  EXPECT_EQ(ruling(3, {4, {1}}), Ruling::reopened);
  EXPECT_EQ(ruling(3, {4, {0}}), Ruling::reopened);  // Sold out again: the judge says so, and closes.
  EXPECT_EQ(ruling(3, {2, {0}}), Ruling::corrupted);
  EXPECT_EQ(ruling(3, {2, {1}}), Ruling::corrupted);
  EXPECT_EQ(reopened_at(4), (Statement{std::nullopt, 4, 3}));
}

TEST(Statements, WhatTheDatabaseNeverSaidIsBeyond) {
  const Item item = item_of({"", {}, {row(3, 5)}, 2, {}, ""});
  const auto reply = [](std::int64_t seq, std::int64_t open, std::int64_t shut) {
    return Reply{Said::ok, seq, {3}, open, shut, {}, {}};
  };
  EXPECT_FALSE(is_beyond(reply(5, 2, 1), item, 0));
  EXPECT_FALSE(is_beyond(reply(0, 1, 1), item, 0));
  EXPECT_FALSE(is_beyond(Reply{}, item, 0));
  EXPECT_TRUE(is_beyond(reply(6, 2, 1), item, 0));
  EXPECT_TRUE(is_beyond(reply(5, 3, 1), item, 0));
  EXPECT_TRUE(is_beyond(reply(5, 2, 3), item, 0));
  EXPECT_TRUE(is_beyond(reply(0, 1, 0), item, 1));
}

}  // namespace
}  // namespace gavel::gate
