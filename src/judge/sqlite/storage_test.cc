// Storage that goes, is replaced or is written by others under a store that has it open (E24, F013).
#include "judge/sqlite/storage.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/file.h>

#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

namespace fs = std::filesystem;

Result<void> post_empty(Store& store, BatchId batch) {
  if (auto begun = store.begin(); !begun) return begun;
  if (auto written = store.write(rules::State{}, batch, store.now().value()); !written) return written;
  return store.commit();
}

// Replaces a file by a copy of itself, as whoever puts a copy back does.
void replace_by_copy(const std::string& path) {
  fs::copy_file(path, path + ".copy");
  fs::rename(path + ".copy", path);
}

// As `cp other path`: the same file with another content.
void write_over(const std::string& path) {
  const std::string content = fingerprint_of(path);
  write_content(path, content + std::string(4096, '\0'));
}

// Lets go of the lock behind the back of whoever holds it, as some remote file systems do.
void unlock(const std::string& path) {
  struct stat wanted{};
  ASSERT_EQ(::stat(path.c_str(), &wanted), 0);
  int unlocked = 0;
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || status.st_ino != wanted.st_ino) continue;
    if (::flock(descriptor, LOCK_UN) == 0) ++unlocked;
  }
  ASSERT_EQ(unlocked, 1);
}

struct Loss {
  const char* what;  // As it is told, between the file's path and the remedy.
  const char* ending;
  std::function<void(const std::string& path)> happen;
};

const Loss losses[] = {
    {"is gone: No such file or directory", "", [](const std::string& path) { fs::remove(path); }},
    {"was replaced: another file than the one that is open", "", replace_by_copy},
    {"was written by another program", "", write_over},
    {"is gone: No such file or directory", "-wal", [](const std::string& path) { fs::remove(path); }},
    {"was replaced: another file than the one that is open", "-wal", replace_by_copy},
    {"is gone: No such file or directory", "-shm", [](const std::string& path) { fs::remove(path); }},
    {"was replaced: another file than the one that is open", "-shm", replace_by_copy},
    {"is gone: No such file or directory", ".lock", [](const std::string& path) { fs::remove(path); }},
    {"was replaced: another file than the one that is open", ".lock", replace_by_copy},
    {"is no longer locked by this process", ".lock", unlock},
};

std::string told_by(StorageWatch& storage) { return storage.difference().value_or("nothing"); }

TEST(SqliteStorage, EachLossIsToldWithItsFile_E24_F013) {
  for (const Loss& loss : losses) {
    const SqliteWorld world;
    const VirtualClock clock(Time(Duration(1'800'000'000'000)));
    const auto opened = open_watched_sqlite_store(world.options(), clock).value();
    ASSERT_TRUE(post_empty(*opened.store, {opened.store->open_lane().value(), 1}));
    ASSERT_EQ(told_by(*opened.storage), "nothing");
    const std::string path = world.options().path + loss.ending;
    loss.happen(path);
    EXPECT_TRUE(told_by(*opened.storage).ends_with(path + ", " + loss.what)) << told_by(*opened.storage);
  }
}

TEST(SqliteStorage, NothingIsAcknowledgedIntoAFileThatIsNoLongerThere_E24_F013) {
  for (const Loss& loss : losses) {
    const std::string ending = loss.ending;
    if (ending != "" && ending != "-wal") continue;  // The others are looked at by the watch alone.
    const SqliteWorld world;
    const VirtualClock clock{Time()};
    const auto store = open_sqlite_store(world.options(), clock).value();
    const rules::LaneId lane = store->open_lane().value();
    ASSERT_TRUE(post_empty(*store, {lane, 1}));
    loss.happen(world.options().path + ending);
    const auto posted = post_empty(*store, {lane, 2});
    ASSERT_FALSE(posted) << ending << " " << loss.what;
    EXPECT_EQ(posted.error().code, ErrorCode::broken);
    EXPECT_NE(posted.error().message.find(loss.what), std::string::npos) << posted.error().message;
    EXPECT_EQ(store->begin().error().message, posted.error().message);
    EXPECT_EQ(store->idle().error().code, ErrorCode::broken);
  }
}

// The store that goes leaves the other's file, and the log that belongs to its own, as they are.
TEST(SqliteStorage, AStoreThatClosesWritesIntoNobodyElsesFile_E24_F013) {
  for (const auto& replace : {&replace_by_copy, &write_over}) {
    const SqliteWorld world;
    const std::string path = world.options().path;
    const VirtualClock clock{Time()};
    auto store = open_sqlite_store(world.options(), clock).value();
    ASSERT_TRUE(post_empty(*store, {store->open_lane().value(), 1}));
    replace(path);
    const std::string theirs = fingerprint_of(path);
    const std::string log = fingerprint_of(path + "-wal");
    store.reset();
    EXPECT_EQ(fingerprint_of(path), theirs);
    EXPECT_EQ(fingerprint_of(path + "-wal"), log);
  }
}

// Its own checkpoints, a second name of the file and readers are nothing that has to be told.
TEST(SqliteStorage, WhatIsInOrderIsNotTold_E24) {
  const SqliteWorld world;
  SqliteOptions options = world.options();
  options.checkpoint_pages = 1;
  const VirtualClock clock{Time()};
  const auto opened = open_watched_sqlite_store(options, clock).value();
  const rules::LaneId lane = opened.store->open_lane().value();
  const std::string before = fingerprint_of(options.path);
  for (std::int64_t n = 1; n <= 20; ++n) {
    ASSERT_TRUE(post_empty(*opened.store, {lane, n}));
    ASSERT_EQ(told_by(*opened.storage), "nothing");
    ASSERT_TRUE(open_sqlite_reader(options, clock).value()->modes());
  }
  EXPECT_NE(fingerprint_of(options.path), before) << "no checkpoint was made";
  fs::create_hard_link(options.path, options.path + ".second");
  fs::permissions(options.path, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(told_by(*opened.storage), "nothing");
}

TEST(SqliteStorage, ACheckpointBesideALookIsNotTold_E24) {
  const SqliteWorld world;
  SqliteOptions options = world.options();
  options.checkpoint_pages = 1;
  const VirtualClock clock{Time()};
  const auto opened = open_watched_sqlite_store(options, clock).value();
  const rules::LaneId lane = opened.store->open_lane().value();
  std::atomic<bool> done{false};
  std::string told = "nothing";
  std::thread watcher([&] {
    while (!done && told == "nothing") told = told_by(*opened.storage);
  });
  for (std::int64_t n = 1; n <= 200; ++n) EXPECT_TRUE(post_empty(*opened.store, {lane, n}));
  done = true;
  watcher.join();
  EXPECT_EQ(told, "nothing");
}

TEST(SqliteStorage, ALinkThatIsMadeToLeadElsewhereIsTold_E24) {
  const SqliteWorld world;
  const SqliteWorld other;
  SqliteOptions options = world.options();
  const std::string link = options.path + ".link";
  fs::create_symlink(options.path, link);
  options.path = link;
  const VirtualClock clock{Time()};
  const auto opened = open_watched_sqlite_store(options, clock).value();
  EXPECT_EQ(told_by(*opened.storage), "nothing");
  fs::remove(link);
  fs::create_symlink(other.options().path, link);
  EXPECT_EQ(told_by(*opened.storage),
            "the database, " + link + ", was replaced: another file than the one that is open");
}

}  // namespace
}  // namespace gavel::judge
