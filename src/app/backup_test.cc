// Backup and restore of a database in a file (E24, F013).
#include "app/backup.h"

#include <filesystem>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "app/draft_file.h"
#include "app/restore.h"
#include "base/temporary_folder_test.h"
#include "judge/sqlite/store.h"

namespace gavel::app {
namespace {

namespace fs = std::filesystem;

Options options_for(const std::string& judge_url) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  return options_of(Settings::load(all_settings(), "", nothing, {{"judge.url", judge_url}}).value()).value();
}

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() : options_(options_for("sqlite:" + database())) { make_database(database()); }

  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string database() const { return file("gavel.db"); }

  void make_database(const std::string& path) const {
    const judge::SqliteOptions sqlite{.path = path, .vfs = ""};
    ASSERT_TRUE(judge::migrate_sqlite(sqlite));
    const auto store = judge::open_sqlite_store(sqlite, clock_).value();
    add_batch(*store);
  }
  static void add_batch(judge::Store& store) {
    const rules::LaneId lane = store.open_lane().value();
    ASSERT_TRUE(store.begin());
    ASSERT_TRUE(store.write(rules::State{}, {lane, 1}, store.now().value()));
    ASSERT_TRUE(store.commit());
  }

  Result<CopiedDatabase> back_up_to(const std::string& name, Existing existing = Existing::refuse) {
    return back_up(options_, file(name), existing, {}, clock_, interrupt_);
  }
  Result<RestoredDatabase> restore_from(const std::string& name) {
    return restore(options_, file(name), {}, clock_, interrupt_);
  }
  std::int64_t lanes_of(const std::string& path) const {
    return judge::ledger_position_of(path).value()->batch.lane.value;
  }

  // The names in the folder, without those that a database has beside it while it lives.
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) found.insert(entry.path().filename());
    return found;
  }

  const TemporaryFolder folder_;
  VirtualClock clock_{Time(Duration(1'800'000'000'000))};
  Interrupt interrupt_;
  const Options options_;
};

TEST_F(BackupTest, IsOneWholeFileThatNobodyServes_E24) {
  const auto copied = back_up_to("one");
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(to_text(copied->as_of), "lane 1, batch 1, at 2027-01-15T08:00:00.000Z");
  EXPECT_EQ(copied->bytes, static_cast<std::int64_t>(fs::file_size(file("one"))));
  // The reader of the database leaves an empty log and its index beside it, as every reader does.
  EXPECT_EQ(names(),
            (std::set<std::string>{"gavel.db", "gavel.db-shm", "gavel.db-wal", "gavel.db.lock", "one"}));
  EXPECT_TRUE(judge::is_backup(file("one")).value());
  const auto refused = judge::open_sqlite_store({.path = file("one"), .vfs = ""}, clock_);
  EXPECT_FALSE(refused);
}

struct Refusal {
  const char* name;
  const char* why;
};

TEST_F(BackupTest, NothingOfTheDatabaseIsWrittenOver_E24) {
  fs::create_hard_link(database(), file("second"));
  fs::create_symlink(database(), file("link"));
  fs::create_directory(file("folder"));
  make_database(file("served.db"));
  ASSERT_TRUE(back_up_to("old"));
  const std::string before = fingerprint_of(database());
  for (const Refusal& row : {Refusal{"gavel.db", "is the database itself"},
                             {"second", "is the database itself"},
                             {"link", "is the database itself"},
                             {"./folder/../gavel.db", "is the database itself"},
                             {"gavel.db-wal", "is the database's own"},
                             {"gavel.db-shm", "is the database's own"},
                             {"gavel.db.lock", "is the database's own"},
                             {"gavel.db.orders", "is the database's own"},
                             {"folder", "is a folder"},
                             {"none/one", "there is no folder"},
                             {"old", "is there already"},
                             {"served.db", "is there already"}}) {
    const auto refused = back_up_to(row.name);
    ASSERT_FALSE(refused) << row.name;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_NE(refused.error().message.find(row.why), std::string::npos) << refused.error().message;
  }
  const auto refused = back_up_to("served.db", Existing::replace);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("only a backup is replaced"), std::string::npos);
  EXPECT_TRUE(back_up_to("old", Existing::replace));
  EXPECT_EQ(fingerprint_of(database()), before);
}

TEST_F(BackupTest, ADraftThatAKillLeftIsWrittenOverAndOneInWorkIsNot_E24) {
  write_content(file("one.draft"), "half");
  {
    const auto other = DraftFile::make(file("one.draft"), 0600).value();
    const auto refused = back_up_to("one");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("is being written by another gavel"), std::string::npos);
  }
  write_content(file("one.draft"), "half");
  EXPECT_TRUE(back_up_to("one"));
  EXPECT_FALSE(fs::exists(file("one.draft")));
}

TEST_F(BackupTest, AnInterruptLeavesNothingBehind_E24) {
  interrupt_.raise();
  const auto stopped = back_up_to("one");
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::unavailable) << stopped.error().message;
  EXPECT_FALSE(fs::exists(file("one")) || fs::exists(file("one.draft")));
}

TEST_F(BackupTest, TheOldestAreRemovedAndNothingElse_E24) {
  const std::string name = backup_name(file("b"), clock_.now());
  EXPECT_EQ(name, file("b") + ".20270115T080000Z");
  for (const char* one :
       {"b", "b.20270115T080000Z", "b.20270115T080001Z", "b.20270116T000000Z", "b.20270115T08000Z",
        "b.2027011xT080000Z", "c.20270115T080000Z", "b.20270115T080000Z.draft"}) {
    write_content(file(one), "x");
  }
  EXPECT_EQ(remove_old_backups(file("b"), 5).value(), 0u);
  EXPECT_EQ(remove_old_backups(file("b"), 2).value(), 1u);
  EXPECT_EQ(names(), (std::set<std::string>{"gavel.db", "gavel.db.lock", "b", "b.20270115T080001Z",
                                            "b.20270116T000000Z", "b.20270115T08000Z", "b.2027011xT080000Z",
                                            "c.20270115T080000Z", "b.20270115T080000Z.draft"}));
}

TEST_F(BackupTest, ARestoreKeepsTheOldDatabaseWithAllOfIt_E24) {
  ASSERT_TRUE(back_up_to("one"));
  const judge::SqliteOptions sqlite{.path = database(), .vfs = ""};
  add_batch(*judge::open_sqlite_store(sqlite, clock_).value());
  write_content(database() + ".orders", "an index");
  fs::permissions(database(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const auto restored = restore_from("one");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(lanes_of(database()), 1);
  EXPECT_EQ(lanes_of(restored->kept), 2);
  EXPECT_EQ(restored->kept, database() + ".before.20270115T080000Z");
  EXPECT_EQ(fs::status(database()).permissions(), fs::status(restored->kept).permissions());
  EXPECT_FALSE(fs::exists(database() + ".orders"));
  EXPECT_TRUE(judge::open_sqlite_store(sqlite, clock_));
  const auto again = restore_from("one");  // In the same second.
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message,
            restored->kept + " is there already; run gavel restore again, or move it away");
}

// What a kill left in the log belongs to what is kept.
TEST_F(BackupTest, ARestoreFoldsTheLogThatAKillLeft_E24_F013) {
  ASSERT_TRUE(back_up_to("one"));
  const judge::SqliteOptions sqlite{.path = database(), .vfs = ""};
  {
    const auto store = judge::open_sqlite_store(sqlite, clock_).value();
    add_batch(*store);
    fs::copy_file(database(), file("killed"));
    fs::copy_file(database() + "-wal", file("killed-wal"));
  }
  fs::rename(file("killed"), database());
  fs::rename(file("killed-wal"), database() + "-wal");
  fs::remove(database() + ".lock");
  const auto restored = restore_from("one");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(lanes_of(database()), 1);
  EXPECT_EQ(lanes_of(restored->kept), 2);
  EXPECT_FALSE(fs::exists(restored->kept + "-wal") && fs::file_size(restored->kept + "-wal") > 0);
}

// F013 (c): somebody put the backup over the database by hand, and the start was refused.
TEST_F(BackupTest, ARestoreKeepsALogThatIsNotTheDatabasesBesideIt_E24_F013) {
  ASSERT_TRUE(back_up_to("one"));
  const judge::SqliteOptions sqlite{.path = database(), .vfs = ""};
  std::string log;
  {
    const auto store = judge::open_sqlite_store(sqlite, clock_).value();
    add_batch(*store);
    log = fingerprint_of(database() + "-wal");
  }
  fs::copy_file(file("one"), database(), fs::copy_options::overwrite_existing);
  write_content(database() + "-wal", log);
  const auto started = judge::open_sqlite_store(sqlite, clock_);
  ASSERT_FALSE(started);
  const auto restored = restore_from("one");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(fingerprint_of(restored->kept + "-wal"), log);
  EXPECT_EQ(fingerprint_of(restored->kept), fingerprint_of(file("one")));
  EXPECT_TRUE(judge::open_sqlite_store(sqlite, clock_));
}

TEST_F(BackupTest, ARestoreWhereNoDatabaseWasMakesOne_E24) {
  ASSERT_TRUE(back_up_to("one"));
  fs::remove(database());
  const auto restored = restore_from("one");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->kept, "");
  EXPECT_EQ(lanes_of(database()), 1);
}

TEST_F(BackupTest, WhatCannotBeRestoredChangesNothing_E24) {
  ASSERT_TRUE(back_up_to("one"));
  fs::copy_file(file("one"), file("truncated"));
  fs::resize_file(file("truncated"), fs::file_size(file("one")) - 4096);
  write_content(file("text"), std::string(9000, 'x'));
  write_content(file("empty"), "");
  fs::create_directory(file("folder"));
  fs::create_symlink(database(), file("link"));
  const std::string before = fingerprint_of(database());
  for (const Refusal& row : {Refusal{"truncated", "is damaged"},
                             {"text", "is not a database"},
                             {"empty", "has schema version 0"},
                             {"folder", "is no regular file"},
                             {"absent", "there is no such file"},
                             {"link", "is the database itself"},
                             {"gavel.db", "is the database itself"}}) {
    const auto refused = restore_from(row.name);
    ASSERT_FALSE(refused) << row.name;
    EXPECT_NE(refused.error().message.find(row.why), std::string::npos) << refused.error().message;
  }
  const auto store = judge::open_sqlite_store({.path = database(), .vfs = ""}, clock_).value();
  const auto served = restore_from("one");
  ASSERT_FALSE(served);
  EXPECT_NE(served.error().message.find("is open for writing in process"), std::string::npos);
  EXPECT_EQ(fingerprint_of(database()), before);
  for (const std::string& name : names()) EXPECT_EQ(name.find(".restore"), std::string::npos) << name;
}

}  // namespace
}  // namespace gavel::app
