// One connection and its lock: what each of SQLite's and the system's refusals means.
#include "judge/sqlite/connection.h"

#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "judge/sqlite/lock.h"
#include "judge/sqlite/open.h"
#include "judge/testing/fault_vfs.h"
#include "judge/testing/sqlite_form_test.h"

namespace {

int flock_refusal = 0;  // The error that every flock of this program meets; 0: none.

}  // namespace

// Stands in front of the C library's, of whose name it is for the linker alone.
extern "C" int flock_or_refusal(int descriptor, int operation) noexcept __asm__("flock");
int flock_or_refusal(int descriptor, int operation) noexcept {
  if (flock_refusal == 0) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = flock_refusal;
  return -1;
}

namespace gavel::judge::sqlite {
namespace {

using File = FaultVfs::File;
using Fault = FaultVfs::Fault;

// table: one row per kind of result code.
TEST(SqliteConnection, EveryRefusalHasOneMeaning) {
  const std::pair<int, ErrorCode> meanings[] = {
      {SQLITE_CONSTRAINT_PRIMARYKEY, ErrorCode::duplicate},
      {SQLITE_CONSTRAINT_UNIQUE, ErrorCode::duplicate},
      {SQLITE_CONSTRAINT_ROWID, ErrorCode::duplicate},
      {SQLITE_CONSTRAINT_CHECK, ErrorCode::constraint},
      {SQLITE_CONSTRAINT_TRIGGER, ErrorCode::constraint},
      {SQLITE_TOOBIG, ErrorCode::constraint},
      {SQLITE_BUSY, ErrorCode::conflict},
      {SQLITE_BUSY_SNAPSHOT, ErrorCode::conflict},
      {SQLITE_LOCKED, ErrorCode::conflict},
      {SQLITE_FULL, ErrorCode::broken},
      {SQLITE_IOERR_FSYNC, ErrorCode::broken},
      {SQLITE_CORRUPT, ErrorCode::broken},
      {SQLITE_ERROR, ErrorCode::broken},
  };
  for (const auto& [code, meaning] : meanings) EXPECT_EQ(classify(code), meaning) << code;
}

TEST(SqliteConnection, AnAnswerIsTheFirstColumnOrNothing) {
  const TemporaryFolder folder;
  const auto connection = Connection::open(folder.file("any.db"), "", Role::creator).value();
  EXPECT_EQ(connection->ask("SELECT 7, 8").value(), "7");
  EXPECT_EQ(connection->ask("SELECT NULL").value(), "");
  EXPECT_EQ(connection->ask("SELECT 7 WHERE 0").value(), "");
}

// What it was first is what it stays: a later reason would hide it.
TEST(SqliteConnection, AfterAStatementOfNoSenseNothingIsAnsweredAnyMore) {
  const TemporaryFolder folder;
  const auto connection = Connection::open(folder.file("any.db"), "", Role::creator).value();
  const auto first = connection->ask("SELECT nothing");
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::broken);
  EXPECT_EQ(connection->ask("SELECT 7").error().message, first.error().message);
  EXPECT_EQ(connection->execute("SELECT 7").error().message, first.error().message);
  EXPECT_EQ(connection->break_off("later").message, first.error().message);
}

// A batch may be tried again; a question is asked again.
TEST(SqliteConnection, ABusyFileIsAConflictForWritersAndNoAnswerForReaders) {
  const SqliteWorld world;
  for (const auto& [role, meaning] :
       {std::pair(Role::writer, ErrorCode::conflict), std::pair(Role::reader, ErrorCode::unavailable)}) {
    const auto connection = Connection::open(world.options().path, "", role).value();
    EXPECT_EQ(connection->failure(SQLITE_BUSY, "a question").code, meaning);
    EXPECT_EQ(connection->failure(SQLITE_CONSTRAINT_CHECK, "a question").code, ErrorCode::constraint);
    EXPECT_FALSE(connection->broken());
  }
}

// Another program writes, and goes on for longer than the store waits: readers read on, and the store does,
// too, when the other has done.
TEST(SqliteConnection, AnotherWriterIsWaitedForAndThenNoBatchCanBegin) {
  SqliteWorld world;
  FaultVfs vfs("busy");
  SqliteOptions options = world.options();
  options.vfs = vfs.name();
  options.checkpoint_pages = 0;  // A checkpoint is due whenever a batch begins.
  const auto store = open_sqlite_store(options, world.clock()).value();
  const auto reader = open_sqlite_reader(options, world.clock()).value();
  vfs.arm(Fault::lock_busy, File::database, 1);
  EXPECT_EQ(store->begin().error().code, ErrorCode::unavailable)
      << "and not the error of the checkpoint before it";
  EXPECT_TRUE(reader->due(1));
  vfs.disarm();
  EXPECT_TRUE(store->begin());
}

TEST(SqliteLock, WhatTheFileSaysOfItsHolderIsReadWithCare) {
  const TemporaryFolder folder;
  const std::string path = folder.file("gavel.db");
  const int holder = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  const std::pair<const char*, const char*> contents[] = {
      {"", "another process"},    {"x12", "another process"},
      {"\n9", "another process"}, {"77\n9\n", "process 77"},
      {"77x", "process 77"},      {"77", "process 77"},
      {"-1", "another process"},  {"123456789012345678901234567890", "process 12345678901234567890123"},
  };
  for (const auto& [content, says] : contents) {
    write_content(path + ".lock", content);
    const auto refused = FileLock::take(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              path + " is open for writing in " + says + "; stop it first, or name another file");
  }
  ::close(holder);
  EXPECT_TRUE(FileLock::take(path));
}

TEST(SqliteLock, WhereNothingCanBeLockedNothingIsOpened) {
  const TemporaryFolder folder;
  const std::string path = folder.file("nosuch/gavel.db");
  const auto missing = FileLock::take(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, path + ".lock cannot be opened: No such file or directory");

  SqliteWorld world;
  flock_refusal = ENOLCK;
  const auto store = open_sqlite_store(world.options(), world.clock());
  flock_refusal = 0;
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::invalid);
  EXPECT_EQ(store.error().message, world.options().path + ".lock cannot be locked: No locks available");
}

TEST(SqliteOpen, AFolderIsNoDatabase) {
  const TemporaryFolder folder;
  const SqliteOptions options{.path = folder.file("."), .vfs = ""};
  const auto version = sqlite_schema_version_of(options);
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, ErrorCode::invalid);
  EXPECT_NE(version.error().message.find("cannot be opened"), std::string::npos) << version.error().message;
  EXPECT_EQ(migrate_sqlite(options).error().code, ErrorCode::invalid);
}

TEST(SqliteOpen, TheFileIsLookedForInTheLayerThatIsNamed) {
  const SqliteWorld world;
  const FaultVfs vfs("looked-in");
  SqliteOptions options = world.options();
  options.vfs = vfs.name();
  EXPECT_EQ(sqlite_schema_version_of(options).value(), sqlite_schema_version);
  options.vfs = "nosuch";
  EXPECT_EQ(sqlite_schema_version_of(options).value(), 0) << "there is none";
  EXPECT_EQ(migrate_sqlite(options).error().code, ErrorCode::invalid);
}

// Each read and each lock of an opening fails in turn: whoever opens is told so, and the next one may.
TEST(SqliteOpen, AFileThatCannotBeReadOrLockedIsNotOpened) {
  SqliteWorld world;
  world.open_store()->open_lane().value();
  FaultVfs vfs("opening-faults");
  SqliteOptions options = world.options();
  options.vfs = vfs.name();
  const std::function<std::optional<Error>()> openings[] = {
      [&]() -> std::optional<Error> {
        const auto store = open_sqlite_store(options, world.clock());
        vfs.disarm();
        return store ? std::nullopt : std::optional(store.error());
      },
      [&]() -> std::optional<Error> {
        const auto reader = open_sqlite_reader(options, world.clock());
        vfs.disarm();
        return reader ? std::nullopt : std::optional(reader.error());
      },
  };
  for (const auto& open : openings) {
    for (const Fault fault : {Fault::read_error, Fault::lock_error}) {
      std::int64_t nth = 1;
      for (;; ++nth) {
        vfs.arm(fault, File::database, nth);
        const std::optional<Error> failure = open();
        if (!vfs.fired()) {
          EXPECT_FALSE(failure) << failure->message;
          break;
        }
        ASSERT_TRUE(failure) << "opened although call " << nth << " failed";
        EXPECT_TRUE(failure->code == ErrorCode::invalid || failure->code == ErrorCode::broken);
      }
      EXPECT_GT(nth, 2);
    }
  }
}

}  // namespace
}  // namespace gavel::judge::sqlite
