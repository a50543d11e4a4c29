// The contract of the order index, on every form, and what is particular to the file of the SQLite form.
#include "judge/order_index.h"

#include <string>

#include <sqlite3.h>

#include "judge/testing/fault_vfs.h"
#include "judge/testing/order_index_forms_test.h"

namespace gavel::judge {
namespace {

using rules::LaneId;
using rules::OrderState;
using rules::UserId;

rules::OrderId id(std::uint8_t n) { return {{{1, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, n}}}; }
const Time some_time = *parse_time("2026-01-01T00:00:00Z");
const rules::Caller shop("shop");

// Of the n-th batch of lane 1.
rules::OrderPosition place(std::int64_t n) { return {some_time, LaneId{1}, n, 0}; }

class OrderIndexContract : public ::testing::TestWithParam<IndexForm> {
 protected:
  void SetUp() override { reopen(); }

  void reopen() {
    index_.reset();
    index_ = GetParam().open(folder_);
  }

  void put(const std::vector<IndexedOrder>& orders, const Offsets& reached) {
    const auto put = index_->put(orders, reached);
    ASSERT_TRUE(put) << put.error().message;
  }

  // "9 held, 7 paid | 1:3 2:1": the orders, and the offsets that they go with.
  std::string page(const std::string& user, std::size_t count, std::optional<OrderState> state = {},
                   std::optional<rules::OrderPosition> before = {},
                   std::optional<rules::Caller> account = {}) {
    const auto page = index_->page({UserId(user), state, before, count, account});
    EXPECT_TRUE(page.has_value());
    std::string text;
    for (const IndexedOrder& order : page->orders) {
      EXPECT_EQ(order.user.text(), user);
      text += (text.empty() ? "" : ", ") + std::to_string(order.id.uuid.bytes[15]) + " " +
              std::string(word(order.state));
    }
    text += " |";
    for (const auto& [lane, offset] : page->offsets) {
      text += " " + std::to_string(lane.value) + ":" + std::to_string(offset.n);
    }
    return text;
  }

  OrderIndex& index() { return *index_; }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<OrderIndex> index_;
};

TEST_P(OrderIndexContract, PagesAreOfOneUserTheLatestFirst_G012) {
  EXPECT_EQ(page("ann", 9), " |");
  put({{shop, UserId("ann"), place(3), id(3), OrderState::held},
       {shop, UserId("bob"), place(4), id(4), OrderState::held},
       {shop, UserId("ann"), place(9), id(9), OrderState::paid}},
      {{LaneId{1}, {3, some_time}}});
  put({{shop, UserId("ann"), place(5), id(5), OrderState::held}},
      {{LaneId{1}, {4, some_time}}, {LaneId{2}, {1, some_time}}});
  EXPECT_EQ(page("ann", 9), "9 paid, 5 held, 3 held | 1:4 2:1");
  EXPECT_EQ(page("ann", 2), "9 paid, 5 held | 1:4 2:1");
  EXPECT_EQ(page("ann", 2, {}, place(5)), "3 held | 1:4 2:1");
  EXPECT_EQ(page("ann", 2, {}, place(7)), "5 held, 3 held | 1:4 2:1") << "a cursor need not exist";
  EXPECT_EQ(page("ann", 1, OrderState::held), "5 held | 1:4 2:1");
  EXPECT_EQ(page("ann", 9, OrderState::held, place(5)), "3 held | 1:4 2:1");
  EXPECT_EQ(page("an", 9), " | 1:4 2:1");
  EXPECT_EQ(page("ann.", 9), " | 1:4 2:1");
}

// By the judge's time, and of one moment by lane, batch and row; whatever the ids are.
TEST_P(OrderIndexContract, TheOrderIsThatOfThePositions_G012) {
  const Time later = some_time + Duration(1);
  put({{shop, UserId("ann"), {later, LaneId{1}, 1, 0}, id(1), OrderState::held},
       {shop, UserId("ann"), {some_time, LaneId{2}, 1, 0}, id(9), OrderState::held},
       {shop, UserId("ann"), {some_time, LaneId{1}, 7, 1}, id(2), OrderState::held},
       {shop, UserId("ann"), {some_time, LaneId{1}, 7, 0}, id(8), OrderState::held},
       {shop, UserId("ann"), {some_time, LaneId{1}, 6, 5}, id(3), OrderState::held}},
      {{LaneId{1}, {7, some_time}}});
  EXPECT_EQ(page("ann", 9), "1 held, 9 held, 2 held, 8 held, 3 held | 1:7");
  EXPECT_EQ(page("ann", 9, {}, rules::OrderPosition{some_time, LaneId{1}, 7, 1}), "8 held, 3 held | 1:7");
  EXPECT_EQ(page("ann", 2, {}, rules::OrderPosition{later, LaneId{1}, 1, 0}), "9 held, 2 held | 1:7");
}

// Pages of one account have the account's orders alone, full pages of them, whatever others have in between.
TEST_P(OrderIndexContract, PagesAreOfOneAccountWhereOneIsAskedFor_A9) {
  const rules::Caller web("web");
  std::vector<IndexedOrder> orders;
  for (std::uint8_t n = 1; n <= 9; ++n)
    orders.push_back({n % 3 == 0 ? web : shop, UserId("ann"), place(n), id(n), OrderState::held});
  put(orders, {{LaneId{1}, {9, some_time}}});
  const auto of = [&](const rules::Caller& account, std::size_t count,
                      std::optional<rules::OrderPosition> before) {
    return page("ann", count, {}, before, account);
  };
  EXPECT_EQ(of(web, 9, {}), "9 held, 6 held, 3 held | 1:9");
  EXPECT_EQ(of(web, 2, {}), "9 held, 6 held | 1:9");
  EXPECT_EQ(of(web, 2, place(6)), "3 held | 1:9");
  EXPECT_EQ(of(shop, 9, {}), "8 held, 7 held, 5 held, 4 held, 2 held, 1 held | 1:9");
  EXPECT_EQ(of(rules::Caller("app"), 9, {}), " | 1:9");
}

TEST_P(OrderIndexContract, NamesAreComparedByteByByte_E27) {
  const char* names[] = {"é", "e\xcc\x81", "E", "e", "a;b", " ", "汉"};
  std::vector<IndexedOrder> orders;
  std::uint8_t n = 0;
  for (const char* name : names) {
    ++n;
    orders.push_back({shop, UserId(name), place(n), id(n), OrderState::held});
  }
  put(orders, {{LaneId{1}, {9, some_time}}});
  n = 0;
  for (const char* name : names) EXPECT_EQ(page(name, 9), std::to_string(++n) + " held | 1:9") << name;
}

TEST_P(OrderIndexContract, AnOrderIsThereOnceInItsLastState) {
  put({{shop, UserId("ann"), place(3), id(3), OrderState::held}}, {{LaneId{1}, {1, some_time}}});
  put({{shop, UserId("ann"), place(3), id(3), OrderState::paid}}, {{LaneId{1}, {2, some_time}}});
  EXPECT_EQ(page("ann", 9), "3 paid | 1:2");
  EXPECT_EQ(page("ann", 9, OrderState::held), " | 1:2");
}

TEST_P(OrderIndexContract, IsForgottenAndMadeAgain) {
  const Offsets reached{{LaneId{1}, {7, some_time}}};
  put({{shop, UserId("ann"), place(3), id(3), OrderState::held}}, reached);
  EXPECT_EQ(index().offsets().value(), reached);
  EXPECT_TRUE(index().clear());
  EXPECT_EQ(index().offsets().value(), Offsets());
  EXPECT_EQ(page("ann", 9), " |");
  put({{shop, UserId("ann"), place(3), id(3), OrderState::held}}, reached);
  EXPECT_EQ(page("ann", 9), "3 held | 1:7");
}

TEST_P(OrderIndexContract, IsThereAgainIfItIsKept) {
  const Offsets reached{{LaneId{1}, {7, some_time}}};
  put({{shop, UserId("ann"), place(3), id(3), OrderState::held}}, reached);
  reopen();
  EXPECT_EQ(page("ann", 9), GetParam().is_kept ? "3 held | 1:7" : " |");
  EXPECT_EQ(index().offsets().value(), GetParam().is_kept ? reached : Offsets());
}

INSTANTIATE_TEST_SUITE_P(Forms, OrderIndexContract,
                         ::testing::Values(memory_index_form(), sqlite_index_form()), name_of_index_form);

// What stands in the place of the index: it is made again, or left alone and said so.
TEST(SqliteOrderIndex, WhatCannotBeReadIsMadeAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  write_content(path, "this is no database, and long enough that nobody takes it for an empty one");
  const auto index = open_sqlite_order_index(path, some_boot);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ((*index)->offsets().value(), Offsets());
}

// Runs SQL on a file of its own.
void run_sql(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

TEST(SqliteOrderIndex, AnotherVersionIsMadeAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  const Offsets reached{{LaneId{1}, {7, some_time}}};
  ASSERT_TRUE(open_sqlite_order_index(path, some_boot).value()->put({}, reached));
  EXPECT_EQ(open_sqlite_order_index(path, some_boot).value()->offsets().value(), reached);
  run_sql(path, "PRAGMA user_version = 99");
  EXPECT_EQ(open_sqlite_order_index(path, some_boot).value()->offsets().value(), Offsets());
}

// It never syncs, so what a machine that stopped has left of it may be anything.
TEST(SqliteOrderIndex, WhatIsOlderThanTheMachinesStartIsMadeAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  const Offsets reached{{LaneId{1}, {7, some_time}}};
  const auto offsets = [&](const char* boot) {
    return open_sqlite_order_index(path, boot).value()->offsets().value();
  };
  ASSERT_TRUE(open_sqlite_order_index(path, "first").value()->put({}, reached));
  EXPECT_EQ(offsets("first"), reached) << "a process that stopped has left it whole";
  EXPECT_EQ(offsets("second"), Offsets());
  ASSERT_TRUE(open_sqlite_order_index(path, "second").value()->put({}, reached));
  EXPECT_EQ(offsets("second"), reached);
  EXPECT_EQ(offsets(""), Offsets()) << "nobody says when the machine started";
  EXPECT_EQ(offsets(""), Offsets());
}

TEST(SqliteOrderIndex, AnotherProgramsFileIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  run_sql(path, "PRAGMA application_id = 7; CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  const std::string before = fingerprint_of(path);
  const auto index = open_sqlite_order_index(path, some_boot);
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, ErrorCode::invalid);
  EXPECT_EQ(index.error().message, "the index of orders by user, " + path +
                                       ", cannot be used: it is another program's database; move it away, "
                                       "or name another judge.url");
  EXPECT_TRUE(fingerprint_of(path) == before);
}

TEST(SqliteOrderIndex, AFolderThatIsMissingIsNamed) {
  const TemporaryFolder folder;
  const auto index = open_sqlite_order_index(folder.file("nosuch/orders"), some_boot);
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, ErrorCode::invalid);
}

// Order n of ann, made in batch n.
IndexedOrder order_of_batch(std::uint8_t n) {
  return {shop, UserId("ann"), place(n), id(n), OrderState::held};
}
Offsets after_batch(std::int64_t n) { return {{LaneId{1}, {n, some_time}}}; }

// A life of an index on a disk that may fail: how many batches it has for certain, and why it ended.
struct IndexLife {
  std::int64_t put = 0;
  std::optional<Error> end;
};

IndexLife live(const std::string& path, const std::string& vfs) {
  IndexLife life;
  const auto index = open_sqlite_order_index(path, some_boot, vfs);
  if (!index) return {0, index.error()};
  const auto begun = (*index)->offsets();
  if (!begun) return {0, begun.error()};
  for (std::uint8_t n = 1; n <= 3; ++n) {
    if (const auto put = (*index)->put({order_of_batch(n)}, after_batch(n)); !put)
      return {n - 1, put.error()};
    life.put = n;
    const auto page = (*index)->page({.user = UserId("ann"), .count = 9});
    if (!page) return {n, page.error()};
    EXPECT_EQ(page->orders.size(), n);
    EXPECT_EQ(page->offsets, after_batch(n)) << "rows and offsets are of one moment";
  }
  return life;
}

// Each write, sync and read in turn fails. What is there afterwards is whole: rows and offsets of one batch,
// that which was put last or the one that failed, or nothing at all where the file was made again.
TEST(SqliteOrderIndex, ADiskThatFailsLeavesAWholeIndexOrNone) {
  using Fault = FaultVfs::Fault;
  using File = FaultVfs::File;
  FaultVfs vfs("index-faults");
  std::int64_t fired = 0;
  std::int64_t survived = 0;
  for (const Fault fault :
       {Fault::full, Fault::short_write, Fault::sync_error, Fault::read_error, Fault::lock_error}) {
    for (const File file : {File::database, File::log}) {
      for (std::int64_t nth = 1;; ++nth) {
        const TemporaryFolder folder;
        const std::string path = folder.file("orders");
        vfs.arm(fault, file, nth);
        const IndexLife life = live(path, vfs.name());
        vfs.disarm();
        if (!vfs.fired()) {
          EXPECT_FALSE(life.end) << life.end->message;
          break;
        }
        ++fired;
        survived += !life.end;
        const auto index = open_sqlite_order_index(path, some_boot);
        ASSERT_TRUE(index) << index.error().message;
        const auto page = (*index)->page({.user = UserId("ann"), .count = 9}).value();
        const auto kept = static_cast<std::int64_t>(page.orders.size());
        EXPECT_EQ(page.offsets, kept == 0 ? Offsets() : after_batch(kept));
        EXPECT_LE(kept, life.put + 1);
        EXPECT_GE(kept, life.put) << "what was put is not lost by a fault that came later";
        ASSERT_TRUE((*index)->put({order_of_batch(9)}, after_batch(9))) << "and it goes on";
      }
    }
  }
  EXPECT_GT(fired, 30);
  EXPECT_GT(survived, 0) << "a file that cannot be made sound is made again";
}

// An index of several pages that a process finds when it starts, and orders of ann on the first of them.
void make_pages(const std::string& path) {
  const auto index = open_sqlite_order_index(path, some_boot).value();
  std::vector<IndexedOrder> orders{order_of_batch(1)};
  for (int i = 0; i < 400; ++i)
    orders.push_back({shop, UserId("user" + std::to_string(i)), place(7 + i), id(7), OrderState::held});
  ASSERT_TRUE(index->put(orders, after_batch(1)));
}

// The same at a start: what was there is used whole, or all of it is made again.
TEST(SqliteOrderIndex, ADiskThatFailsAtAStartLeavesAWholeIndexOrNone) {
  using Fault = FaultVfs::Fault;
  using File = FaultVfs::File;
  FaultVfs vfs("index-faults");
  std::int64_t anew = 0;
  std::int64_t refused = 0;
  for (const Fault fault : {Fault::read_error, Fault::lock_error}) {
    for (std::int64_t nth = 1;; ++nth) {
      const TemporaryFolder folder;
      const std::string path = folder.file("orders");
      make_pages(path);
      vfs.arm(fault, File::database, nth);
      {
        const auto index = open_sqlite_order_index(path, some_boot, vfs.name());
        const auto put =
            index ? (*index)->put({order_of_batch(2)}, after_batch(2)) : std::unexpected(index.error());
        const auto page =
            index ? (*index)->page({.user = UserId("ann"), .count = 9}) : std::unexpected(index.error());
        vfs.disarm();
        if (index && vfs.fired() && (!put || !page)) {
          const bool puts = (*index)->put({order_of_batch(2)}, after_batch(2)).has_value();
          const bool shows = (*index)->page({.user = UserId("ann"), .count = 9}).has_value();
          EXPECT_FALSE(puts && shows) << "a broken connection is not used again";
        }
        refused += !index;
      }
      if (!vfs.fired()) break;
      const auto again = open_sqlite_order_index(path, some_boot);
      ASSERT_TRUE(again) << again.error().message;
      const auto page = (*again)->page({.user = UserId("ann"), .count = 9}).value();
      const bool empty = page.offsets.empty() && page.orders.empty();
      anew += empty || page.orders == std::vector{order_of_batch(2)};
      const auto kept = static_cast<std::int64_t>(page.orders.size());
      EXPECT_TRUE(empty || page.offsets == after_batch(2) || page.offsets == after_batch(kept));
    }
  }
  EXPECT_GT(anew, 0);
  EXPECT_GT(refused, 0);
}

TEST(SqliteOrderIndex, AFileWithoutOneOfItsTablesIsNotUsed) {
  for (const char* table : {"order_of_user", "cursor"}) {
    const TemporaryFolder folder;
    const std::string path = folder.file("orders");
    ASSERT_TRUE(open_sqlite_order_index(path, some_boot));
    run_sql(path, (std::string("DROP TABLE ") + table).c_str());
    const auto index = open_sqlite_order_index(path, some_boot);
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().code, ErrorCode::invalid);
    EXPECT_NE(index.error().message.find(std::string("no such table: ") + table), std::string::npos)
        << index.error().message;
  }
}

TEST(SqliteOrderIndex, WhatIsBrokenSaysWhatToDo) {
  FaultVfs vfs("index-faults");
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  const auto index = open_sqlite_order_index(path, some_boot, vfs.name()).value();
  vfs.arm(FaultVfs::Fault::full, FaultVfs::File::log, 1);
  const auto put = index->put({order_of_batch(1)}, after_batch(1));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::broken);
  EXPECT_TRUE(put.error().message.ends_with(
      "; sales go on without it; to rebuild the index, stop the service, remove " + path + " and start"))
      << put.error().message;
  EXPECT_FALSE(index->offsets()) << "nothing is done on it any more";
  EXPECT_FALSE(index->clear());
}

// A27: no statement reads more of the index than its rows.
TEST(SqliteOrderIndex, NoStatementScans) {
  const TemporaryFolder folder;
  const std::string path = folder.file("orders");
  ASSERT_TRUE(open_sqlite_order_index(path, some_boot));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const auto plan_of = [&](const std::string& sql) {
    std::string plan;
    const auto add = [](void* to, int, char** columns, char**) {
      static_cast<std::string*>(to)->append(columns[3]).append("\n");
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, ("EXPLAIN QUERY PLAN " + sql).c_str(), add, &plan, nullptr), SQLITE_OK);
    return plan;
  };
  for (const char* sql : order_index_statements) {
    EXPECT_EQ(plan_of(sql).find("SCAN"), std::string::npos) << sql;
    EXPECT_EQ(plan_of(sql).find("TEMP B-TREE"), std::string::npos) << sql;
  }
  EXPECT_NE(plan_of("SELECT * FROM order_of_user WHERE id = ?").find("SCAN"), std::string::npos);
  sqlite3_close(database);
}

}  // namespace
}  // namespace gavel::judge
