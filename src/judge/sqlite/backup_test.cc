// Copies of a database that is served, and what becomes of them (E24).
#include "judge/sqlite/backup.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/sqlite/connection.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

namespace fs = std::filesystem;

void copy_all(SqliteCopy& copy) {
  while (copy.step(1).value()) {
  }
}

std::string ask(const std::string& path, const std::string& sql) {
  return sqlite::Connection::open(path, "", sqlite::Role::reader).value()->ask(sql).value();
}

std::string dump_of(const std::string& path, const Clock& clock) {
  return canonical_dump(*open_sqlite_reader({.path = path, .vfs = ""}, clock).value()).value();
}

class SqliteBackup : public ::testing::Test {
 protected:
  SqliteBackup() : store_(world_.open_store()), judge_(*store_) {
    judge_.say(put_sku("sku", "tee", 1));
    judge_.say(receive("in", "tee", 1000));
  }

  void order(const std::string& key) { judge_.say(reserve(key, "ann", {{"tee", 1}})); }
  std::string database() const { return world_.options().path; }
  std::string file(const std::string& name) const { return folder_.file(name); }

  SqliteWorld world_;
  const TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  JudgeDriver judge_;
};

// Every step copies pages of the moment at which it began, whatever is written meanwhile.
TEST_F(SqliteBackup, IsOfOneMomentWhileOrdersGoOn_E24) {
  for (int i = 0; i < 50; ++i) order("before" + std::to_string(i));
  const std::string then = dump_of(database(), world_.clock());
  const auto position = ledger_position_of(database()).value();
  {
    const auto copy = SqliteCopy::begin(database(), file("copy")).value();
    for (int i = 0; copy->step(1).value(); ++i) order("meanwhile" + std::to_string(i));
    EXPECT_EQ(copy->pages().copied, copy->pages().total);
  }
  EXPECT_NE(dump_of(database(), world_.clock()), then);
  EXPECT_EQ(dump_of(file("copy"), world_.clock()), then);
  EXPECT_EQ(ledger_position_of(file("copy")).value(), position);
  EXPECT_TRUE(check_structure(file("copy")));
}

TEST_F(SqliteBackup, ThatIsMarkedIsReadAndNotServed_E24) {
  copy_all(*SqliteCopy::begin(database(), file("copy")).value());
  EXPECT_FALSE(is_backup(file("copy")).value());
  ASSERT_TRUE(mark_as_backup(file("copy")));
  EXPECT_TRUE(is_backup(file("copy")).value());
  EXPECT_FALSE(is_of_another_program(file("copy")).value());
  EXPECT_FALSE(fs::exists(file("copy-wal")));
  const SqliteOptions options{.path = file("copy"), .vfs = ""};
  EXPECT_EQ(sqlite_schema_version_of(options), sqlite_schema_version);
  EXPECT_TRUE(open_sqlite_reader(options, world_.clock()));
  const auto store = open_sqlite_store(options, world_.clock());
  const auto migrated = migrate_sqlite(options);
  ASSERT_TRUE(!store && !migrated);
  for (const std::string& message : {store.error().message, migrated.error().message})
    EXPECT_NE(message.find("is a backup; run `gavel restore`"), std::string::npos) << message;
}

TEST_F(SqliteBackup, BecomesADatabaseOfAnotherIncarnation_E24) {
  copy_all(*SqliteCopy::begin(database(), file("copy")).value());
  ASSERT_TRUE(mark_as_backup(file("copy")));
  ASSERT_TRUE(make_own_database(file("copy")));
  EXPECT_FALSE(is_backup(file("copy")).value());
  const std::string incarnation = "SELECT hex(incarnation) FROM meta";
  EXPECT_NE(ask(file("copy"), incarnation), ask(database(), incarnation));
  EXPECT_EQ(dump_of(file("copy"), world_.clock()), dump_of(database(), world_.clock()));
  EXPECT_TRUE(open_sqlite_store({.path = file("copy"), .vfs = ""}, world_.clock()));
}

TEST_F(SqliteBackup, OfWhatIsNotGavelsOrAnotherSchemaIsRefused_E24) {
  const auto refused = [&](const std::string& name) {
    const auto copy = SqliteCopy::begin(file(name), file("copy"));
    return copy ? std::string("copied") : copy.error().message;
  };
  {
    const auto other = sqlite::Connection::open(file("other"), "", sqlite::Role::creator).value();
    ASSERT_TRUE(other->execute("CREATE TABLE t (a)"));
  }
  copy_all(*SqliteCopy::begin(database(), file("newer")).value());
  {
    const auto newer = sqlite::Connection::open(file("newer"), "", sqlite::Role::writer).value();
    ASSERT_TRUE(newer->execute("PRAGMA user_version = 99"));
  }
  write_content(file("text"), std::string(10'000, 'x'));
  EXPECT_NE(refused("other").find("another program's database"), std::string::npos) << refused("other");
  EXPECT_NE(refused("newer").find("has schema version 99"), std::string::npos) << refused("newer");
  EXPECT_NE(refused("text").find("is not a database"), std::string::npos) << refused("text");
  EXPECT_NE(refused("absent").find("cannot be opened"), std::string::npos) << refused("absent");
  EXPECT_FALSE(fs::exists(file("copy")));
  EXPECT_TRUE(is_of_another_program(file("other")).value());
}

TEST_F(SqliteBackup, ATruncatedFileIsNoSoundOne_E24) {
  for (int i = 0; i < 200; ++i) order("order" + std::to_string(i));
  copy_all(*SqliteCopy::begin(database(), file("copy")).value());
  const auto size = fs::file_size(file("copy"));
  for (const auto left : {size - 1, size - 4096, size / 2, size_t{4096}}) {
    fs::resize_file(file("copy"), left);
    EXPECT_FALSE(check_structure(file("copy"))) << left;
  }
}

TEST_F(SqliteBackup, AFoldedLogIsInTheDatabase_E24) {
  order("one");
  const std::string all = dump_of(database(), world_.clock());
  fs::copy_file(database(), file("killed"));
  fs::copy_file(database() + "-wal", file("killed-wal"));
  {
    const auto reader = open_sqlite_reader({.path = file("killed"), .vfs = ""}, world_.clock()).value();
    TablesReader::Visitor skus;
    skus.sku = [](const rules::Sku&) {};
    const auto scan = reader->scan(skus).value();
    ASSERT_TRUE(scan->step(1));
    const auto folded = fold_log(file("killed"));
    ASSERT_FALSE(folded);
    EXPECT_EQ(folded.error().code, ErrorCode::unavailable) << folded.error().message;
  }
  ASSERT_TRUE(fold_log(file("killed")));
  EXPECT_FALSE(fs::exists(file("killed-wal")) && fs::file_size(file("killed-wal")) > 0);
  EXPECT_EQ(dump_of(file("killed"), world_.clock()), all);
}

}  // namespace
}  // namespace gavel::judge
