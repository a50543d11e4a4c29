// Rows that this program did not write: whoever meets one is told, and nobody is given what it seems to say.
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "judge/audit/audit.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

constexpr const char* uuid7_key = "01a3185c-5000-7000-8000-0000000000aa";

void fill(StoreWorld& world) {
  const auto store = world.open_store();
  JudgeDriver court(*store);
  court.say_all({put_sku("put", "tee", 3), receive("in", "tee", 90),
                 create_activity("create", "sale", {{"tee", 20}}), open_activity("open", "sale")});
  court.say_all({reserve(uuid7_key, "ann", {{"tee", 2}}), reserve("k", "bob", {{"tee", 1}})});
}

// By other hands, which care for no constraint and no trigger.
void tamper(const SqliteOptions& options, const std::string& statements) {
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(options.path.c_str(), &raw), SQLITE_OK);
  const std::string all =
      "PRAGMA ignore_check_constraints = ON; DROP TRIGGER orders_stay; DROP TRIGGER "
      "orders_count_their_changes; "
      "DROP TRIGGER orders_go_along_the_arrows; DROP TRIGGER orders_keep_what_they_took; DROP TRIGGER "
      "request_stays; DROP TRIGGER flow_stays; DROP TRIGGER orders_remain; DROP TRIGGER "
      "sku_counts_its_changes; DROP TRIGGER activity_counts_its_changes; " +
      statements;
  ASSERT_EQ(sqlite3_exec(raw, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
  ASSERT_EQ(sqlite3_close(raw), SQLITE_OK);
}

// table: one row per form that a column must have.
TEST(SqliteStrangeRows, AreMetWithAnError) {
  const std::string tamperings[] = {
      "UPDATE bucket SET bucket = 7 WHERE bucket = 1",
      "UPDATE sku SET bucket_count = -1",
      "UPDATE sku SET bucket_count = 1099511627776",
      "UPDATE sku SET code = 'two' || char(10) || 'lines'",
      "UPDATE activity SET code = 'two' || char(10) || 'lines'",
      "UPDATE activity SET state = 'asleep'",
      "UPDATE orders SET taken = '[[1,0]]'",
      "UPDATE orders SET returned = 'x'",
      "UPDATE orders SET state = 'asleep'",
      "UPDATE orders SET user = ''",
      "UPDATE orders SET extensions = -1",
      "UPDATE orders SET detail = '{' WHERE caller IS NOT NULL",
      "UPDATE orders SET outcome = NULL WHERE caller IS NOT NULL",
      "UPDATE orders SET answered_at = NULL WHERE caller IS NOT NULL",
      "UPDATE orders SET key = 'two words' WHERE caller IS NOT NULL",
      "UPDATE request SET outcome = 'tired'",
      "UPDATE request SET detail = '7'",
      "UPDATE request SET order_id = x'00' WHERE key = 'k'",
      "UPDATE flow SET action = 'lend'",
      "UPDATE flow SET occurrence = 1099511627776",
      "UPDATE hold SET order_id = substr(order_id, 2)",
  };
  for (const std::string& statement : tamperings) {
    SqliteWorld world;
    fill(world);
    ASSERT_TRUE(audit(*world.open_reader())) << "sound before";
    tamper(world.options(), statement);
    EXPECT_FALSE(audit(*world.open_reader())) << statement;
    EXPECT_FALSE(canonical_dump(*world.open_reader())) << statement;
  }
}

// Rows that others point at, and that somebody took away: what is left is shown as it is, and the audit
// tells.
TEST(SqliteStrangeRows, WhatPointsAtNothingIsShownWithoutIt) {
  SqliteWorld world;
  fill(world);
  {
    const auto store = world.open_store();
    JudgeDriver court(*store);
    court.say(reserve("in-sale", "cid", {{"tee", 1}}, {.activity = "sale"}));
  }
  const std::size_t orders = world.open_reader()->read_after({}, 1000).value().orders.size();
  tamper(world.options(),
         "DELETE FROM activity_line; DELETE FROM activity; DELETE FROM orders WHERE user = 'bob'");
  const auto reader = world.open_reader();
  const OrderRow view = reader->order(order_of("in-sale")).value().value();
  EXPECT_FALSE(view.activity);
  EXPECT_EQ(view.parts.size(), 1U);
  EXPECT_EQ(reader->read_after({}, 1000).value().orders.size(), orders - 1);
  EXPECT_FALSE(audit(*reader).value().clean());
}

// B9: what is missing behind a shortage ends no question, and no job that asks it again and again.
TEST(SqliteStrangeRows, AShortBucketWithoutItsItemIsNotListed_E7) {
  SqliteWorld world;
  fill(world);
  {
    const auto store = world.open_store();
    JudgeDriver court(*store);
    court.say_all({put_sku("put-cup", "cup"), receive("in-cup", "cup", 2)});
    court.say_all({reserve("a", "ann", {{"cup", 2}}), reserve("b", "ann", {{"tee", 67}})});
    court.say_all({adjust("lost-cup", "cup", -1), adjust("lost-tee", "tee", -1)});
  }
  const auto listed = [&] {
    const auto rows = world.open_reader()->short_items(rules::ItemId{0}, 9).value();
    std::string skus;
    for (const StockRow& row : rows) skus += row.sku.text() + " ";
    return skus;
  };
  EXPECT_EQ(listed(), "tee cup ");
  tamper(world.options(), "DELETE FROM item WHERE id = (SELECT free_item FROM sku WHERE code = 'tee')");
  EXPECT_EQ(listed(), "cup ");
  EXPECT_FALSE(audit(*world.open_reader()).value().clean());
}

TEST(SqliteStrangeRows, AFileWithoutOneOfItsTablesIsNotOpened) {
  SqliteWorld world;
  tamper(world.options(), "DROP TABLE hold");
  const auto store = open_sqlite_store(world.options(), world.clock());
  const auto reader = open_sqlite_reader(world.options(), world.clock());
  ASSERT_FALSE(store || reader);
  for (const Error& error : {store.error(), reader.error()}) {
    EXPECT_NE(error.message.find("no such table: hold"), std::string::npos) << error.message;
  }
}

// A key that is no canonical UUID stands in a column of its own, and comes back as it was sent.
TEST(SqliteStrangeRows, AKeyInCapitalsIsNoStrangeRow) {
  SqliteWorld world;
  fill(world);
  const auto store = world.open_store();
  JudgeDriver court(*store);
  const std::string key = "01A3185C-5000-7000-8000-0000000000BB";
  EXPECT_TRUE(court.say(reserve(key, "ann", {{"tee", 1}})).starts_with("reserved "));
  const auto found = world.open_reader()->request({rules::Caller("shop"), rules::RequestKey(key)}).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key.text(), key);
  EXPECT_TRUE(audit(*world.open_reader()).value().clean());
}

}  // namespace
}  // namespace gavel::judge
