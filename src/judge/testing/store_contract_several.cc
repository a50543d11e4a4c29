// What a store promises where several of them work on one database at once: nobody writes over another,
// whoever waits is told, and each finds out about his own batches alone.
#include <string>
#include <utility>
#include <vector>

#include "judge/testing/store_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ItemId;
using rules::Quantity;
using rules::RowState;
using rules::SkuCode;
using rules::State;

namespace {

std::string code_of(const Result<void>& result) {
  if (result) return "done";
  switch (result.error().code) {
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::duplicate:
      return "duplicate";
    default:
      return result.error().message;
  }
}

State with_order(std::uint8_t number, Time now) {
  State state;
  state.orders.emplace(order_id(number), make_order(number, "eve", {{ItemId{2}, 0, {1}}}, now + 60s));
  return state;
}

// An act that makes no order, under the UUIDv7 key that would be the id of order `number`.
State with_act(std::uint8_t number) {
  State state;
  const std::string key = to_text(order_id(number).uuid);
  state.requests.emplace(request_id("shop", key), make_recorded("shop", key, rules::Outcome::received));
  state.key_guards.insert(order_id(number));
  return state;
}

void receive_one(State& state, std::int64_t item) {
  rules::Bucket& bucket = state.items.at(ItemId{item}).buckets[0];
  bucket.available += Quantity{1};
  ++bucket.seq;
}

}  // namespace

void LanesContract::SetUp() {
  StoreContract::SetUp();
  close_store();
  one_ = open_lane();
  two_ = open_lane();
}

LanesContract::Lane LanesContract::open_lane() {
  Lane lane{world().open_store(), {}};
  lane.id = lane.store->open_lane().value();
  return lane;
}

Result<void> LanesContract::Lane::write(const State& state) {
  const auto now = store->now();
  if (!now) return std::unexpected(now.error());
  return store->write(state, batch(), *now);
}

TEST_P(LanesContract, WhoeverWaitedForARowFindsItAsTheOtherLeftIt_C5) {
  State first;
  ASSERT_TRUE(one_.store->begin());
  ASSERT_TRUE(one_.store->load_items({ItemId{1}}, first));
  receive_one(first, 1);
  ASSERT_TRUE(one_.write(first));
  State second;
  world().wait_for(
      [&] {
        EXPECT_EQ(code_of(two_.store->begin()), "done");
        EXPECT_EQ(code_of(two_.store->load_items({ItemId{1}}, second)), "done");
      },
      [&] { EXPECT_EQ(code_of(one_.store->commit()), "done"); });
  receive_one(second, 1);
  ASSERT_EQ(code_of(two_.write(second)), "done");
  ASSERT_EQ(code_of(two_.store->commit()), "done");
  EXPECT_EQ(dump_of("item 1"), "item 1 sku=1 activity=0 generation=1 bucket=6/2/0#5 bucket=5/1/1#1\n");
}

TEST_P(LanesContract, WhoeverWaitsTooLongIsToldSoAndHasDoneNothing) {
  const std::string before = dump();
  State first;
  ASSERT_TRUE(one_.store->begin());
  ASSERT_TRUE(one_.store->load_items({ItemId{1}}, first));
  State second;
  Result<void> loaded = two_.store->begin();
  if (loaded) loaded = two_.store->load_items({ItemId{1}}, second);
  EXPECT_EQ(code_of(loaded), "conflict");
  two_.store->rollback();
  one_.store->rollback();
  EXPECT_EQ(dump(), before);

  // Both go on as if nothing had been.
  ASSERT_TRUE(two_.store->begin());
  ASSERT_TRUE(two_.store->load_items({ItemId{1}}, second));
  receive_one(second, 1);
  ASSERT_EQ(code_of(two_.write(second)), "done");
  EXPECT_EQ(code_of(two_.store->commit()), "done");
}

TEST_P(LanesContract, RowsThatAreOnlyReadKeepNobodyOut) {
  if (!locks_rows()) {
    ASSERT_TRUE(one_.store->begin());
    EXPECT_EQ(code_of(two_.store->begin()), "conflict") << "one transaction at a time, whatever it reads";
    one_.store->rollback();
    return;
  }
  const SkuKeys sku{.codes = {SkuCode("tee")}};
  const SkuKeys sku_for_update{.codes = {SkuCode("tee")}, .ids = {}, .written = {SkuCode("tee")}};
  const ActivityKeys sale{.codes = {rules::ActivityCode("sale")}};
  State one;
  State two;
  for (const auto& [lane, state] : {std::pair(&one_, &one), std::pair(&two_, &two)}) {
    ASSERT_TRUE(lane->store->begin());
    EXPECT_EQ(code_of(lane->store->load_activities(sale, *state)), "done");
    EXPECT_EQ(code_of(lane->store->load_skus(sku, *state)), "done");
  }
  two_.store->rollback();
  ASSERT_TRUE(two_.store->begin());
  EXPECT_EQ(code_of(two_.store->load_skus(sku_for_update, two)), "conflict") << "the other still reads it";
  two_.store->rollback();
  ASSERT_TRUE(two_.store->begin());
  EXPECT_EQ(code_of(two_.store->load_activities(sale_for_update(), two)), "conflict");
  two_.store->rollback();
  one_.store->rollback();
}

TEST_P(LanesContract, OfTwoThatWaitForEachOtherOneGivesWay) {
  State one;
  State two;
  ASSERT_TRUE(one_.store->begin());
  ASSERT_TRUE(one_.store->load_items({ItemId{1}}, one));
  if (!locks_rows()) {
    EXPECT_EQ(code_of(two_.store->begin()), "conflict") << "nobody holds anything while he waits";
    one_.store->rollback();
    return;
  }
  ASSERT_TRUE(two_.store->begin());
  ASSERT_TRUE(two_.store->load_items({ItemId{2}}, two));
  Result<void> first;
  Result<void> second;
  world().wait_for([&] { first = one_.store->load_items({ItemId{2}}, one); },
                   [&] {
                     second = two_.store->load_items({ItemId{1}}, two);
                     two_.store->rollback();
                   });
  EXPECT_EQ(code_of(first), "done");
  EXPECT_EQ(code_of(second), "conflict");
  one_.store->rollback();
}

TEST_P(LanesContract, NothingIsWaitedForAfterTheTime) {
  State one;
  State two;
  ASSERT_TRUE(one_.store->begin());
  ASSERT_TRUE(one_.store->load_items({ItemId{1}}, one));
  if (!locks_rows()) {
    one_.store->rollback();
    ASSERT_TRUE(two_.store->begin());
    ASSERT_TRUE(two_.store->now());
    EXPECT_EQ(code_of(two_.store->load_items({ItemId{1}}, two)), "done")
        << "everything is locked since begin";
    two_.store->rollback();
    return;
  }
  ASSERT_TRUE(two_.store->begin());
  ASSERT_TRUE(two_.store->now());
  EXPECT_EQ(code_of(two_.store->load_items({ItemId{2}}, two)), "done");
  Result<void> late;
  world().wait_for([&] { late = two_.store->load_items({ItemId{1}}, two); }, [&] { one_.store->rollback(); });
  EXPECT_EQ(code_of(late), "conflict") << "had it waited, it would have got the row";
  two_.store->rollback();
}

// What was read without a lock is read again under it.
TEST_P(LanesContract, AnOrderIsLoadedAsItIsWhenItIsLocked) {
  State state;
  if (locks_rows()) {
    ASSERT_TRUE(two_.store->begin());
    ASSERT_TRUE(two_.store->read_orders({order_id(1)}, state));
  }
  State other;
  ASSERT_TRUE(one_.store->begin());
  ASSERT_TRUE(one_.store->load_orders({order_id(1)}, other));
  rules::Order& order = other.orders.at(order_id(1));
  order.revision = 7;
  order.row_state = RowState::updated;
  ASSERT_EQ(code_of(one_.write(other)), "done");
  ASSERT_EQ(code_of(one_.store->commit()), "done");
  if (!locks_rows()) {
    ASSERT_TRUE(two_.store->begin());
    ASSERT_TRUE(two_.store->read_orders({order_id(1)}, state));
  }
  ASSERT_TRUE(two_.store->load_orders({order_id(1)}, state));
  EXPECT_EQ(state.orders.at(order_id(1)).revision, 7);
  two_.store->rollback();
}

// Each of two stores makes the same row; neither knew of the other's.
TEST_P(LanesContract, OneKeyHasOneAnswerWhoeverWritesIt_A3) {
  struct Both {
    const char* what;
    State first;
    State second;
    std::uint8_t order;
  };
  const Time now = clock().now();
  std::uint8_t number = 10;
  const auto next = [&] { return ++number; };
  std::vector<Both> all;
  const auto add = [&](const char* what, auto first, auto second) {
    const std::uint8_t order = next();
    all.push_back({what, first(order), second(order), order});
  };
  const auto order = [&](std::uint8_t no) { return with_order(no, now); };
  const auto act = [](std::uint8_t no) { return with_act(no); };
  const auto named = [](std::uint8_t no) {
    State state = with_act(no);
    state.key_guards.clear();  // Under a key that is no UUIDv7 there is none.
    return state;
  };
  add("two orders", order, order);
  add("an order, then another act", order, act);
  add("another act, then an order", act, order);
  add("two other acts", act, act);
  add("two acts under a key of another form", named, named);
  for (Both& both : all) {
    SCOPED_TRACE(both.what);
    ASSERT_TRUE(one_.store->begin());
    ASSERT_EQ(code_of(one_.write(both.first)), "done");
    Result<void> written;
    world().wait_for(
        [&] {
          written = two_.store->begin();
          if (written) written = two_.write(both.second);
        },
        [&] { EXPECT_EQ(code_of(one_.store->commit()), "done"); });
    EXPECT_EQ(code_of(written), "duplicate");
    two_.store->rollback();
    ++one_.n;
  }
}

TEST_P(LanesContract, ALostCommitIsResolvedWhileAnotherLaneWorks_A13) {
  ASSERT_TRUE(one_.store->begin());
  ASSERT_EQ(code_of(one_.write(with_order(4, clock().now()))), "done");
  // The connection is lost before COMMIT; the server may take its time to notice.
  const BatchId lost = one_.batch();
  one_.store.reset();
  one_.store = world().open_store();

  ASSERT_TRUE(two_.store->begin());
  ASSERT_EQ(code_of(two_.write(with_order(5, clock().now()))), "done");
  Result<Resolution> resolved;
  world().wait_for([&] { resolved = one_.store->resolve(lost); },
                   [&] { EXPECT_EQ(code_of(two_.store->commit()), "done"); });
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(*resolved, Resolution::aborted);
  EXPECT_EQ(dump_of("order 01a3134c-9000-7000-8000-000000000004"), "");
  EXPECT_NE(dump_of("order 01a3134c-9000-7000-8000-000000000005"), "");
}

// Both lanes have a batch of the same number; that of one is stored, that of the other is not.
TEST_P(LanesContract, ATombstoneIsOfItsOwnLane_A13) {
  ASSERT_TRUE(two_.store->begin());
  ASSERT_EQ(code_of(two_.write(with_order(5, clock().now()))), "done");
  ASSERT_EQ(code_of(two_.store->commit()), "done");
  ASSERT_EQ(one_.batch().n, two_.batch().n);
  EXPECT_EQ(one_.store->resolve(one_.batch()).value(), Resolution::aborted);
  EXPECT_EQ(two_.store->resolve(two_.batch()).value(), Resolution::committed);
  EXPECT_EQ(one_.store->resolve(one_.batch()).value(), Resolution::aborted);
}

TEST_P(LanesContract, EveryStartHasANumberOfItsOwn) {
  const Identity first = one_.store->open_instance().value();
  const Identity second = two_.store->open_instance().value();
  two_.store.reset();
  two_.store = world().open_store();
  const Identity third = two_.store->open_instance().value();
  EXPECT_EQ(first.incarnation, second.incarnation);
  EXPECT_EQ(first.incarnation, third.incarnation);
  EXPECT_GE(first.instance.value, 1);
  EXPECT_LT(first.instance, second.instance);
  EXPECT_LT(second.instance, third.instance);
}

}  // namespace gavel::judge
