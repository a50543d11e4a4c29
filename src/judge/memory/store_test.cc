#include "judge/memory/store.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "judge/testing/memory_form.h"

namespace gavel::judge {

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(memory_form()), name_of_form);
INSTANTIATE_TEST_SUITE_P(Memory, LanesContract, testing::Values(memory_form()), name_of_form);

namespace {

TEST(MemoryStore, BeginWaitsForTheTransactionInProgressAndGivesUp) {
  MemoryWorld world;
  const auto one = world.open_store();
  const auto other = world.open_store();
  ASSERT_TRUE(one->begin());
  const auto refused = other->begin();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  one->rollback();
  EXPECT_TRUE(other->begin());
}

TEST(MemoryStore, ResolvingWaitsForTheTransactionInProgressAndStaysInDoubt_A13) {
  MemoryWorld world;
  const auto one = world.open_store();
  const auto other = world.open_store();
  const BatchId batch{other->open_lane().value(), 1};
  ASSERT_TRUE(one->begin());
  EXPECT_EQ(other->resolve(batch).error().code, ErrorCode::conflict);
  one->rollback();
  EXPECT_EQ(other->resolve(batch).value(), Resolution::aborted);
}

TEST(MemoryStore, BeginGoesOnWhenTheTransactionInProgressEnds) {
  MemoryWorld world;
  const auto one = world.open_store();
  ASSERT_TRUE(one->begin());
  std::atomic<bool> begun = false;
  std::thread waiter([&] {
    const auto other = world.open_store();
    begun = other->begin().has_value();
  });
  one->rollback();
  waiter.join();
  EXPECT_TRUE(begun);
}

TEST(MemoryStore, AVisitorMayAskTheReaderAndASaleMayGoOn) {
  MemoryWorld world;
  const auto store = world.open_store();
  const auto reader = world.open_reader();
  const rules::LaneId lane = store->open_lane().value();
  const auto post = [&](std::int64_t n) {
    ASSERT_TRUE(store->begin());
    ASSERT_TRUE(store->write(rules::State{}, BatchId{lane, n}, world.clock().now()));
    ASSERT_TRUE(store->commit());
  };
  post(1);
  std::int64_t seen = 0;
  Reader::Visitor visitor;
  visitor.batch = [&](const BatchRow&) {
    ++seen;
    EXPECT_TRUE(reader->due(1));
    post(2);
  };
  ASSERT_TRUE(reader->visit(visitor));
  EXPECT_EQ(seen, 1);  // The snapshot is of the moment when the visit began.
}

}  // namespace
}  // namespace gavel::judge
