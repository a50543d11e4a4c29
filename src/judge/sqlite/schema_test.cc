// Migrations, constraints as the last line of defence, and the ways in which statements find their rows.
// One noun: the schema of an SQLite file.
#include "judge/sqlite/schema.h"

#include <sstream>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "judge/audit/audit.h"
#include "judge/sqlite/open.h"
#include "judge/sqlite/queries.h"
#include "judge/testing/fault_vfs.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/sqlite_form_test.h"
#include "judge/testing/store_contract.h"

namespace gavel::judge {
namespace {

using sqlite::Connection;
using sqlite::Role;

std::unique_ptr<Connection> create(const std::string& path) {
  return Connection::open(path, "", Role::creator).value();
}

std::string tables_of(Connection& connection) {
  return connection.ask("SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema ORDER BY name)")
      .value();
}

TEST(SqliteMigration, FromNothingAndAgain) {
  const TemporaryFolder folder;
  const SqliteOptions options{.path = folder.file("gavel.db"), .vfs = ""};
  EXPECT_EQ(sqlite_schema_version_of(options).value(), 0);
  EXPECT_EQ(migrate_sqlite(options).value(), sqlite_schema_version);
  EXPECT_EQ(sqlite_schema_version_of(options).value(), sqlite_schema_version);
  EXPECT_EQ(migrate_sqlite(options).value(), 0);
  EXPECT_EQ(fingerprint_of(options.path).substr(68, 4),
            "GAVL");  // Where file(1) looks for the application's id.
}

TEST(SqliteMigration, TwoDatabasesHaveTwoIncarnations) {
  const SqliteWorld one;
  const SqliteWorld other;
  const auto incarnation_of = [](const SqliteWorld& world) {
    return sqlite::open_current(world.options(), Role::reader)
        .value()
        ->ask("SELECT hex(incarnation) FROM meta")
        .value();
  };
  EXPECT_EQ(incarnation_of(one).size(), 32u);
  EXPECT_NE(incarnation_of(one), incarnation_of(other));
}

// An interrupted step leaves the version in front of it, whole, and the next run goes on from there.
TEST(SqliteMigration, GoesOnWhereItWasInterrupted) {
  const TemporaryFolder folder;
  const auto connection = create(folder.file("gavel.db"));
  const char* const interrupted[] = {"CREATE TABLE a (x)", "CREATE TABLE b (x)",
                                     "CREATE TABLE c (x); INSERT INTO missing VALUES (1)"};
  const char* const whole[] = {interrupted[0], interrupted[1], "CREATE TABLE c (x)", "CREATE TABLE d (x)"};
  EXPECT_FALSE(sqlite::migrate(*connection, interrupted));

  const auto again = create(folder.file("gavel.db"));
  EXPECT_EQ(sqlite::version_of(*again).value(), 2);
  EXPECT_EQ(tables_of(*again), "a b");
  EXPECT_EQ(sqlite::migrate(*again, whole).value(), 2);
  EXPECT_EQ(sqlite::version_of(*again).value(), 4);
  EXPECT_EQ(tables_of(*again), "a b c d");
}

// Every write and every sync of a migration fails once; whatever is left is of one version and can be brought
// up.
TEST(SqliteMigration, SurvivesADiskThatFailsAtAnyCall) {
  FaultVfs vfs("migration_faults");
  std::int64_t fired = 0;
  using enum FaultVfs::Fault;
  using File = FaultVfs::File;
  for (const FaultVfs::Fault fault : {full, short_write, sync_error, read_error, lock_error}) {
    for (const File file : {File::database, File::log, File::other}) {
      for (std::int64_t nth = 1;; nth += 1 + nth / 4) {
        const TemporaryFolder folder;
        SqliteOptions options{.path = folder.file("gavel.db"), .vfs = vfs.name()};
        vfs.arm(fault, file, nth);
        const auto migrated = migrate_sqlite(options);
        vfs.disarm();
        if (!vfs.fired()) break;
        ++fired;
        options.vfs = "";
        const auto version = sqlite_schema_version_of(options);
        ASSERT_TRUE(version) << version.error().message;
        ASSERT_TRUE(*version >= 0 && *version <= sqlite_schema_version);
        ASSERT_TRUE(migrate_sqlite(options)) << (migrated ? "" : migrated.error().message);
        ASSERT_EQ(sqlite_schema_version_of(options).value(), sqlite_schema_version);
      }
    }
  }
  EXPECT_GT(fired, 10);
}

TEST(SqliteMigration, LeavesANewerFileAlone) {
  const SqliteWorld world;
  const SqliteOptions& options = world.options();
  ASSERT_TRUE(sqlite::open_current(options, Role::writer).value()->execute("PRAGMA user_version = 99"));
  const std::string before = fingerprint_of(options.path);
  const VirtualClock clock{Time()};
  for (const Error& error : {migrate_sqlite(options).error(), open_sqlite_store(options, clock).error(),
                             open_sqlite_reader(options, clock).error()}) {
    EXPECT_EQ(error.code, ErrorCode::invalid);
    EXPECT_NE(error.message.find("99"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("use the newer gavel"), std::string::npos) << error.message;
  }
  EXPECT_EQ(fingerprint_of(options.path), before);
}

TEST(SqliteMigration, LeavesAnOlderFileToMigrate) {
  const TemporaryFolder folder;
  const SqliteOptions options{.path = folder.file("gavel.db"), .vfs = ""};
  create(options.path)->execute("PRAGMA application_id = 0x4741564c").value();
  const VirtualClock clock{Time()};
  const auto store = open_sqlite_store(options, clock);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("run `gavel migrate`"), std::string::npos) << store.error().message;
}

TEST(SqliteMigration, LeavesAnotherProgramsFileAlone) {
  const TemporaryFolder folder;
  const SqliteOptions theirs{.path = folder.file("theirs.db"), .vfs = ""};
  create(theirs.path)->execute("CREATE TABLE notes (text)").value();
  const SqliteOptions empty{.path = folder.file("empty.db"), .vfs = ""};
  create(empty.path)->execute("PRAGMA application_id = 77").value();
  const SqliteOptions text{.path = folder.file("letter.txt"), .vfs = ""};
  write_content(text.path, std::string(5000, 'x'));
  const VirtualClock clock{Time()};
  for (const SqliteOptions& options : {theirs, empty, text}) {
    const std::string before = fingerprint_of(options.path);
    for (const Error& error :
         {migrate_sqlite(options).error(), open_sqlite_store(options, clock).error(),
          open_sqlite_reader(options, clock).error(), sqlite_schema_version_of(options).error()}) {
      EXPECT_EQ(error.code, ErrorCode::invalid) << error.message;
    }
    EXPECT_EQ(fingerprint_of(options.path), before);
  }
}

// A shop in a file of version 1: of five tees two are held by one order and one is sold to another, a third
// order gave its unit back and a fourth, of the operators', was refused; a sale of one is a draft.
constexpr const char* rows_of_version_1 = R"sql(
INSERT INTO lane VALUES (1, 1800000000000);
UPDATE counter SET next = CASE name WHEN 'item' THEN 3 ELSE 2 END;
INSERT INTO sku VALUES (1, 'tee', 1, 1);
INSERT INTO item VALUES (1, 1, 'main', '', 0, 2);
INSERT INTO bucket VALUES (1, 0, 2, 2, 1, 6);
INSERT INTO activity VALUES (1, 'sale', 'Sale', 'draft', 1, 1800000000000, NULL, 60);
INSERT INTO item VALUES (2, 1, 'main', '', 1, 1);
INSERT INTO bucket VALUES (2, 0, 0, 0, 0, 0);
INSERT INTO activity_line VALUES (1, 0, 1, 1, 2);
INSERT INTO batch VALUES (1, 1, 0, 1, 1800000000000), (1, 2, 0, 3, 1800000000000), (1, 3, 0, 2, 1800000001000);
INSERT INTO orders VALUES
  (x'01A3134C900070008000000000000001', 'held', 'ann', 0, '[[1,0,2]]', 1800000000000, 1800000900000, NULL, 'shop',
    NULL, 'act=reserve;user=ann;lines=tee*2', 'reserved', 1800000000000, '{"expires_at":1800000900000}'),
  (x'01A3134C900070008000000000000002', 'paid', 'bob', 0, '[[1,0,1]]', 1800000000000, 1800000900000, 1800000001000,
    NULL, NULL, NULL, NULL, NULL, NULL),
  (x'01A3134C900070008000000000000003', 'cancelled', 'eve', 0, '[[1,0,1]]', 1800000000000, 1800000900000,
    1800000001000, NULL, NULL, NULL, NULL, NULL, NULL),
  (x'01A3134C900070008000000000000004', 'refused', 'eve', 0, '[]', 1800000001000, NULL, NULL, 'operator', NULL,
    'act=reserve;user=eve;lines=tee*9', 'insufficient', 1800000001000, '{"sku":"tee","available":2}');
INSERT INTO flow VALUES
  (1, 1, 0, 1, 0, 1, 'receive', 5, 0, 5, NULL, 1, 'shop', NULL, 'inbound', 1800000000000),
  (1, 2, 0, 1, 0, 2, 'reserve', 2, 5, 3, x'01A3134C900070008000000000000001', 1, 'shop',
    '01a3134c-9000-7000-8000-000000000001', 'order', 1800000000000),
  (1, 2, 1, 1, 0, 3, 'reserve', 1, 3, 2, x'01A3134C900070008000000000000002', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 2, 2, 1, 0, 4, 'reserve', 1, 2, 1, x'01A3134C900070008000000000000003', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 3, 0, 1, 0, 5, 'confirm', 1, 1, 1, x'01A3134C900070008000000000000002', 1, 'shop', NULL, 'order', 1800000001000),
  (1, 3, 1, 1, 0, 6, 'cancel', 1, 1, 2, x'01A3134C900070008000000000000003', 1, 'shop', NULL, 'order', 1800000001000);
INSERT INTO hold VALUES (1, 1800000900000, x'01A3134C900070008000000000000001', 'ann');
)sql";

// The lines of a dump that speak of orders.
std::string orders_in(Reader& reader) {
  std::istringstream lines(canonical_dump(reader).value());
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("order ")) found += line + "\n";
  }
  return found;
}

TEST(SqliteMigration, FromVersion1KeepsEveryRowAndGoesOnWithIt) {
  const TemporaryFolder folder;
  const SqliteOptions options{.path = folder.file("gavel.db"), .vfs = ""};
  {
    const auto connection = create(options.path);
    ASSERT_EQ(sqlite::migrate(*connection, sqlite::schema_versions().first(1)).value(), 1);
    const auto filled = connection->execute(rows_of_version_1);
    ASSERT_TRUE(filled) << filled.error().message;
  }
  ASSERT_EQ(migrate_sqlite(options).value(), sqlite_schema_version - 1);
  EXPECT_EQ(create(options.path)->ask("PRAGMA integrity_check").value(), "ok");
  EXPECT_EQ(create(options.path)->ask("SELECT count(*) FROM pragma_foreign_key_check").value(), "0");

  VirtualClock clock(Time(Duration(1'800'000'002'000)));
  const auto reader = open_sqlite_reader(options, clock).value();
  EXPECT_EQ(
      orders_in(*reader),
      R"(order 01a3134c-9000-7000-8000-000000000001 state=held account=shop user=ann activity=0 taken=1/0*2 created_at=2027-01-15T08:00:00.000Z expires_at=2027-01-15T08:15:00.000Z settled_at=- revision=0
order 01a3134c-9000-7000-8000-000000000002 state=shipped account=shop user=bob activity=0 taken=1/0*1 shipped=1/0*1 created_at=2027-01-15T08:00:00.000Z expires_at=2027-01-15T08:15:00.000Z settled_at=2027-01-15T08:00:01.000Z revision=1
order 01a3134c-9000-7000-8000-000000000003 state=cancelled account=shop user=eve activity=0 taken=1/0*1 created_at=2027-01-15T08:00:00.000Z expires_at=2027-01-15T08:15:00.000Z settled_at=2027-01-15T08:00:01.000Z revision=1
order 01a3134c-9000-7000-8000-000000000004 state=refused account=shop user=eve activity=0 created_at=2027-01-15T08:00:01.000Z expires_at=- settled_at=- revision=0
)");
  EXPECT_TRUE(audit(*reader).value().clean());

  const auto store = open_sqlite_store(options, clock).value();
  JudgeDriver court(*store);
  const std::string held = to_text(order_id(1).uuid);
  const std::string paid = to_text(order_id(2).uuid);
  EXPECT_EQ(court.say(reserve(held, "ann", {{"tee", 2}})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#" + held);
  EXPECT_EQ(court.say(cancel("give-back", order_id(1))), "cancelled order=#" + held);
  EXPECT_EQ(court.say(refund("back", order_id(2))), "refunded state=refunded order=" + paid);
  EXPECT_EQ(court.say(warm_activity("warm", "sale")), "warmed");
  EXPECT_EQ(court.say(check_activity("check", "sale")), "verified");
  EXPECT_EQ(court.say(open_activity("open", "sale")), "opened");
  EXPECT_EQ(court.say(put_sku("more", "tee", 3, rules::Mode::gated)), "changed");
  EXPECT_EQ(court.say(reserve("all", "ann", {{"tee", 4}})),
            "reserved expires_at=2027-01-15T08:15:02.000Z order=#all");
  EXPECT_EQ(court.say(adjust("lost", "tee", -1)), "adjusted version=17 shortage=1");
  EXPECT_EQ(court.say(cancel("leave", order_of("all"))), "cancelled order=#all");
  const auto report = audit(*reader).value();
  EXPECT_TRUE(report.clean()) << report.findings[0].what;
}

// A shop in a file of version 5 whose item is short: a hold of two, and three orders that are paid, the last
// of which gave a unit back. Four units are short, of which two are held.
constexpr const char* rows_of_version_5 = R"sql(
INSERT INTO lane VALUES (1, 1800000000000);
UPDATE counter SET next = CASE name WHEN 'activity' THEN 1 ELSE 2 END;
INSERT INTO sku VALUES (1, 'tee', 2, 1, 'service', 0);
INSERT INTO item VALUES (1, 1, 'main', '', 0, 1, 0, 0);
INSERT INTO bucket VALUES (1, 0, 0, 2, 3, 5, 4), (1, 1, 0, 0, 2, 4, 0);
INSERT INTO batch VALUES (1, 1, 0, 9, 1800000000000);
INSERT INTO orders (id, state, user, activity, taken, returned, created_at, expires_at, settled_at, revision) VALUES
  (x'01A3134C900070008000000000000001', 'held', 'ann', 0, '[[1,0,2]]', NULL, 1800000000000, 1800000900000, NULL, 0),
  (x'01A3134C900070008000000000000002', 'paid', 'bob', 0, '[[1,0,2]]', NULL, 1800000000000, NULL, NULL, 0),
  (x'01A3134C900070008000000000000003', 'paid', 'eve', 0, '[[1,0,1],[1,1,1]]', NULL, 1800000000000, NULL, NULL, 0),
  (x'01A3134C900070008000000000000004', 'partly_refunded', 'dan', 0, '[[1,1,2]]', '[[1,1,1]]', 1800000000000, NULL,
    NULL, 1);
INSERT INTO flow VALUES
  (1, 1, 0, 1, 0, 1, 'receive', 5, 0, 5, NULL, 1, 'shop', NULL, 'inbound', 1800000000000),
  (1, 1, 1, 1, 0, 2, 'reserve', 2, 5, 3, x'01A3134C900070008000000000000001', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 1, 2, 1, 0, 3, 'sell', 2, 3, 1, x'01A3134C900070008000000000000002', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 1, 3, 1, 0, 4, 'sell', 1, 1, 0, x'01A3134C900070008000000000000003', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 1, 4, 1, 0, 5, 'fall_short', 4, 0, 0, NULL, 1, 'shop', NULL, 'count', 1800000000000),
  (1, 1, 5, 1, 1, 1, 'receive', 3, 0, 3, NULL, 1, 'shop', NULL, 'inbound', 1800000000000),
  (1, 1, 6, 1, 1, 2, 'sell', 1, 3, 2, x'01A3134C900070008000000000000003', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 1, 7, 1, 1, 3, 'sell', 2, 2, 0, x'01A3134C900070008000000000000004', 1, 'shop', NULL, 'order', 1800000000000),
  (1, 1, 8, 1, 1, 4, 'write_off', 1, 0, 0, x'01A3134C900070008000000000000004', 1, 'shop', NULL, 'order',
    1800000000000);
INSERT INTO hold VALUES (1, 1800000900000, x'01A3134C900070008000000000000001', 'ann');
)sql";

// Each bucket gets one entry, orders say what of theirs is shipped, and what is short of them is not (E22).
TEST(SqliteMigration, FromVersion5ShipsWhatWasSoldExceptWhatIsShort_E22) {
  const TemporaryFolder folder;
  const SqliteOptions options{.path = folder.file("gavel.db"), .vfs = ""};
  {
    const auto connection = create(options.path);
    ASSERT_EQ(sqlite::migrate(*connection, sqlite::schema_versions().first(5)).value(), 5);
    const auto filled = connection->execute(rows_of_version_5);
    ASSERT_TRUE(filled) << filled.error().message;
  }
  ASSERT_EQ(migrate_sqlite(options).value(), sqlite_schema_version - 5);
  const auto connection = create(options.path);
  EXPECT_EQ(connection->ask("SELECT group_concat(state || coalesce(shipped, '-'), ' ') FROM orders").value(),
            "held- shipped[[1,0,2]] partly_shipped[[1,1,1]] partly_refunded-");
  EXPECT_EQ(
      connection->ask("SELECT group_concat(sold || '/' || shipped || '#' || seq, ' ') FROM bucket").value(),
      "1/2#6 1/1#5");
  EXPECT_EQ(connection->ask("SELECT group_concat(lane || '.' || n || ' ' || flows) FROM batch").value(),
            "1.1 9,2.1 2");

  const VirtualClock clock(Time(Duration(1'800'000'002'000)));
  const auto reader = open_sqlite_reader(options, clock).value();
  const auto report = audit(*reader).value();
  EXPECT_TRUE(report.clean()) << report.findings[0].what;
  const auto store = open_sqlite_store(options, clock).value();
  JudgeDriver court(*store);
  EXPECT_EQ(court.say(refund("old", order_id(2), {{"tee", 1}})).substr(0, 29),
            "refunded state=shipped order=");
  EXPECT_EQ(court.say(ship("rest", order_id(3))).substr(0, 28), "shipped state=shipped order=");
  EXPECT_TRUE(audit(*reader).value().clean());
}

constexpr const char* sound_rows = R"sql(
INSERT INTO sku VALUES (1, 'tee', 1, 1, 'service', 0);
INSERT INTO item VALUES (1, 1, 'main', '', 0, 1, 0, 0);
INSERT INTO bucket VALUES (1, 0, 3, 1, 0, 2, 0, 0);
INSERT INTO activity VALUES (1, 'sale', 'Sale', 'draft', 1, 1, 2, 3, 'service', 0);
INSERT INTO instance VALUES (1, 0);
INSERT INTO batch VALUES (1, 1, 0, 2, 0, 0), (1, 2, 1, 0, 0, 0);
INSERT INTO orders VALUES (zeroblob(16), 'held', 'ann', 0, '[[1,0,1]]', NULL, 0, 9, NULL, NULL, 0, 0, 'shop', NULL, 'c', 'reserved', 0, NULL, NULL, NULL, 'shop');
INSERT INTO orders (id, state, user, activity, taken, created_at, revision) VALUES (x'01010101010101010101010101010101', 'paid', 'ann', 0, '[]', 0, 0);
INSERT INTO orders (id, state, user, activity, taken, returned, created_at, revision) VALUES (x'02020202020202020202020202020202', 'refunded', 'ann', 0, '[]', '[]', 0, 0);
INSERT INTO orders (id, state, user, activity, taken, created_at, revision, guard) VALUES (x'04040404040404040404040404040404', 'refused', '-', 0, '[]', 0, 0, 1);
INSERT INTO request VALUES ('shop', 'k', 'c', 'received', NULL, 0, NULL);
INSERT INTO flow VALUES (1, 1, 0, 1, 0, 1, 'receive', 4, 0, 4, NULL, 1, 'shop', 'k', 'inbound', 0);
INSERT INTO flow VALUES (1, 1, 1, 1, 0, 2, 'reserve', 1, 4, 3, zeroblob(16), 1, 'shop', NULL, 'order', 0);
INSERT INTO quota VALUES (1, 1, 'ann', 2, 1, NULL, NULL);
INSERT INTO hold VALUES (1, 9, zeroblob(16), 'ann');
)sql";

struct Refused {
  const char* sql;
  ErrorCode code;
};

constexpr auto constraint = ErrorCode::constraint;
constexpr auto duplicate = ErrorCode::duplicate;

constexpr Refused refused[] = {
    {"UPDATE bucket SET available = -1", constraint},
    {"UPDATE bucket SET reserved = reserved - 2", constraint},
    {"UPDATE bucket SET sold = -1", constraint},
    {"UPDATE bucket SET shipped = -1", constraint},
    {"UPDATE bucket SET available = 'many'", constraint},
    {"INSERT INTO bucket VALUES (1, 0, 0, 0, 0, 0, 0, 0)", duplicate},
    {"INSERT INTO bucket VALUES (9, 0, 0, 0, 0, 0, 0, 0)", constraint},
    {"UPDATE bucket SET available = 0, shortage = -1", constraint},
    {"UPDATE bucket SET shortage = 1", constraint},
    {"INSERT INTO sku VALUES (2, 'tee', 1, 2, 'service', 0)", duplicate},
    {"INSERT INTO sku VALUES (2, 'cap', 65, 2, 'service', 0)", constraint},
    {"UPDATE sku SET version = 1, mode = 'queued'", constraint},
    {"UPDATE sku SET mode = 'gated'", constraint},
    {"UPDATE sku SET version = -1, mode = 'gated'", constraint},
    {"INSERT INTO item VALUES (2, 1, 'main', '', 0, 1, 0, 0)", duplicate},
    {"INSERT INTO item VALUES (2, 9, 'main', '', 0, 1, 0, 0)", constraint},
    {"UPDATE item SET retired = -1", constraint},
    {"UPDATE item SET retired = 64", constraint},
    {"UPDATE item SET refusals = -1", constraint},
    {"DELETE FROM item", constraint},
    {"INSERT INTO activity VALUES (2, 'sale', '', 'draft', NULL, NULL, NULL, NULL, 'direct', 0)", duplicate},
    {"UPDATE activity SET version = 1, state = 'shut'", constraint},
    {"UPDATE activity SET version = 1, mode = 'queued'", constraint},
    {"UPDATE activity SET version = 1, closes_at = 1", constraint},
    {"UPDATE activity SET state = 'open'", constraint},
    {"INSERT INTO batch VALUES (1, 1, 1, 0, 0, 0)", duplicate},
    {"INSERT INTO batch VALUES (1, 3, 1, 1, 0, 0)", constraint},
    {"INSERT INTO batch VALUES (1, 0, 0, 0, 0, 0)", constraint},
    {"UPDATE batch SET aborted = 1", constraint},
    {"DELETE FROM batch WHERE n = 2", constraint},
    {"UPDATE orders SET revision = 1, state = 'lost' WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 1, state = 'refused' WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 1, state = 'cancelled' WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, state = 'held', expires_at = 9 WHERE state = 'refunded'", constraint},
    {"UPDATE orders SET revision = 1, state = 'partly_refunded' WHERE state = 'refunded'", constraint},
    {"UPDATE orders SET revision = 1, state = 'refunded' WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, returned = '[]' WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 1, shipped = '[]' WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, state = 'shipped' WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, state = 'shipped', shipped = '[]' WHERE state = 'refunded'",
     constraint},
    {"UPDATE orders SET taken = '[]' WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 0, expires_at = 10 WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 1, taken = '[[1,0,1]]' WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, expires_at = 10 WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, first_expires_at = 10 WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, settled_at = 10 WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, extensions = 1 WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, first_expires_at = 10 WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 1, extensions = -1 WHERE state = 'held'", constraint},
    {"UPDATE orders SET revision = 1, outcome = 'sold_out' WHERE state = 'held'", constraint},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision) VALUES (x'02', 'paid', "
     "'a', 0, '[]', 0, 0)",
     constraint},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision) VALUES "
     "(zeroblob(16), 'paid', 'a', 0, '[]', 0, 0)",
     duplicate},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision) VALUES "
     "(x'03030303030303030303030303030303', 'paid', 'a', 0, '[]', 0, -1)",
     constraint},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision) VALUES "
     "(x'03030303030303030303030303030303', 'held', 'a', 0, '[]', 0, 0)",
     constraint},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision, caller) VALUES "
     "(x'03030303030303030303030303030303', 'paid', 'a', 0, '[]', 0, 0, 'shop')",
     constraint},
    {"DELETE FROM orders WHERE state = 'paid'", constraint},
    {"UPDATE orders SET revision = 1, guard = NULL WHERE guard = 1", constraint},
    {"UPDATE orders SET revision = 1, guard = 1 WHERE state = 'paid'", constraint},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision) VALUES "
     "(x'04040404040404040404040404040404', 'paid', 'a', 0, '[]', 0, 0)",
     duplicate},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision, guard) VALUES "
     "(x'03030303030303030303030303030303', 'paid', 'a', 0, '[]', 0, 0, 1)",
     constraint},
    {"INSERT INTO orders (id, state, user, activity, taken, created_at, revision, guard) VALUES "
     "(x'03030303030303030303030303030303', 'refused', 'a', 0, '[]', 0, 0, 2)",
     constraint},
    {"INSERT INTO request VALUES ('shop', 'k', 'other', 'received', NULL, 0, NULL)", duplicate},
    {"UPDATE request SET outcome = 'sold'", constraint},
    {"UPDATE flow SET quantity = 2 WHERE i = 0", constraint},
    {"DELETE FROM flow WHERE i = 0", constraint},
    {"REPLACE INTO flow SELECT * FROM flow WHERE i = 0", constraint},
    {"INSERT INTO flow SELECT lane, n, 2, item, bucket, seq, action, quantity, before, after, NULL, 1, "
     "caller, key,"
     " source, at FROM flow WHERE i = 0",
     duplicate},
    {"INSERT INTO flow SELECT lane, n, 2, item, bucket, 3, action, quantity, before, after, order_id, 1, "
     "caller, key,"
     " source, at FROM flow WHERE i = 1",
     duplicate},
    {"INSERT INTO flow VALUES (1, 1, 2, 1, 0, 3, 'steal', 1, 3, 2, NULL, 1, 'shop', NULL, 'order', 0)",
     constraint},
    {"INSERT INTO flow VALUES (1, 1, 2, 1, 0, 3, 'sell', 0, 3, 3, NULL, 1, 'shop', NULL, 'order', 0)",
     constraint},
    {"INSERT INTO flow VALUES (1, 1, 2, 1, 0, 3, 'sell', 1, 0, -1, NULL, 1, 'shop', NULL, 'order', 0)",
     constraint},
    {"UPDATE orders SET account = 'kiosk', revision = revision + 1", constraint},
    {"UPDATE quota SET claimed = 3", constraint},
    {"UPDATE quota SET claimed = -1", constraint},
    {"INSERT INTO quota VALUES (1, 1, 'ann', 2, 1, NULL, NULL)", duplicate},
    {"INSERT INTO hold VALUES (1, 9, zeroblob(16), 'bob')", duplicate},
    {"INSERT INTO meta VALUES (2, zeroblob(16))", constraint},
    {"INSERT INTO instance VALUES (1, 0)", duplicate},
    {"INSERT INTO instance VALUES (0, 0)", constraint},
    {"UPDATE instance SET number = 2", constraint},
    {"DELETE FROM instance", constraint},
    {"UPDATE counter SET next = 0", constraint},
    {"INSERT INTO counter VALUES ('order', 1)", constraint},
};

TEST(SqliteSchema, RefusesWhatTheRulesNeverWrite) {
  const SqliteWorld world;
  const auto connection = sqlite::open_current(world.options(), Role::writer).value();
  const auto prepared = connection->execute(sound_rows);
  ASSERT_TRUE(prepared) << prepared.error().message;
  for (const Refused& row : refused) {
    const auto done = connection->execute(row.sql);
    ASSERT_FALSE(done) << row.sql;
    EXPECT_EQ(done.error().code, row.code) << done.error().message;
  }
  EXPECT_EQ(connection->ask("PRAGMA integrity_check").value(), "ok");
  EXPECT_EQ(connection->ask("SELECT count(*) FROM flow").value(), "2");
}

// The steps of a plan as EXPLAIN QUERY PLAN tells them, one a line.
std::string plan_of(Connection& connection, const char* sql) {
  std::string plan;
  const auto add = [](void* to, int, char** columns, char**) {
    static_cast<std::string*>(to)->append(columns[3]).append("\n");
    return 0;
  };
  const std::string explain = std::string("EXPLAIN QUERY PLAN ") + sql;
  EXPECT_EQ(sqlite3_exec(connection.raw(), explain.c_str(), add, &plan, nullptr), SQLITE_OK) << sql;
  return plan;
}

// A27: whatever runs once per command or per row finds its rows by a key or an index, and sorts nothing.
TEST(SqliteQueries, HotOnesNeverScan) {
  const SqliteWorld world;
  const auto connection = sqlite::open_current(world.options(), Role::writer).value();
  int searches = 0;
  for (const sqlite::QueryText& query : sqlite::all_queries()) {
    if (query.heat != sqlite::Heat::hot) continue;
    const std::string plan = plan_of(*connection, query.sql);
    EXPECT_EQ(plan.find("SCAN"), std::string::npos) << query.sql << "\n" << plan;
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << query.sql << "\n" << plan;
    searches += plan.find("SEARCH") != std::string::npos;
  }
  EXPECT_GE(searches, 20);
  EXPECT_NE(plan_of(*connection, "SELECT * FROM orders WHERE user = ?").find("SCAN"), std::string::npos);
}

// A walk through a whole table goes along a key, so that its memory does not grow with the table. Only the
// entries of one order's bucket are sorted, for their index is by action.
TEST(SqliteQueries, ColdOnesSortNoTable) {
  const SqliteWorld world;
  const auto connection = sqlite::open_current(world.options(), Role::writer).value();
  for (const sqlite::QueryText& query : sqlite::all_queries()) {
    const std::string plan = plan_of(*connection, query.sql);
    EXPECT_EQ(plan.find("USE TEMP B-TREE FOR ORDER BY"), std::string::npos) << query.sql << "\n" << plan;
    const bool sorts_part = plan.find("TEMP B-TREE FOR") != std::string::npos;
    EXPECT_EQ(sorts_part, query.query == sqlite::Query::all_flows_by_order) << query.sql << "\n" << plan;
  }
}

}  // namespace
}  // namespace gavel::judge
