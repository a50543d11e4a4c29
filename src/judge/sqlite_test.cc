// What is SQLite's own: settings, the lock, the file, time, and who checkpoints. The rest is in
// store_contract.cc.
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge/sqlite_form_test.h"
#include "judge/sqlite_lock.h"
#include "judge/sqlite_open.h"
#include "judge/sqlite_settings.h"
#include "judge/sqlite_store.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// What the docs promise, written down a second time.
std::string settings_read_back(sqlite::Role role, const std::vector<std::string>& names) {
  const SqliteWorld world;
  const auto connection = sqlite::open_current(world.options(), role);
  EXPECT_TRUE(connection);
  std::string text;
  for (const std::string& name : names) {
    text += name + "=" + (*connection)->ask("PRAGMA " + name).value() + "\n";
  }
  return text;
}

TEST(SqliteSettings, OfTheStore) {
  EXPECT_EQ(settings_read_back(
                sqlite::Role::writer,
                {"journal_mode", "synchronous", "wal_autocheckpoint", "mmap_size", "secure_delete",
                 "cell_size_check", "trusted_schema", "foreign_keys", "recursive_triggers", "temp_store",
                 "page_size", "auto_vacuum", "cache_size", "ignore_check_constraints"}),
            "journal_mode=wal\nsynchronous=2\nwal_autocheckpoint=0\nmmap_size=0\nsecure_delete=0\n"
            "cell_size_check=1\ntrusted_schema=0\nforeign_keys=1\nrecursive_triggers=1\ntemp_store=2\n"
            "page_size=4096\nauto_vacuum=0\ncache_size=-32768\nignore_check_constraints=0\n");
}

TEST(SqliteSettings, OfReaders) {
  EXPECT_EQ(settings_read_back(sqlite::Role::reader, {"query_only", "journal_mode", "mmap_size",
                                                      "cell_size_check", "trusted_schema"}),
            "query_only=1\njournal_mode=wal\nmmap_size=0\ncell_size_check=1\ntrusted_schema=0\n");
}

// A file whose own settings are others is refused, and not only a connection whose settings failed.
TEST(SqliteSettings, AreComparedWithWhatSqliteAnswers) {
  const TemporaryFolder folder;
  const auto connection = sqlite::Connection::open(folder.file("big.db"), "", sqlite::Role::creator).value();
  ASSERT_TRUE(connection->execute("PRAGMA page_size = 8192; CREATE TABLE t (a)"));
  const auto applied = sqlite::apply_settings(*connection, sqlite::Role::creator);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::invalid);
  EXPECT_NE(applied.error().message.find("page_size is 8192 and must be 4096"), std::string::npos)
      << applied.error().message;
}

TEST(SqliteLock, ASecondOpenerIsToldWhoHoldsTheFile) {
  SqliteWorld world;
  auto store = world.open_store();
  const std::string holder =
      "is open for writing in process " + std::to_string(::getpid()) + "; stop it first";
  const auto second = open_sqlite_store(world.options(), world.clock());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::invalid);
  EXPECT_NE(second.error().message.find(holder), std::string::npos) << second.error().message;
  const auto migration = migrate_sqlite(world.options());
  ASSERT_FALSE(migration);
  EXPECT_NE(migration.error().message.find(holder), std::string::npos) << migration.error().message;

  store.reset();
  EXPECT_TRUE(open_sqlite_store(world.options(), world.clock()));
}

TEST(SqliteLock, EndsWithAProcessThatIsKilled) {
  const TemporaryFolder folder;
  const std::string path = folder.file("gavel.db");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = sqlite::FileLock::take(path);
    static_cast<void>(::write(ready[1], lock ? "y" : "n", 1) == 1);
    for (;;) ::pause();
  }
  char taken = 0;
  ASSERT_EQ(::read(ready[0], &taken, 1), 1);
  ASSERT_EQ(taken, 'y');
  const auto refused = sqlite::FileLock::take(path);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("process " + std::to_string(child)), std::string::npos);

  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(sqlite::FileLock::take(path));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(SqliteStore, RefusesAFileThatIsNotThere) {
  const TemporaryFolder folder;
  const VirtualClock clock(Time(0ms));
  const SqliteOptions options{.path = folder.file("none.db"), .vfs = ""};
  const auto store = open_sqlite_store(options, clock);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::invalid);
  EXPECT_NE(store.error().message.find("gavel migrate"), std::string::npos) << store.error().message;
  EXPECT_FALSE(fs::exists(options.path));
  EXPECT_FALSE(open_sqlite_reader(options));
}

// Posts an empty batch, whose row carries the time.
void post_empty(Store& store, BatchId batch) {
  ASSERT_TRUE(store.begin());
  ASSERT_TRUE(store.write(rules::State{}, batch, store.now().value()));
  ASSERT_TRUE(store.commit());
}

TEST(SqliteStore, TimeNeverGoesBackEvenOverARestart) {
  SqliteWorld world;
  const Time start = world.clock().now();
  auto store = world.open_store();
  world.clock().jump(5s);
  EXPECT_EQ(store->now().value(), start + 5s);
  world.clock().jump(-60s);
  EXPECT_EQ(store->now().value(), start + 5s);
  post_empty(*store, {store->open_lane().value(), 1});

  store.reset();
  store = world.open_store();
  EXPECT_EQ(store->now().value(), start + 5s);
  // A lane that wrote nothing does not hide the batches of the one before.
  ASSERT_TRUE(store->open_lane());
  store.reset();
  EXPECT_EQ(world.open_store()->now().value(), start + 5s);
}

// What is to be seen of a checkpoint: the log's pages move into the database file.
struct Files {
  std::string database;
  std::uintmax_t log_bytes;
  bool operator==(const Files&) const = default;
};

Files files_of(const SqliteOptions& options) {
  return {content_of(options.path),
          fs::exists(options.path + "-wal") ? fs::file_size(options.path + "-wal") : 0};
}

TEST(SqliteReader, NeverCheckpointsThoughItClosesLast) {
  SqliteWorld world;
  auto store = world.open_store();
  auto reader = world.open_reader();
  const rules::LaneId lane = store->open_lane().value();
  for (std::int64_t n = 1; n <= 20; ++n) post_empty(*store, {lane, n});
  store.reset();  // Not the last one, so its end does not checkpoint.
  const Files before = files_of(world.options());
  EXPECT_GT(before.log_bytes, 0u);

  std::int64_t batches = 0;
  Reader::Visitor visitor;
  visitor.batch = [&](const BatchRow&) { ++batches; };
  ASSERT_TRUE(reader->visit(visitor));
  EXPECT_EQ(batches, 20);
  reader.reset();
  EXPECT_TRUE(files_of(world.options()) == before);

  // The store's own end does, which shows that the test can see it.
  world.open_store().reset();
  EXPECT_FALSE(files_of(world.options()) == before);
}

// After a clean end there is neither log nor shared memory; after a crash there is a log, and memory that is
// stale or gone. A reader that comes first opens both.
TEST(SqliteReader, OpensAFileThatNobodyElseHasOpen) {
  SqliteWorld world;
  auto store = world.open_store();
  const rules::LaneId lane = store->open_lane().value();
  post_empty(*store, {lane, 1});
  const TemporaryFolder crashed;
  const SqliteOptions copy{.path = crashed.file("gavel.db"), .vfs = ""};
  fs::copy_file(world.options().path, copy.path);
  fs::copy_file(world.options().path + "-wal", copy.path + "-wal");
  store.reset();
  ASSERT_FALSE(fs::exists(world.options().path + "-shm"));

  for (const SqliteOptions& options : {world.options(), copy}) {
    const auto reader = open_sqlite_reader(options);
    ASSERT_TRUE(reader) << reader.error().message;
    std::int64_t batches = 0;
    Reader::Visitor visitor;
    visitor.batch = [&](const BatchRow&) { ++batches; };
    ASSERT_TRUE((*reader)->visit(visitor));
    EXPECT_EQ(batches, 1);
  }
}

TEST(SqliteStore, CheckpointsWhenTheLogHasGrownAndNotBefore) {
  SqliteWorld world;
  SqliteOptions options = world.options();
  options.checkpoint_pages = 8;
  const auto store = open_sqlite_store(options, world.clock()).value();
  const rules::LaneId lane = store->open_lane().value();
  const std::string before = content_of(options.path);
  std::int64_t n = 0;
  while (content_of(options.path) == before && n < 100) post_empty(*store, {lane, ++n});
  EXPECT_GT(n, 2);
  EXPECT_LE(n, 10);  // An empty batch changes a page or two.
  // The log begins anew instead of growing.
  while (n < 200) post_empty(*store, {lane, ++n});
  EXPECT_LE(fs::file_size(options.path + "-wal"), 20 * 4200u);
}

// A row that somebody else wrote stops the store instead of being taken for something.
TEST(SqliteReader, ARowInAnotherFormIsBroken) {
  SqliteWorld world;
  {
    const auto connection = sqlite::open_current(world.options(), sqlite::Role::writer).value();
    ASSERT_TRUE(connection->execute("INSERT INTO sku VALUES (1, 'not a code', 1, 1)"));
  }
  const auto reader = world.open_reader();
  Reader::Visitor visitor;
  std::int64_t seen = 0;
  visitor.sku = [&](const rules::Sku&) { ++seen; };
  const auto visited = reader->visit(visitor);
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().code, ErrorCode::broken);
  EXPECT_EQ(seen, 0);
  const auto later = reader->due(Time(0ms), 1);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::broken);
}

}  // namespace
}  // namespace gavel::judge
