// The store on a disk that fails: what was acknowledged is there afterwards, whole, and nothing is tried
// twice.
#include <filesystem>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "base/random.h"
#include "judge/sqlite/open.h"
#include "judge/testing/fault_vfs.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;
using File = FaultVfs::File;
using Fault = FaultVfs::Fault;
using rules::ItemId;
using rules::Quantity;
using rules::RowState;

constexpr std::int64_t batches_max = 12;
constexpr std::int64_t orders_of_batch = 60;  // Enough to touch many pages.
constexpr std::int64_t stock = batches_max * orders_of_batch;

rules::OrderId numbered_order(std::int64_t n, std::int64_t i) {
  rules::OrderId id;
  id.uuid.bytes = {0x01, 0xa3, 0, 0, 0, 0, 0x70, 0, 0x80};
  id.uuid.bytes[5] = static_cast<std::uint8_t>(n);
  id.uuid.bytes[15] = static_cast<std::uint8_t>(i);
  return id;
}

rules::State first_rows() {
  rules::State state;
  const rules::SkuCode tee("tee");
  state.skus.emplace(tee, rules::Sku{rules::SkuId{1}, tee, 1, ItemId{1}, RowState::inserted});
  const rules::Bucket bucket{Quantity{stock}, Quantity{0}, Quantity{0}, 1};
  state.items.emplace(ItemId{1}, rules::Item{.id = ItemId{1},
                                             .sku = rules::SkuId{1},
                                             .activity = rules::free_pool,
                                             .generation = 1,
                                             .buckets = {bucket},
                                             .loaded = {},
                                             .row_state = RowState::inserted});
  return state;
}

// Batch n of the test: sixty orders of one unit each.
void add_orders(rules::State& state, std::int64_t n, Time now) {
  rules::Bucket& bucket = state.item(ItemId{1}).buckets[0];
  for (std::int64_t i = 0; i < orders_of_batch; ++i) {
    const rules::OrderId id = numbered_order(n, i);
    state.orders.emplace(id, rules::Order{.id = id,
                                          .state = rules::OrderState::held,
                                          .account = rules::Caller("shop"),
                                          .user = rules::UserId("ann"),
                                          .activity = rules::free_pool,
                                          .taken = {{ItemId{1}, 0, Quantity{1}}},
                                          .created_at = now,
                                          .expires_at = now + 1min,
                                          .settled_at = std::nullopt,
                                          .row_state = RowState::inserted});
    const Quantity before = bucket.available;
    bucket.available -= Quantity{1};
    bucket.reserved += Quantity{1};
    ++bucket.seq;
    state.flows.push_back({.item = ItemId{1},
                           .bucket = 0,
                           .seq = bucket.seq,
                           .action = rules::Action::reserve,
                           .quantity = Quantity{1},
                           .before = before,
                           .after = bucket.available,
                           .order = id,
                           .occurrence = 1,
                           .caller = rules::Caller("shop"),
                           .key = std::nullopt,
                           .source = "order",
                           .at = now});
  }
}

// Posts batch n as the judge would, and says how that ended.
Result<void> post(Store& store, BatchId batch) {
  if (auto begun = store.begin(); !begun) return begun;
  rules::State state;
  if (batch.n == 1) state = first_rows();
  if (batch.n > 1) {
    if (auto loaded = store.load_items({ItemId{1}}, state); !loaded) return loaded;
  }
  const Time now = store.now().value();
  add_orders(state, batch.n, now);
  if (auto written = store.write(state, batch, now); !written) return written;
  return store.commit();
}

// What is found on the disk, by the sound file layer.
struct Found {
  std::int64_t batches = 0;
  std::map<std::int64_t, std::int64_t> flows;  // By batch.
  std::int64_t orders = 0;
  std::int64_t holds = 0;
  rules::Bucket bucket;
};

Found found_in(const SqliteOptions& options) {
  Found found;
  const VirtualClock clock{Time()};
  const auto reader = open_sqlite_reader(options, clock);
  EXPECT_TRUE(reader) << reader.error().message;
  Reader::Visitor visitor;
  visitor.batch = [&](const BatchRow& row) {
    ++found.batches;
    EXPECT_EQ(row.batch.n, found.batches);
    EXPECT_FALSE(row.aborted);
    EXPECT_EQ(row.flows, orders_of_batch);
  };
  visitor.flow_by_batch = [&](const FlowRow& row) { ++found.flows[row.batch.n]; };
  visitor.order = [&](const rules::Order&) { ++found.orders; };
  visitor.hold = [&](const HoldRow&) { ++found.holds; };
  visitor.item = [&](const rules::Item& item) { found.bucket = item.buckets.at(0); };
  const auto visited = (*reader)->visit(visitor);
  EXPECT_TRUE(visited) << visited.error().message;
  return found;
}

// Every batch that is there is there whole, and the numbers are those of the batches.
void expect_whole(const Found& found) {
  EXPECT_EQ(static_cast<std::int64_t>(found.flows.size()), found.batches);
  for (const auto& [n, flows] : found.flows) EXPECT_EQ(flows, orders_of_batch) << "batch " << n;
  EXPECT_EQ(found.orders, found.batches * orders_of_batch);
  EXPECT_EQ(found.holds, found.orders);
  if (found.batches == 0) return;
  EXPECT_EQ(found.bucket.available, Quantity{stock - found.orders});
  EXPECT_EQ(found.bucket.reserved, Quantity{found.orders});
}

// Every call of the store, which must all answer the same from now on.
void expect_broken_for_good(Store& store) {
  rules::State state;
  const auto expect_broken = [](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::broken);
  };
  expect_broken(store.begin());
  expect_broken(store.open_lane());
  expect_broken(store.load_items({ItemId{1}}, state));
  const DueQuestion question{ItemId{1}, std::nullopt, 1};
  expect_broken(store.find_due(std::span(&question, 1), Time()));
  expect_broken(store.open_instance());
  expect_broken(store.write(state, {rules::LaneId{1}, 99}, Time()));
  expect_broken(store.commit());
  expect_broken(store.resolve({rules::LaneId{1}, 1}));
  store.rollback();
  expect_broken(store.begin());
}

class SqliteFault : public ::testing::Test {
 protected:
  // One life of a store whose `nth` call fails. Returns false if nothing failed, for it has so few calls.
  bool live_through(Fault fault, File file, std::int64_t nth) {
    const SqliteWorld world;
    const VirtualClock clock(Time(1'800'000'000'000ms));
    auto store = open_with_a_small_log(world, clock);
    const rules::LaneId lane = store->open_lane().value();
    vfs_.arm(fault, file, nth);

    std::int64_t acknowledged = 0;
    Result<void> posted;
    while (posted && acknowledged < batches_max) {
      posted = post(*store, {lane, acknowledged + 1});
      if (posted) ++acknowledged;
    }
    const bool fired = vfs_.fired();
    EXPECT_EQ(fired, !posted) << "a fault that nobody was told of, or an error without one";
    if (!posted) {
      EXPECT_EQ(posted.error().code, ErrorCode::broken) << posted.error().message;
      expect_quiet_end(std::move(store));
    }
    vfs_.disarm();
    store.reset();

    const Found found = found_in(world.options());
    expect_whole(found);
    EXPECT_GE(found.batches, acknowledged);
    EXPECT_LE(found.batches, acknowledged + 1);  // The last one is unknown until it is looked for.
    // The store goes on from what is there.
    auto again = open_sqlite_store(world.options(), clock);
    EXPECT_TRUE(again);
    return fired;
  }

  void expect_quiet_end(std::unique_ptr<Store> store) {
    vfs_.disarm();  // The disk says that all is well again; nobody believes it.
    const auto calls = [this] {
      return vfs_.syncs(File::log) + vfs_.syncs(File::database) + vfs_.writes(File::log) +
             vfs_.writes(File::database);
    };
    const std::int64_t before = calls();
    expect_broken_for_good(*store);
    store.reset();
    EXPECT_EQ(calls(), before) << "a broken store wrote or synced again";
  }

  // So small that a life meets checkpoints.
  std::unique_ptr<Store> open_with_a_small_log(const SqliteWorld& world, const Clock& clock) const {
    SqliteOptions options = world.options();
    options.vfs = vfs_.name();
    options.checkpoint_pages = 40;
    return open_sqlite_store(options, clock).value();
  }

  // Lets one call after the other fail, each in a life of its own, with growing strides.
  void fail_each(Fault fault, File file, int at_least) {
    int lives = 0;
    for (std::int64_t nth = 1; live_through(fault, file, nth); nth += 1 + nth / 3) {
      ++lives;
      if (HasFailure()) FAIL() << "call " << nth;
    }
    EXPECT_GE(lives, at_least);
  }

  // One life that ends when the power fails after some batches, in the middle of the next one or not. Returns
  // how many changes of the files were not synced then.
  std::size_t lose_power(std::uint64_t seed) {
    Random random(seed);
    const SqliteWorld world;
    const VirtualClock clock(Time(1'800'000'000'000ms));
    auto store = open_with_a_small_log(world, clock);
    const rules::LaneId lane = store->open_lane().value();
    const auto acknowledged = static_cast<std::int64_t>(random.below(batches_max));
    for (std::int64_t n = 1; n <= acknowledged; ++n) EXPECT_TRUE(post(*store, {lane, n}));
    // A last batch whose sync never comes: it is written, and nobody was told that it is there.
    vfs_.arm(Fault::sync_error, File::log, 1);
    EXPECT_FALSE(post(*store, {lane, acknowledged + 1}));
    vfs_.disarm();
    vfs_.power_off();
    store.reset();
    const std::size_t unsynced = vfs_.unsynced();
    vfs_.power_on([&] { return random.chance(1, 2); });

    const Found found = found_in(world.options());
    expect_whole(found);
    EXPECT_GE(found.batches, acknowledged);
    EXPECT_LE(found.batches, acknowledged + 1);
    EXPECT_TRUE(open_sqlite_store(world.options(), clock));
    return unsynced;
  }

  FaultVfs vfs_{"store_faults"};
};

TEST_F(SqliteFault, WhatWasNotSyncedIsLostWithThePowerAndNothingElse) {
  std::size_t unsynced = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    unsynced += lose_power(seed);
  }
  EXPECT_GE(unsynced, 400U);  // Else there was nothing to lose.
}

// A lane that is not stored is nobody's: whoever wrote in it could meet another that was dealt the same.
TEST_F(SqliteFault, ALaneThatCannotBeStoredIsNotDealt) {
  const SqliteWorld world;
  SqliteOptions options = world.options();
  options.vfs = vfs_.name();
  const VirtualClock clock(Time(1'800'000'000'000ms));
  for (const Fault fault : {Fault::full, Fault::sync_error}) {
    const auto store = open_sqlite_store(options, clock).value();
    vfs_.arm(fault, File::log, 1);
    EXPECT_EQ(store->open_lane().error().code, ErrorCode::broken);
    vfs_.disarm();
  }
}

// Nobody waits for an answer, and yet the service ends: the next batch would stand on the same file.
TEST_F(SqliteFault, ACheckpointThatFailsWhereNothingWaitsEndsTheStoreToo) {
  for (const Fault fault : {Fault::full, Fault::short_write, Fault::sync_error}) {
    const SqliteWorld world;
    const VirtualClock clock(Time(1'800'000'000'000ms));
    auto store = open_with_a_small_log(world, clock);
    const rules::LaneId lane = store->open_lane().value();
    ASSERT_TRUE(post(*store, {lane, 1}));
    vfs_.arm(fault, File::database, 1);
    EXPECT_EQ(store->idle().error().code, ErrorCode::broken);
    expect_quiet_end(std::move(store));
    EXPECT_EQ(found_in(world.options()).batches, 1) << "what was acknowledged is there";
  }
}

// A tombstone that may not be on the disk aborts nothing (A13).
TEST_F(SqliteFault, WhatCannotBeResolvedIsNotToldAsResolved) {
  const SqliteWorld world;
  SqliteOptions options = world.options();
  options.vfs = vfs_.name();
  const VirtualClock clock(Time(1'800'000'000'000ms));
  rules::LaneId lane;
  {
    lane = open_sqlite_store(options, clock).value()->open_lane().value();
    // As many as make the table several pages long: the first one is not read at the start.
    const auto raw = sqlite::open_current(world.options(), sqlite::Role::writer).value();
    ASSERT_TRUE(
        raw->execute("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 2000) "
                     "INSERT INTO batch SELECT 1, n, 0, 0, 0, 0 FROM t"));
  }
  for (const auto& [fault, file, n] :
       {std::tuple(Fault::read_error, File::database, 1), std::tuple(Fault::full, File::log, 2001),
        std::tuple(Fault::sync_error, File::log, 2001)}) {
    const auto store = open_sqlite_store(options, clock).value();
    vfs_.arm(fault, file, 1);
    EXPECT_EQ(store->resolve({lane, n}).error().code, ErrorCode::broken);
    vfs_.disarm();
  }
  const auto store = open_sqlite_store(world.options(), clock).value();
  EXPECT_DEATH(static_cast<void>(store->resolve({lane, 0})), "batch.n >= 1") << "there is no batch 0";
  EXPECT_EQ(store->resolve({lane, 1}).value(), Resolution::committed);
}

TEST_F(SqliteFault, DiskFullInTheLog) { fail_each(Fault::full, File::log, 8); }
TEST_F(SqliteFault, WriteCutShortInTheLog) { fail_each(Fault::short_write, File::log, 8); }
TEST_F(SqliteFault, SyncOfTheLogFails) { fail_each(Fault::sync_error, File::log, 5); }
TEST_F(SqliteFault, DiskFullInACheckpoint) { fail_each(Fault::full, File::database, 5); }
TEST_F(SqliteFault, WriteCutShortInACheckpoint) { fail_each(Fault::short_write, File::database, 5); }
TEST_F(SqliteFault, SyncOfTheDatabaseFailsInACheckpoint) { fail_each(Fault::sync_error, File::database, 2); }

}  // namespace
}  // namespace gavel::judge
