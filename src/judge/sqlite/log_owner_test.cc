// A database or a log that somebody puts back by hand (E24, F013): what was killed goes on, what does not
// belong together is refused, and nothing is written into it.
#include "judge/sqlite/log_owner.h"

#include <filesystem>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "judge/sqlite/backup.h"
#include "judge/sqlite/connection.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

namespace fs = std::filesystem;

// The content of a database and of its log.
struct Files {
  std::string database;
  std::string log;
};

Files read_files(const std::string& path) { return {fingerprint_of(path), fingerprint_of(path + "-wal")}; }

// A database whose process was killed: the log is there, with what the database lacks.
class KilledStore {
 public:
  KilledStore() {
    auto store = open_sqlite_store(options(), clock_).value();
    lane_ = store->open_lane().value();
    for (; batches_ < 5; ++batches_) post(*store);
    early_ = read_files(path());
    for (; batches_ < 40; ++batches_) post(*store);  // With checkpoints in between.
    killed_ = read_files(path());
    store.reset();
    put(killed_.database, killed_.log);
  }

  SqliteOptions options() const { return {.path = world_.options().path, .vfs = "", .checkpoint_pages = 20}; }
  std::string path() const { return options().path; }
  const Files& early() const { return early_; }
  const Files& killed() const { return killed_; }

  // As a kill leaves it: what stands in the files was last changed when the store noted it.
  void put(const std::string& database, const std::string& log) const {
    write_content(path(), database);
    write_content(path() + "-wal", log);
    // Whatever is written from here on has another time, however fast the test is.
    fs::last_write_time(path(), fs::file_time_type::clock::now() - std::chrono::seconds(10));
    auto lock = sqlite::FileLock::take(path()).value();
    sqlite::note_files(lock, sqlite::FileUse::at_rest);
  }

  Result<std::int64_t> batches_after_start() const {
    const auto store = open_sqlite_store(options(), clock_);
    if (!store) return std::unexpected(store.error());
    return ledger_position_of(path()).value()->batch.n;
  }

  // The start is refused in words that hold `why`, and changes nothing.
  void expect_refused(const std::string& why) const {
    const Files before = read_files(path());
    const auto started = batches_after_start();
    const auto migrated = migrate_sqlite(options());
    ASSERT_TRUE(!started && !migrated) << why;
    EXPECT_EQ(started.error().code, ErrorCode::invalid);
    EXPECT_NE(started.error().message.find(why), std::string::npos) << started.error().message;
    EXPECT_NE(started.error().message.find("gavel restore"), std::string::npos) << started.error().message;
    EXPECT_EQ(migrated.error().message, started.error().message);
    EXPECT_EQ(fingerprint_of(path()), before.database);
    EXPECT_EQ(fingerprint_of(path() + "-wal"), before.log);
  }

 private:
  void post(Store& store) {
    ASSERT_TRUE(store.begin());
    ASSERT_TRUE(store.write(rules::State{}, {lane_, batches_ + 1}, store.now().value()));
    ASSERT_TRUE(store.commit());
  }

  const SqliteWorld world_;
  VirtualClock clock_{Time(Duration(1'800'000'000'000))};
  rules::LaneId lane_;
  std::int64_t batches_ = 0;
  Files early_, killed_;
};

TEST(SqliteLogOwner, WhatWasKilledGoesOn_E24) {
  const KilledStore killed;
  EXPECT_EQ(killed.batches_after_start().value(), 40);
  EXPECT_EQ(killed.batches_after_start().value(), 40);
}

TEST(SqliteLogOwner, AnOlderDatabaseBesideTheLogIsRefused_E24_F013) {
  const KilledStore killed;
  write_content(killed.path(), killed.early().database);
  killed.expect_refused("this is not the file that was served last");
}

TEST(SqliteLogOwner, AnOlderDatabaseMovedToItsPlaceIsRefused_E24_F013) {
  const KilledStore killed;
  write_content(killed.path() + ".old", killed.early().database);
  fs::rename(killed.path() + ".old", killed.path());
  killed.expect_refused("this is not the file that was served last");
}

// The log of a database of the same kind, which SQLite would write into this one without a word.
TEST(SqliteLogOwner, AnothersLogIsRefused_E24_F013) {
  const KilledStore killed;
  const KilledStore other;
  write_content(killed.path() + "-wal", other.killed().log);
  killed.expect_refused("the log beside it is not the one that was written last");
}

TEST(SqliteLogOwner, ADatabaseThatIsGoneWhileItsLogIsThereIsRefused_E24_F013) {
  const KilledStore killed;
  fs::remove(killed.path());
  const auto opened = migrate_sqlite(killed.options());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("its log is there"), std::string::npos) << opened.error().message;
  EXPECT_EQ(fingerprint_of(killed.path() + "-wal"), killed.killed().log);
}

// What the header says needs no note: here there is none.
TEST(SqliteLogOwner, ABackupAndACopyWithoutALogAreRefusedBesideOne_E24_F013) {
  const KilledStore killed;
  const KilledStore other;
  for (const std::string& sql : {"PRAGMA application_id = " + std::to_string(0x47415642), std::string()}) {
    write_content(killed.path(), other.killed().database);
    write_content(killed.path() + "-wal", "");
    {
      const auto connection = sqlite::Connection::open(killed.path(), "", sqlite::Role::writer).value();
      ASSERT_TRUE(connection->execute(sql.empty() ? "PRAGMA journal_mode = DELETE" : sql));
    }
    write_content(killed.path() + "-wal", killed.killed().log);
    fs::remove(killed.path() + ".lock");
    killed.expect_refused(sql.empty() ? "this file never had a log" : "this is a backup");
  }
}

// A copy of both, put back together, is a database like any other.
TEST(SqliteLogOwner, ADatabaseWithItsOwnLogIsAccepted_E24) {
  const KilledStore killed;
  const KilledStore other;
  write_content(killed.path(), other.killed().database);
  write_content(killed.path() + "-wal", other.killed().log);
  EXPECT_EQ(killed.batches_after_start().value(), 40);
}

// The way out that the message names, for whoever knows better.
TEST(SqliteLogOwner, WithoutTheLockFileNothingIsTold_E24) {
  const KilledStore killed;
  write_content(killed.path(), killed.killed().database);
  killed.expect_refused("remove " + killed.path() + ".lock");
  fs::remove(killed.path() + ".lock");
  EXPECT_EQ(killed.batches_after_start().value(), 40);
}

// Of a lock file that was copied, or was left before the machine started, or by an older program.
TEST(SqliteLogOwner, ANoteThatIsNotOfTheseFilesSaysNothing_E24) {
  for (const char* note : {"", "5\n", "5\n\0\0 nothing\n"}) {
    const KilledStore killed;
    write_content(killed.path(), killed.killed().database);
    write_content(killed.path() + ".lock", note);
    EXPECT_EQ(killed.batches_after_start().value(), 40);
  }
  const KilledStore killed;
  write_content(killed.path(), killed.killed().database);
  fs::copy_file(killed.path() + ".lock", killed.path() + ".lock.copy");
  fs::rename(killed.path() + ".lock.copy", killed.path() + ".lock");
  EXPECT_EQ(killed.batches_after_start().value(), 40);
}

}  // namespace
}  // namespace gavel::judge
