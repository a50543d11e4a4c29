// The store and its readers on a disk that fails to read: each read in turn fails, and whoever asked is told
// so, never given a part of the answer.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/sqlite/open.h"
#include "judge/testing/fault_vfs.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

using File = FaultVfs::File;
using Fault = FaultVfs::Fault;
using Failure = std::optional<Error>;

constexpr const char* uuid7_key = "01a3185c-5000-7000-8000-0000000000aa";

template <class T>
Failure failure_of(const Result<T>& result) {
  return result ? std::nullopt : Failure(result.error());
}

constexpr int skus = 300;  // Enough for every table to have several pages.

std::string sku_of(int number) { return "sku" + std::to_string(number); }

// A shop whose rows lie on so many pages that most of them are read by one question alone: an order that was
// changed, and a sale whose holds are all due.
void fill_pages(JudgeDriver& court) {
  std::vector<rules::Command> commands;
  for (int i = 0; i < skus; ++i) {
    commands.push_back(put_sku("put" + std::to_string(i), sku_of(i), 3));
    commands.push_back(receive("in" + std::to_string(i), sku_of(i), 3));
  }
  commands.push_back(receive("in-rush", sku_of(1), skus));
  commands.push_back(create_activity("create-rush", "rush", {{sku_of(1), skus}}, {.limit = 1}));
  commands.push_back(open_activity("open-rush", "rush"));
  commands.push_back(reserve("wide", "ann", {{sku_of(0), 1}, {sku_of(skus - 1), 1}}));
  commands.push_back(change("narrow", order_of("wide"), {{sku_of(0), 1}}));
  commands.push_back(adjust("lost", sku_of(0), -3));
  for (int i = 0; i < skus; ++i) {
    const std::string user = "u" + std::to_string(i);
    commands.push_back(reserve("rush" + user, user, {{sku_of(1), 1}}, {.activity = "rush", .hold = 1s}));
  }
  court.say_all(commands);
}

// One of everything, so that every statement finds rows.
void fill(StoreWorld& world) {
  const auto store = world.open_store();
  JudgeDriver court(*store);
  fill_pages(court);
  court.say_all({put_sku("put-tee", "tee", 3), put_sku("put-cap", "cap"), receive("in-tee", "tee", 90),
                 receive("in-cap", "cap", 9), create_activity("create", "sale", {{"tee", 20}}, {.limit = 5}),
                 create_activity("create-2", "later", {{"cap", 2}}), open_activity("open", "sale"),
                 put_sku("gated", "cap", 1, rules::Mode::gated)});
  court.say_all({reserve(uuid7_key, "ann", {{"tee", 40}, {"cap", 1}}),
                 reserve("sale", "ann", {{"tee", 2}}, {.activity = "sale"}),
                 reserve("paid", "bob", {{"tee", 2}}), reserve("due", "bob", {{"tee", 3}}, {.hold = 1s}),
                 reserve("due-sale", "ann", {{"tee", 3}}, {.activity = "sale", .hold = 1s})});
  court.say_all({confirm("pay", order_of("paid")), reserve("none", "eve", {{"cap", 99}})});
  world.clock().advance(2s);
}

class ReadFaults : public testing::Test {
 protected:
  ReadFaults() { fill(world_); }

  SqliteOptions faulty() const {
    SqliteOptions options = world_.options();
    options.vfs = vfs_.name();
    return options;
  }

  // Asks a fresh reader as often as the question reads, with another read failing each time. Whoever could
  // not be answered once is not answered later: what is read after an error may be anything.
  void sweep(const std::string& name, const std::function<Failure(Reader&)>& question) {
    for (std::int64_t nth = 1;; ++nth) {
      const auto reader = open_sqlite_reader(faulty(), world_.clock());
      ASSERT_TRUE(reader) << reader.error().message;
      vfs_.arm(Fault::read_error, File::database, nth);
      const Failure failure = question(**reader);
      vfs_.disarm();
      if (!vfs_.fired()) {
        EXPECT_FALSE(failure) << name << ": " << failure->message;
        EXPECT_GT(nth, 1) << name << " reads nothing";
        return;
      }
      ASSERT_TRUE(failure) << name << " answered although read " << nth << " failed";
      EXPECT_EQ(failure->code, ErrorCode::broken) << name;
      const Failure later = question(**reader);
      ASSERT_TRUE(later) << name << " answered after an error";
      EXPECT_EQ(later->message, failure->message) << name;
    }
  }

  // Judges the batch with one read after the other failing; without a fault `last` is the last verdict.
  void expect_whole_or_nothing(const std::vector<rules::Command>& batch, rules::Outcome last);

  FaultVfs vfs_{"read-faults"};
  SqliteWorld world_;
};

TEST_F(ReadFaults, EveryQuestionSaysThatItHasNoAnswer) {
  const rules::Caller shop("shop");
  SoldOutQuery check;
  check.items = {rules::ItemId{1}, rules::ItemId{3}};
  check.keys = {{shop, rules::RequestKey("pay")},
                {shop, rules::RequestKey(uuid7_key)},
                {shop, rules::RequestKey("01a3185c-5000-7000-8000-0000000000ff")}};
  check.activities = {rules::ActivityCode("sale"), rules::ActivityCode("none")};
  sweep("confirm", [&](Reader& r) { return failure_of(r.check_sold_out(check)); });
  for (const char* key : {uuid7_key, "sale", "paid", "wide", "nobody"}) {
    sweep("order", [&](Reader& r) { return failure_of(r.order(order_of(key))); });
    sweep("trace", [&](Reader& r) { return failure_of(r.trace(order_of(key))); });
  }
  for (const char* key : {uuid7_key, "pay", "nobody", "01a3185c-5000-7000-8000-0000000000ff"}) {
    const rules::RequestId id(shop, rules::RequestKey(key));
    sweep("request", [&](Reader& r) { return failure_of(r.request(id)); });
  }
  for (const char* code : {"sale", "none"}) {
    sweep("activity", [&](Reader& r) { return failure_of(r.activity(rules::ActivityCode(code))); });
    const rules::RequestId id(shop, rules::RequestKey(uuid7_key));
    sweep("activity_snapshot",
          [&](Reader& r) { return failure_of(r.activity_snapshot(rules::ActivityCode(code), id)); });
  }
  for (const char* sku : {"tee", "hat"}) {
    sweep("stock", [&](Reader& r) { return failure_of(r.stock(rules::SkuCode(sku))); });
  }
  ASSERT_EQ(world_.open_reader()->short_items(rules::ItemId{0}, 9).value().size(), 1U);
  sweep("short_items", [](Reader& r) { return failure_of(r.short_items(rules::ItemId{0}, 9)); });
  sweep("modes", [](Reader& r) { return failure_of(r.modes()); });
  sweep("item_history",
        [](Reader& r) { return failure_of(r.item_history(rules::ItemId{1}, {{0, 0}, {0, 1}, {1, 1}})); });
  sweep("activities", [](Reader& r) { return failure_of(r.activities(std::nullopt, 9)); });
  sweep("request_ages", [](Reader& r) { return failure_of(r.request_ages(std::nullopt, 9)); });
  sweep("due", [&](Reader& r) { return failure_of(r.due(9)); });
  sweep("audit", [](Reader& r) { return failure_of(audit(r)); });
  sweep("dump", [](Reader& r) { return failure_of(canonical_dump(r)); });
}

TEST_F(ReadFaults, TheLedgerIsFollowedWholeOrNotAtAll) {
  // Another lane, whose batches fill several pages.
  const auto raw = sqlite::open_current(world_.options(), sqlite::Role::writer).value();
  ASSERT_TRUE(
      raw->execute("INSERT INTO lane VALUES (2, 0, NULL); WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT "
                   "n + 1 FROM t WHERE n < 2000) INSERT INTO batch SELECT 2, n, 0, 0, 0, 0 FROM t"));
  ASSERT_TRUE(raw->execute("PRAGMA wal_checkpoint(TRUNCATE)"));  // Reads are of the database, not of its log.
  const auto all = world_.open_reader()->read_after({}, 10000).value();
  sweep("follow", [](Reader& r) { return failure_of(r.read_after({}, 1000)); });
  sweep("follow by steps", [](Reader& r) { return failure_of(r.read_after({}, 1)); });
  sweep("follow on", [&](Reader& r) { return failure_of(r.read_after(all.reached, 1000)); });
}

// A batch that cannot be loaded leaves nothing behind; the next process judges it.
void ReadFaults::expect_whole_or_nothing(const std::vector<rules::Command>& batch, rules::Outcome last) {
  const std::string before = canonical_dump(*world_.open_reader()).value();
  std::int64_t failed = 0;
  for (std::int64_t nth = 1;; ++nth) {
    {
      auto store = open_sqlite_store(faulty(), world_.clock());
      ASSERT_TRUE(store) << store.error().message;
      JudgeDriver court(**store);
      vfs_.arm(Fault::read_error, File::database, nth);
      const auto verdicts = court.apply(batch);
      vfs_.disarm();
      if (!vfs_.fired()) {
        ASSERT_TRUE(verdicts) << verdicts.error().message;
        EXPECT_EQ(verdicts->back().outcome, last);
        break;
      }
      ASSERT_FALSE(verdicts) << "judged although read " << nth << " failed";
      ++failed;
    }
    ASSERT_EQ(canonical_dump(*world_.open_reader()).value(), before) << "after read " << nth;
  }
  EXPECT_GT(failed, 2);
  EXPECT_TRUE(audit(*world_.open_reader()).value().clean());
}

TEST_F(ReadFaults, AnOrderIsJudgedWholeOrNotAtAll) {
  expect_whole_or_nothing({reserve("01a3185c-5000-7fff-bfff-fffffffffff1", "eve", {{"cap", 1}})},
                          rules::Outcome::reserved);
}

// His earlier hold is found among those of all users, and released for him (C9).
TEST_F(ReadFaults, AClaimIsJudgedWholeOrNotAtAll) {
  expect_whole_or_nothing({reserve("c", "u7", {{sku_of(1), 1}}, {.activity = "rush"})},
                          rules::Outcome::reserved);
}

TEST_F(ReadFaults, ABatchIsJudgedWholeOrNotAtAll) {
  const std::vector<rules::Command> batch{
      reserve("b1", "eve", {{"tee", 40}}),
      reserve("b2", "ann", {{"tee", 3}}, {.activity = "sale"}),
      change("b3", order_of(uuid7_key), {{"tee", 41}}),
      extend("b4", order_of("sale")),
      confirm("b5", order_of("sale"), {{"tee", 1}}),
      refund("b6", order_of("paid"), {{"tee", 1}}),
      put_sku("b7", "hat"),
      create_activity("b8", "new", {{"cap", 1}}),
      open_activity("b9", "new"),
      close_activity("b10", "sale"),
      count("b11", "cap", 1, 0),
      forget("shop", "put-tee"),
      reserve("01a3185c-5000-7000-8000-0000000000bb", "eve", {{"cap", 1}}),
      reserve("b14", "ann", {{"tee", 1}}, {.activity = "sale"}),
  };
  expect_whole_or_nothing(batch, rules::Outcome::over);
}

}  // namespace
}  // namespace gavel::judge
