// What is SQLite's own: settings, the lock, the file, time, and who checkpoints. The rest is in
// store_contract.cc.
// One noun: the SQLite store.
#include "judge/sqlite/store.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/audit/audit.h"
#include "judge/sqlite/lock.h"
#include "judge/sqlite/open.h"
#include "judge/sqlite/settings.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/sqlite_form_test.h"

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

TEST(SqliteSettings, ReadersAloneNeverCheckpointWhenTheyClose) {
  const SqliteWorld world;
  for (const sqlite::Role role : {sqlite::Role::writer, sqlite::Role::reader}) {
    const auto connection = sqlite::open_current(world.options(), role).value();
    int answer = -1;
    sqlite3_db_config(connection->raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &answer);
    EXPECT_EQ(answer, role == sqlite::Role::reader ? 1 : 0);
  }
}

// Another program's write lock, on a connection of its own.
class ForeignLock {
 public:
  explicit ForeignLock(const std::string& path) {
    CHECK(sqlite3_open(path.c_str(), &other_) == SQLITE_OK);
    CHECK(sqlite3_exec(other_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  ~ForeignLock() {
    CHECK(sqlite3_exec(other_, "ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(sqlite3_close(other_) == SQLITE_OK);
  }
  ForeignLock(const ForeignLock&) = delete;
  ForeignLock& operator=(const ForeignLock&) = delete;

 private:
  sqlite3* other_ = nullptr;
};

// It is waited for once and for a second, however many commands there are; none of them is at fault, so that
// the batch is not tried in halves. Readers read on.
TEST(SqliteLocked, ABatchIsRefusedWholeWithinItsSecondAndNothingIsTriedAgain_G007) {
  SqliteWorld world;
  const auto store = world.open_store();
  const auto reader = world.open_reader();
  JudgeDriver court(*store);
  EXPECT_EQ(court.say_all({put_sku("put", "tee"), receive("in", "tee", 9)}), "created\nreceived\n");
  const std::vector<rules::Command> orders{reserve("a", "ann", {{"tee", 1}}),
                                           reserve("b", "bob", {{"tee", 1}}),
                                           reserve("c", "cyd", {{"tee", 1}}), receive("d", "tee", 1)};
  const RealClock clock;
  {
    const ForeignLock lock(world.options().path);
    const Duration begun = clock.steady();
    const auto refused = court.apply(orders);
    const Duration took = clock.steady() - begun;
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
    EXPECT_NE(refused.error().message.find("another program has locked the database"), std::string::npos);
    EXPECT_GE(took, 900ms) << "a short lock is waited for";
    EXPECT_LT(took, 1'900ms) << "below the two seconds within which a request is begun or refused";
    EXPECT_EQ(court.pauses(), 0);
    EXPECT_EQ(court.judge().try_begin().error().code, ErrorCode::unavailable);
    EXPECT_TRUE(reader->stock(rules::SkuCode("tee")));
  }
  EXPECT_TRUE(court.judge().try_begin());
  ASSERT_TRUE(court.apply(orders));
  EXPECT_EQ(audit(*reader).value().findings.size(), 0U);
}

// A lane that was never opened cannot be, and is when the lock is gone.
TEST(SqliteLocked, NoLaneIsOpenedMeanwhile_G007) {
  SqliteWorld world;
  const auto store = world.open_store();
  JudgeDriver court(*store);
  {
    const ForeignLock lock(world.options().path);
    EXPECT_EQ(court.apply({put_sku("put", "tee")}).error().code, ErrorCode::unavailable);
    EXPECT_EQ(court.pauses(), 0);
  }
  EXPECT_EQ(court.say(put_sku("put", "tee")), "created");
}

// Root may write every file, so the thread is nobody's for the moment, as far as files go.
TEST(SqliteOpen, AFileThatMayNotBeWrittenIsRefused) {
  const SqliteWorld world;
  const fs::path file = world.options().path;
  fs::permissions(file.parent_path(), fs::perms::all);
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  const auto before = static_cast<uid_t>(::setfsuid(65'534));
  const auto connection = sqlite::open_current(world.options(), sqlite::Role::writer);
  ::setfsuid(before);
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, ErrorCode::invalid);
  EXPECT_NE(connection.error().message.find("may not be written by this user"), std::string::npos)
      << connection.error().message;
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

// A file of this version in which somebody changed what no migration does.
TEST(SqliteSettings, AFileOfThisVersionWithOtherSettingsIsNotOpened) {
  const TemporaryFolder folder;
  const SqliteOptions options{.path = folder.file("big.db"), .vfs = ""};
  const auto connection = sqlite::Connection::open(options.path, "", sqlite::Role::creator).value();
  ASSERT_TRUE(
      connection->execute("PRAGMA page_size = 8192; PRAGMA application_id = 0x4741564c; "
                          "PRAGMA user_version = " +
                          std::to_string(sqlite_schema_version)));
  const auto opened = sqlite::open_current(options, sqlite::Role::writer);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("page_size is 8192"), std::string::npos) << opened.error().message;
}

TEST(SqliteSettings, OfABrokenConnectionAreNotKnown) {
  const SqliteWorld world;
  const auto connection = sqlite::open_current(world.options(), sqlite::Role::writer).value();
  connection->break_off("the disk");
  const auto applied = sqlite::apply_settings(*connection, sqlite::Role::writer);
  ASSERT_FALSE(applied);
  EXPECT_TRUE(applied.error().message.starts_with("the disk")) << applied.error().message;
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

TEST(SqliteLock, HoldsUnderEveryNameOfTheFile) {
  SqliteWorld world;
  const std::string path = world.options().path;
  const auto store = world.open_store();
  fs::create_symlink(path, path + ".other");
  const auto by_link = sqlite::FileLock::take(path + ".other");
  ASSERT_FALSE(by_link);
  EXPECT_NE(by_link.error().message.find("is open for writing in process"), std::string::npos);
  fs::create_hard_link(path, path + ".hard");
  for (const char* ending : {"", ".hard"}) {
    const auto by_name = sqlite::FileLock::take(path + ending);
    ASSERT_FALSE(by_name);
    EXPECT_EQ(by_name.error().message,
              path + ending +
                  " has 2 names (hard links), and SQLite would keep a log for each; remove all but one");
  }
}

TEST(SqliteLock, ALinkThatLeadsToItselfIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("gavel.db");
  fs::create_symlink(path, path);
  EXPECT_EQ(sqlite::FileLock::take(path).error().message,
            path + " cannot be found: Too many levels of symbolic links");
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
  EXPECT_FALSE(open_sqlite_reader(options, clock));
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

// The steady reading is kept with the time, so that it goes on while nobody serves (E25, G001).
TEST(SqliteStore, ARestartOfTheProcessChangesNothing_E25_G001) {
  SqliteWorld world;
  const Time start = world.clock().now();
  auto store = world.open_store();
  post_empty(*store, {store->open_lane().value(), 1});
  store.reset();
  world.clock().advance(30s);
  for (const Duration by : {Duration(-1h), Duration(9h)}) {
    world.clock().jump(by);
    EXPECT_EQ(world.open_store()->now().value(), start + 30s);
    EXPECT_EQ(world.open_reader()->due(1)->now, start + 30s);
  }
}

TEST(SqliteStore, AfterAnotherBootALaterWallClockIsBelievedUpToAWeek_E25) {
  for (const auto& [off, believed] :
       {std::pair(Duration(7 * 24h), true), {Duration(7 * 24h) + 1ms, false}, {Duration(-1h), false}}) {
    SqliteWorld world;
    world.clock().advance(60s);
    const Time kept = world.clock().now();
    auto store = world.open_store();
    post_empty(*store, {store->open_lane().value(), 1});
    store.reset();
    world.clock().jump(off);
    world.clock().reboot();
    const auto opened = open_watched_sqlite_store(world.options(), world.clock()).value();
    ASSERT_TRUE(opened.after_boot);
    EXPECT_EQ(opened.after_boot->kept, kept);
    EXPECT_EQ(opened.after_boot->wall, kept + off);
    EXPECT_EQ(opened.after_boot->judge, believed ? kept + off : kept);
    world.clock().advance(2s);
    const Time then = (believed ? kept + off : kept) + 2s;
    EXPECT_EQ(opened.store->now().value(), then);
    post_empty(*opened.store, {opened.store->open_lane().value(), 1});
    EXPECT_EQ(world.open_reader()->due(1)->now, then);
  }
}

// What an older schema wrote has no steady reading.
TEST(SqliteStore, ATimeWithoutASteadyReadingIsOneOfAnotherBoot_E25) {
  SqliteWorld world;
  auto store = world.open_store();
  post_empty(*store, {store->open_lane().value(), 1});
  store.reset();
  ASSERT_TRUE(
      sqlite::open_current(world.options(), sqlite::Role::writer)
          .value()
          ->execute("DROP TRIGGER batch_stays; UPDATE batch SET steady = NULL; UPDATE lane SET boot = NULL"));
  const Time then = world.clock().now() + 3h;
  world.clock().jump(3h);
  EXPECT_EQ(world.open_store()->now().value(), then);
}

Result<void> post_orders(Store& store, BatchId batch, const std::vector<rules::Order>& orders) {
  rules::State state;
  for (const rules::Order& order : orders) state.orders.emplace(order.id, order);
  if (auto begun = store.begin(); !begun) return begun;
  Result<void> done = store.write(state, batch, store.now().value());
  if (done) done = store.commit();
  if (!done) store.rollback();
  return done;
}

// The rows themselves refuse what no rule does: even a writer that saw the payment cannot expire it.
TEST(SqliteStore, AnOrderLeavesHeldOnce) {
  SqliteWorld world;
  const auto store = world.open_store();
  const rules::LaneId lane = store->open_lane().value();
  const Time start = world.clock().now();
  rules::Order order = make_order(1, "ann", {{rules::ItemId{1}, 0, {1}}}, start + 10s);
  ASSERT_TRUE(post_orders(*store, {lane, 1}, {order}));
  mark_loaded(order);
  order.row_state = rules::RowState::updated;
  order.state = rules::OrderState::paid;
  order.settled_at = start;
  order.revision = 1;
  ASSERT_TRUE(post_orders(*store, {lane, 2}, {order}));
  mark_loaded(order);
  order.state = rules::OrderState::expired;
  order.revision = 2;
  const auto late = post_orders(*store, {lane, 3}, {order});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::constraint) << late.error().message;
}

// What another writer could have done since the rows were loaded: each is found out by the row itself.
TEST(SqliteStore, AChangeOfAStaleRowIsAConflict) {
  SqliteWorld world;
  const auto store = world.open_store();
  const rules::LaneId lane = store->open_lane().value();
  rules::State first;
  const rules::SkuCode tee("tee");
  const rules::ActivityCode sale("sale");
  first.skus.emplace(tee, rules::Sku{rules::SkuId{1}, tee, 1, rules::ItemId{1}, rules::RowState::inserted});
  first.items.emplace(rules::ItemId{1}, rules::Item{.id = {1},
                                                    .sku = {1},
                                                    .generation = 4,
                                                    .buckets = {rules::Bucket{}},
                                                    .loaded = {rules::Bucket{}},
                                                    .row_state = rules::RowState::inserted});
  first.activities.emplace(sale, rules::Activity{.id = {1},
                                                 .code = sale,
                                                 .name = "Sale",
                                                 .state = rules::ActivityState::open,
                                                 .limit_per_user = {},
                                                 .opens_at = {},
                                                 .closes_at = {},
                                                 .hold = {},
                                                 .lines = {},
                                                 .row_state = rules::RowState::inserted});
  first.counters = {5, 5, 5, rules::RowState::updated};
  const auto post = [&](const rules::State& state, std::int64_t n) {
    EXPECT_TRUE(store->begin());
    Result<void> done = store->write(state, {lane, n}, store->now().value());
    if (done) done = store->commit();
    store->rollback();
    return done;
  };
  ASSERT_TRUE(post(first, 1));

  rules::State item, activity, counters;
  item.items = first.items;
  item.items.begin()->second.row_state = rules::RowState::updated;
  activity.activities = first.activities;
  activity.activities.begin()->second.row_state = rules::RowState::updated;
  activity.activities.begin()->second.id = {9};  // It is not there.
  counters.counters = {5, 4, 5, rules::RowState::updated};
  for (const rules::State& stale : {item, activity, counters}) {
    const auto posted = post(stale, 2);
    ASSERT_FALSE(posted);
    EXPECT_EQ(posted.error().code, ErrorCode::conflict) << posted.error().message;
  }
}

// A flash sale ends: the holds of thousands are due on one item, and each of them asks for more.
TEST(SqliteStore, FindsTheDueHoldsOfEachUserAmongThousands) {
  SqliteWorld world;
  const auto store = world.open_store();
  const rules::LaneId lane = store->open_lane().value();
  const Time start = world.clock().now();
  constexpr int users = 2000;
  std::vector<rules::Order> orders;
  for (int i = 0; i < 2 * users; ++i) {
    rules::Order order = make_order(1, "user" + std::to_string(i % users), {{rules::ItemId{1}, 0, {1}}},
                                    start + 10s + Duration(i));
    order.id.uuid.bytes[5] = static_cast<std::uint8_t>(i / 256);
    order.id.uuid.bytes[15] = static_cast<std::uint8_t>(i % 256);
    orders.push_back(order);
  }
  ASSERT_TRUE(post_orders(*store, {lane, 1}, orders));
  ASSERT_TRUE(store->begin());
  std::vector<DueQuestion> questions;
  for (std::size_t i = 0; i < users; ++i) questions.push_back({rules::ItemId{1}, orders[i].user, 10});
  const DueOrders due = store->find_due(questions, start + 60s).value();
  ASSERT_EQ(due.size(), questions.size());
  for (std::size_t i = 0; i < users; ++i)
    EXPECT_EQ(due[i], (std::vector{orders[i].id, orders[i + users].id}));

  const DueQuestion one{rules::ItemId{1}, orders[0].user, 1};
  const DueQuestion ten{rules::ItemId{1}, orders[0].user, 10};
  EXPECT_EQ(store->find_due(std::span(&one, 1), start + 60s)->at(0).size(), 1u);
  EXPECT_EQ(store->find_due(std::span(&ten, 1), start + 10s)->at(0).size(), 1u) << "the other is not due";
  store->rollback();
}

// What is to be seen of a checkpoint: the log's pages move into the database file.
struct Files {
  std::string database;
  std::uintmax_t log_bytes;
  bool operator==(const Files&) const = default;
};

Files files_of(const SqliteOptions& options) {
  return {fingerprint_of(options.path),
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
    const auto reader = open_sqlite_reader(options, world.clock());
    ASSERT_TRUE(reader) << reader.error().message;
    std::int64_t batches = 0;
    Reader::Visitor visitor;
    visitor.batch = [&](const BatchRow&) { ++batches; };
    ASSERT_TRUE((*reader)->visit(visitor));
    EXPECT_EQ(batches, 1);
  }
}

// What a reader answers to somebody who may read the file and its folder and write neither.
std::string answer_to_a_stranger(const SqliteOptions& options) {
  fs::permissions(fs::path(options.path).parent_path(), fs::perms(0555));
  fs::permissions(options.path, fs::perms(0444));
  int answer[2];
  EXPECT_EQ(::pipe(answer), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(::setuid(65534) == 0);  // Permissions do not hold for root.
    const VirtualClock clock(Time(0ms));
    const auto reader = open_sqlite_reader(options, clock);
    const std::string text = reader ? "opened" : reader.error().message;
    static_cast<void>(::write(answer[1], text.data(), text.size()) > 0);
    ::_exit(0);
  }
  ::close(answer[1]);
  std::string text(2000, ' ');
  const ssize_t count = ::read(answer[0], text.data(), text.size());
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(answer[0]);
  fs::permissions(fs::path(options.path).parent_path(), fs::perms(0755));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

TEST(SqliteReader, SaysWhatItNeedsWhereTheIndexOfTheLogCannotBeMade) {
  SqliteWorld world;
  const std::string refusal = answer_to_a_stranger(world.options());
  EXPECT_NE(refusal.find("-shm beside it must exist, or its folder must be writable, for readers too"),
            std::string::npos)
      << refusal;
}

TEST(SqliteReader, SaysThatAFileIsNoDatabase) {
  SqliteWorld world;
  std::ofstream(world.options().path) << std::string(4096, 'x');
  const auto reader = open_sqlite_reader(world.options(), world.clock());
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().message,
            "SQLite " + world.options().path +
                " is not a database, or is damaged; name another file, or restore a copy");
}

// How many batches are posted until the first checkpoint; 200 if there is none.
std::int64_t batches_until_a_checkpoint(Store& store, rules::LaneId lane, const std::string& path,
                                        bool idle) {
  const std::string before = fingerprint_of(path);
  std::int64_t n = 0;
  while (fingerprint_of(path) == before && n < 200) {
    post_empty(store, {lane, ++n});
    EXPECT_TRUE(!idle || store.idle());
  }
  return n;
}

// An empty batch changes a page or two.
TEST(SqliteStore, CheckpointsWhenTheLogHasGrownAndNotBefore) {
  SqliteWorld world;
  SqliteOptions options = world.options();
  options.checkpoint_pages = 8;
  const auto store = open_sqlite_store(options, world.clock()).value();
  const rules::LaneId lane = store->open_lane().value();
  std::int64_t n = batches_until_a_checkpoint(*store, lane, options.path, false);
  EXPECT_GT(n, 2);
  EXPECT_LE(n, 10);
  // The log begins anew instead of growing.
  while (n < 200) post_empty(*store, {lane, ++n});
  EXPECT_LE(fs::file_size(options.path + "-wal"), 20 * 4200u);
}

TEST(SqliteStore, WhereNothingWaitsItCheckpointsAtAQuarterOfThat) {
  SqliteWorld world;
  SqliteOptions options = world.options();
  options.checkpoint_pages = 400;
  const auto store = open_sqlite_store(options, world.clock()).value();
  const std::int64_t n = batches_until_a_checkpoint(*store, store->open_lane().value(), options.path, true);
  EXPECT_GT(n, 40);
  EXPECT_LE(n, 110);
}

// A row that somebody else wrote stops the store instead of being taken for something.
TEST(SqliteReader, ARowInAnotherFormIsBroken) {
  SqliteWorld world;
  {
    const auto connection = sqlite::open_current(world.options(), sqlite::Role::writer).value();
    ASSERT_TRUE(
        connection->execute("INSERT INTO sku VALUES (1, 'two' || char(10) || 'lines', 1, 1, 'service', 0)"));
  }
  const auto reader = world.open_reader();
  Reader::Visitor visitor;
  std::int64_t seen = 0;
  visitor.sku = [&](const rules::Sku&) { ++seen; };
  const auto visited = reader->visit(visitor);
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().code, ErrorCode::broken);
  EXPECT_EQ(seen, 0);
  const auto later = reader->due(1);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::broken);
}

}  // namespace
}  // namespace gavel::judge
