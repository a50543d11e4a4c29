// What writing, committing, refusing and resolving promise.
// One noun: the guards in a store's contract.
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "judge/testing/store_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ActivityCode;
using rules::ActivityId;
using rules::ItemId;
using rules::Quantity;
using rules::RowState;
using rules::SkuCode;
using rules::SkuId;
using rules::State;
using rules::UserId;

namespace {

// One more unit in bucket 0 of the item, as a rule would leave it.
void receive_one(rules::Item& item) {
  item.buckets[0].available += Quantity{1};
  item.buckets[0].seq += 1;
}

std::string code_of(const Result<void>& result) {
  if (result) return "written";
  switch (result.error().code) {
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::duplicate:
      return "duplicate";
    case ErrorCode::constraint:
      return "constraint";
    default:
      return result.error().message;
  }
}

rules::QuotaKey quota_of_ann() { return {ActivityId{1}, SkuId{1}, UserId("ann")}; }

}  // namespace

TEST_P(StoreContract, RollbackLeavesNoTrace) {
  const std::string before = dump();
  State state = loaded_item(1);
  receive_one(state.items.at(ItemId{1}));
  state.flows.push_back(make_flow(1, 0, 4, std::nullopt));
  state.orders.emplace(order_id(9), make_order(9, "eve", {{ItemId{1}, 0, {1}}}, clock().now() + 5s));
  ASSERT_TRUE(store().begin());
  const Time now = store().now().value();
  ASSERT_TRUE(store().write(state, BatchId{lane_, n_}, now));
  store().rollback();
  store().rollback();
  EXPECT_EQ(dump(), before);

  // The batch number is as free as everything else.
  EXPECT_EQ(code_of(post(state)), "written");
  EXPECT_NE(dump(), before);
}

TEST_P(StoreContract, NothingShowsBeforeTheCommitAndEverythingAfterIt) {
  const std::string before = dump();
  State state = loaded_item(1);
  receive_one(state.items.at(ItemId{1}));
  state.flows.push_back(make_flow(1, 0, 4, std::nullopt));
  ASSERT_TRUE(store().begin());
  const Time now = store().now().value();
  ASSERT_TRUE(store().write(state, BatchId{lane_, n_}, now));
  EXPECT_EQ(dump(), before);
  ASSERT_TRUE(store().commit());
  EXPECT_EQ(dump_of("item 1"), "item 1 sku=1 activity=0 generation=1 bucket=5/2/0#4 bucket=5/1/1#1\n");
  EXPECT_EQ(dump_of("batch"),
            "batch 1.1 aborted=0 flows=5 at=2027-01-15T08:00:00.000Z\n"
            "batch 1.2 aborted=0 flows=1 at=2027-01-15T08:00:00.000Z\n");
}

TEST_P(StoreContract, AnEmptyBatchLeavesItsRow) {
  clock().advance(1500ms);
  EXPECT_EQ(code_of(post(State{})), "written");
  EXPECT_EQ(dump_of("batch 1.2"), "batch 1.2 aborted=0 flows=0 at=2027-01-15T08:00:01.500Z\n");
}

TEST_P(StoreContract, OnlyMarkedRowsAreWritten) {
  State state = loaded([&](State& s) -> Result<void> {
    EXPECT_TRUE(store().load_skus({.codes = {SkuCode("tee")}}, s));
    EXPECT_TRUE(store().load_activities(sale_for_update(), s));
    EXPECT_TRUE(store().load_orders({order_id(1)}, s));
    EXPECT_TRUE(store().load_quotas({quota_of_ann()}, s));
    return store().load_items({ItemId{1}}, s);
  });
  const std::string before = dump();
  state.activities.at(ActivityCode("sale")).state = rules::ActivityState::closed;
  state.orders.at(order_id(1)).state = rules::OrderState::paid;
  state.quotas.at(quota_of_ann()).claimed = Quantity{2};
  EXPECT_EQ(code_of(post(state)), "written");
  EXPECT_EQ(dump(), before + "batch 1.2 aborted=0 flows=0 at=2027-01-15T08:00:00.000Z\n");
}

TEST_P(StoreContract, UpdatesReachTheirRows) {
  State state = loaded([&](State& s) -> Result<void> {
    EXPECT_TRUE(store().load_activities(sale_for_update(), s));
    EXPECT_TRUE(store().load_orders({order_id(1)}, s));
    EXPECT_TRUE(store().load_quotas({quota_of_ann()}, s));
    EXPECT_TRUE(store().load_counters(s));
    return store().load_items({ItemId{1}, ItemId{3}}, s);
  });
  rules::Activity& activity = state.activities.at(ActivityCode("sale"));
  activity.state = rules::ActivityState::closed;
  activity.row_state = RowState::updated;
  rules::Order& order = state.orders.at(order_id(1));
  order.state = rules::OrderState::paid;
  order.returned = {{ItemId{1}, 1, {1}}};
  order.settled_at = clock().now() + 3s;
  order.revision = 3;
  order.row_state = RowState::updated;
  rules::Quota& quota = state.quotas.at(quota_of_ann());
  quota.claimed = Quantity{2};
  quota.order = order_id(1);
  quota.row_state = RowState::updated;
  state.counters = rules::Counters{8, 9, 10, RowState::updated};
  rules::Item& item = state.items.at(ItemId{3});
  item.generation = 4;
  item.row_state = RowState::updated;
  ASSERT_EQ(code_of(post(state)), "written");

  EXPECT_EQ(dump_of("activity").find("state=closed") == std::string::npos, false);
  EXPECT_EQ(
      dump_of("order 01a3134c-9000-7000-8000-000000000001"),
      "order 01a3134c-9000-7000-8000-000000000001 state=paid user=ann activity=0 taken=1/0*1 taken=1/1*1 "
      "taken=2/0*1 returned=1/1*1 created_at=2027-01-15T08:00:00.000Z expires_at=2027-01-15T08:00:10.000Z "
      "settled_at=2027-01-15T08:00:03.000Z revision=3\n");
  EXPECT_EQ(dump_of("quota"),
            "quota 1/1/ann allowed=2 claimed=2 order=01a3134c-9000-7000-8000-000000000001\n");
  EXPECT_EQ(dump_of("item 3"), "item 3 sku=1 activity=1 generation=4 bucket=3/0/0#0\n");
  const State counters = loaded([&](State& s) { return store().load_counters(s); });
  EXPECT_EQ(counters.counters.next_sku, 8);
  EXPECT_EQ(counters.counters.next_item, 9);
  EXPECT_EQ(counters.counters.next_activity, 10);
}

TEST_P(StoreContract, AnOrderThatIsNoLongerHeldIsNoLongerDue) {
  State state = loaded([&](State& s) { return store().load_orders({order_id(1)}, s); });
  rules::Order& order = state.orders.at(order_id(1));
  order.state = rules::OrderState::cancelled;
  order.settled_at = clock().now();
  order.revision = 1;
  order.row_state = RowState::updated;
  ASSERT_EQ(code_of(post(state)), "written");
  const Time later = clock().now() + 1h;
  clock().advance(1h);
  EXPECT_EQ(reader().due(9).value().holds.size(), 2U);
  ASSERT_TRUE(store().begin());
  EXPECT_EQ(due_of({ItemId{2}, std::nullopt, 9}, later).size(), 0U);
  EXPECT_EQ(due_of({ItemId{1}, UserId("ann"), 9}, later), std::vector{order_id(3)});
  store().rollback();
}

TEST_P(StoreContract, ARefusedOrderHoldsNothing) {
  State state;
  rules::Order order = make_order(9, "eve", {}, clock().now());
  order.state = rules::OrderState::refused;
  order.expires_at.reset();
  state.orders.emplace(order.id, order);
  state.orders_as_requests.emplace(order.id,
                                   make_recorded("shop", to_text(order.id.uuid), rules::Outcome::sold_out));
  ASSERT_EQ(code_of(post(state)), "written");
  EXPECT_EQ(dump_of("order 01a3134c-9000-7000-8000-000000000009"),
            "order 01a3134c-9000-7000-8000-000000000009 state=refused user=eve activity=0 "
            "created_at=2027-01-15T07:59:50.000Z expires_at=- settled_at=- revision=0\n");
  clock().advance(1h);
  EXPECT_EQ(reader().due(9).value().holds.size(), 3U);
  EXPECT_EQ(reader().request(request_id("shop", to_text(order.id.uuid))).value()->verdict.outcome,
            rules::Outcome::sold_out);
}

TEST_P(StoreContract, AChangedBucketIsGuardedByItsNumbersAsLoaded) {
  State first = loaded_item(1);
  State second = loaded_item(1);
  State third = loaded_item(1);
  receive_one(first.items.at(ItemId{1}));
  receive_one(second.items.at(ItemId{1}));
  third.items.at(ItemId{1}).buckets[1].available -= Quantity{1};
  third.items.at(ItemId{1}).buckets[1].seq += 1;
  EXPECT_EQ(code_of(post(first)), "written");
  const std::string after = dump_of("item");
  EXPECT_EQ(code_of(post(second)), "conflict");
  EXPECT_EQ(dump_of("item"), after);
  // The guard is of the bucket, not of the item.
  EXPECT_EQ(code_of(post(third)), "written");
}

TEST_P(StoreContract, AClaimIsGuardedByWhatWasClaimed) {
  const auto load = [&] {
    return loaded([&](State& s) { return store().load_quotas({quota_of_ann()}, s); });
  };
  const auto claim = [&](State& state, std::int64_t units) {
    state.quotas.at(quota_of_ann()).claimed = Quantity{units};
    state.quotas.at(quota_of_ann()).row_state = RowState::updated;
  };
  State first = load();
  State second = load();
  claim(first, 0);
  claim(second, 2);
  EXPECT_EQ(code_of(post(first)), "written");
  EXPECT_EQ(code_of(post(second)), "conflict");
  EXPECT_EQ(dump_of("quota"),
            "quota 1/1/ann allowed=2 claimed=0 order=01a3134c-9000-7000-8000-000000000003\n");
}

// Payment racing expiry has one winner (C5): the second one loads again and sees what the first did.
TEST_P(StoreContract, AChangedOrderIsGuardedByItsRevision) {
  const auto load = [&] { return loaded([&](State& s) { return store().load_orders({order_id(1)}, s); }); };
  const auto settle = [&](State& state, rules::OrderState to, std::int64_t revision) {
    rules::Order& order = state.orders.at(order_id(1));
    order.state = to;
    order.settled_at = clock().now();
    order.revision = revision;
    order.row_state = RowState::updated;
  };
  State first = load();
  State second = load();
  State unchanged = load();
  settle(unchanged, rules::OrderState::paid, 0);
  EXPECT_EQ(code_of(post(unchanged)), "constraint") << "an order changes with its revision";
  settle(first, rules::OrderState::paid, 1);
  settle(second, rules::OrderState::expired, 1);
  EXPECT_EQ(code_of(post(first)), "written");
  const std::string after = dump_of("order");
  EXPECT_EQ(code_of(post(second)), "conflict");
  EXPECT_EQ(dump_of("order"), after);
  EXPECT_EQ(load().orders.at(order_id(1)).loaded->revision, 1);
}

// A hold that takes other items, or ends at another time, is found there and nowhere else.
TEST_P(StoreContract, HoldRowsFollowTheirOrder) {
  State state = loaded([&](State& s) { return store().load_orders({order_id(1)}, s); });
  rules::Order& order = state.orders.at(order_id(1));
  order.taken = {{ItemId{3}, 0, {2}}, {ItemId{1}, 1, {1}}};
  *order.expires_at += 60s;
  order.revision = 1;
  order.row_state = RowState::updated;
  ASSERT_EQ(code_of(post(state)), "written");
  EXPECT_EQ(dump_of("hold"),
            "hold 1 expires_at=2027-01-15T08:00:20.000Z order=01a3134c-9000-7000-8000-000000000002\n"
            "hold 1 expires_at=2027-01-15T08:00:30.000Z order=01a3134c-9000-7000-8000-000000000003\n"
            "hold 1 expires_at=2027-01-15T08:01:10.000Z order=01a3134c-9000-7000-8000-000000000001\n"
            "hold 3 expires_at=2027-01-15T08:01:10.000Z order=01a3134c-9000-7000-8000-000000000001\n");
  ASSERT_TRUE(store().begin());
  EXPECT_EQ(due_of({ItemId{1}, UserId("ann"), 9}, clock().now() + 1h),
            (std::vector{order_id(3), order_id(1)}));
  store().rollback();
}

// What a rule needs to give the next row of its kind its number (C4).
TEST_P(StoreContract, RowsOfOrdersAreCounted) {
  const auto load = [&] {
    return loaded([&](State& s) { return store().load_orders({order_id(1), order_id(2)}, s); });
  };
  const auto key = [](std::uint8_t order, std::int64_t item, rules::BucketNo bucket, rules::Action action) {
    return rules::OccurrenceKey{order_id(order), ItemId{item}, bucket, action};
  };
  using enum rules::Action;
  // Nobody acted upon them: what they took is known without a look at the ledger.
  EXPECT_EQ(load().occurrences, (std::map<rules::OccurrenceKey, std::int32_t>{{key(1, 1, 0, reserve), 1},
                                                                              {key(1, 1, 1, reserve), 1},
                                                                              {key(1, 2, 0, reserve), 1},
                                                                              {key(2, 1, 0, reserve), 1}}));
  State state = load();
  state.orders.at(order_id(1)).revision = 1;
  state.orders.at(order_id(1)).row_state = RowState::updated;
  const auto add = [&](rules::BucketNo bucket, std::int64_t seq, rules::Action action, std::int32_t nth) {
    rules::Flow flow = make_flow(1, bucket, seq, order_id(1));
    flow.action = action;
    flow.occurrence = nth;
    state.flows.push_back(flow);
  };
  add(0, 4, reserve, 2);
  add(0, 5, reserve, 3);
  add(1, 2, cancel, 1);
  ASSERT_EQ(code_of(post(state)), "written");
  EXPECT_EQ(load().occurrences, (std::map<rules::OccurrenceKey, std::int32_t>{{key(1, 1, 0, reserve), 3},
                                                                              {key(1, 1, 1, reserve), 1},
                                                                              {key(1, 1, 1, cancel), 1},
                                                                              {key(1, 2, 0, reserve), 1},
                                                                              {key(2, 1, 0, reserve), 1}}));
}

// Each row of the table breaks one batch, which is otherwise good; nothing of it may be stored.
struct Broken {
  const char* name;
  const char* answer;
  std::function<void(State&)> breaks;
};

std::vector<Broken> out_of_bounds() {
  const auto negative = [](Quantity rules::Bucket::* number) {
    return [number](State& s) {
      rules::Bucket& bucket = s.items.at(ItemId{1}).buckets[0];
      bucket.*number = Quantity{-1};
      bucket.seq += 1;
    };
  };
  const auto claimed = [](std::int64_t units) {
    return [units](State& s) {
      const rules::QuotaKey key{ActivityId{1}, SkuId{1}, UserId("bob")};
      s.quotas.emplace(
          key, rules::Quota{Quantity{2}, Quantity{units}, std::nullopt, Quantity{0}, RowState::inserted});
    };
  };
  const auto bad_flow = [](Quantity rules::Flow::* number, std::int64_t units) {
    return [number, units](State& s) { s.flows.back().*number = Quantity{units}; };
  };
  return {
      {"available below zero", "constraint", negative(&rules::Bucket::available)},
      {"reserved below zero", "constraint", negative(&rules::Bucket::reserved)},
      {"sold below zero", "constraint", negative(&rules::Bucket::sold)},
      {"a shortage below zero", "constraint", negative(&rules::Bucket::shortage)},
      {"shipped units below zero", "constraint", negative(&rules::Bucket::shipped)},
      {"a flow of no units", "constraint", bad_flow(&rules::Flow::quantity, 0)},
      {"a flow from below zero", "constraint", bad_flow(&rules::Flow::before, -1)},
      {"a flow to below zero", "constraint", bad_flow(&rules::Flow::after, -1)},
      {"claimed above allowed", "constraint", claimed(3)},
      {"claimed below zero", "constraint", claimed(-1)},
  };
}

rules::Activity draft(std::int64_t id, const char* code) {
  return rules::Activity{.id = ActivityId{id},
                         .code = ActivityCode(code),
                         .name = {},
                         .limit_per_user = {},
                         .opens_at = {},
                         .closes_at = {},
                         .hold = {},
                         .lines = {},
                         .row_state = RowState::inserted};
}

std::vector<Broken> keys_that_exist() {
  return {
      {"sku exists", "duplicate",
       [](State& s) {
         s.skus.emplace("tee", rules::Sku{SkuId{8}, SkuCode("tee"), 1, ItemId{1}, RowState::inserted});
       }},
      {"number of a sku exists", "duplicate",
       [](State& s) {
         s.skus.emplace("new", rules::Sku{SkuId{1}, SkuCode("new"), 1, ItemId{1}, RowState::inserted});
       }},
      {"item exists", "duplicate", [](State& s) { s.items.at(ItemId{1}).row_state = RowState::inserted; }},
      {"activity exists", "duplicate", [](State& s) { s.activities.emplace("sale", draft(8, "sale")); }},
      {"number of an activity exists", "duplicate",
       [](State& s) { s.activities.emplace("new", draft(1, "new")); }},
      {"order exists", "duplicate",
       [](State& s) {
         s.orders.insert_or_assign(order_id(2),
                                   make_order(2, "eve", {{ItemId{1}, 0, {1}}}, Time(1'800'000'099'000ms)));
       }},
      {"request exists", "duplicate",
       [](State& s) {
         s.requests.emplace(request_id("shop", "k-1"),
                            make_recorded("shop", "k-1", rules::Outcome::confirmed));
       }},
      {"quota exists", "duplicate",
       [](State& s) {
         s.quotas.emplace(quota_of_ann(), rules::Quota{Quantity{2}, Quantity{1}, std::nullopt, Quantity{0},
                                                       RowState::inserted});
       }},
      {"position in a bucket exists", "duplicate",
       [](State& s) { s.flows.push_back(make_flow(1, 0, 3, std::nullopt)); }},
      {"occurrence of an order's action exists", "duplicate",
       [](State& s) { s.flows.push_back(make_flow(1, 0, 5, order_id(1))); }},
      {"occurrence of an order's action stands twice in the batch", "duplicate",
       [](State& s) {
         for (const std::int64_t seq : {5, 6}) {
           s.flows.push_back(make_flow(1, 0, seq, order_id(1)));
           s.flows.back().occurrence = 7;
         }
       }},
      {"position in a bucket stands twice in the batch", "duplicate",
       [](State& s) { s.flows.push_back(make_flow(1, 0, 4, std::nullopt)); }},
  };
}

std::vector<Broken> rows_that_are_not_there() {
  const auto counted_back = [](std::int64_t rules::Counters::* number) {
    return [number](State& s) {
      s.counters = {.next_sku = 99, .next_item = 99, .next_activity = 99, .row_state = RowState::updated};
      s.counters.*number = 1;
    };
  };
  return {
      {"activity is not there", "conflict",
       [](State& s) {
         rules::Activity activity = draft(8, "new");
         activity.row_state = RowState::updated;
         s.activities.emplace(activity.code, activity);
       }},
      {"quota is not there", "conflict",
       [](State& s) {
         s.quotas.emplace(
             rules::QuotaKey{ActivityId{1}, SkuId{1}, UserId("zoe")},
             rules::Quota{Quantity{2}, Quantity{1}, std::nullopt, Quantity{0}, RowState::updated});
       }},
      {"order is not there", "conflict",
       [](State& s) {
         rules::Order& order = s.orders.at(order_id(9));
         rules::mark_loaded(order);
         order.revision = 1;
         order.row_state = RowState::updated;
       }},
      {"item is not there", "conflict",
       [](State& s) {
         rules::Item item = s.items.at(ItemId{1});
         item.id = {99};
         item.buckets = item.loaded = {};
         item.generation = 7;
         item.row_state = RowState::updated;
         s.items.emplace(item.id, item);
       }},
      {"SKU numbers are dealt already", "conflict", counted_back(&rules::Counters::next_sku)},
      {"item numbers are dealt already", "conflict", counted_back(&rules::Counters::next_item)},
      {"activity numbers are dealt already", "conflict", counted_back(&rules::Counters::next_activity)},
  };
}

TEST_P(StoreContract, ABrokenRowRefusesTheWholeBatch) {
  std::vector<Broken> all = out_of_bounds();
  std::ranges::move(rows_that_are_not_there(), std::back_inserter(all));
  std::ranges::move(keys_that_exist(), std::back_inserter(all));
  for (const Broken& broken : all) {
    const std::string before = dump();
    State state = loaded_item(1);
    receive_one(state.items.at(ItemId{1}));
    state.flows.push_back(make_flow(1, 0, 4, std::nullopt));
    state.orders.emplace(order_id(9), make_order(9, "eve", {{ItemId{1}, 0, {1}}}, clock().now() + 5s));
    state.requests.emplace(request_id("shop", "k-9"), make_recorded("shop", "k-9", rules::Outcome::received));
    broken.breaks(state);
    EXPECT_EQ(code_of(post(state)), broken.answer) << broken.name;
    EXPECT_EQ(dump(), before) << broken.name;
  }
}

TEST_P(StoreContract, KeysOfOneCallerAreNotThoseOfAnother) {
  State state;
  state.requests.emplace(request_id("other", "k-1"),
                         make_recorded("other", "k-1", rules::Outcome::confirmed));
  EXPECT_EQ(code_of(post(state)), "written");
  EXPECT_EQ(reader().request(request_id("other", "k-1")).value()->verdict.outcome, rules::Outcome::confirmed);
  EXPECT_EQ(reader().request(request_id("shop", "k-1")).value()->verdict.outcome, rules::Outcome::received);
}

TEST_P(StoreContract, ABatchNumberIsUsedOnce) {
  n_ = 1;
  EXPECT_EQ(code_of(post(State{})), "duplicate");
  n_ = 2;
  EXPECT_EQ(code_of(post(State{})), "written");
}

TEST_P(StoreContract, ResolvingACommittedBatchChangesNothing) {
  const std::string before = dump();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store().resolve(BatchId{lane_, 1}).value(), Resolution::committed);
  EXPECT_EQ(dump(), before);
}

TEST_P(StoreContract, AnAbortedBatchNeverCanBe) {
  const std::string before = dump();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store().resolve(BatchId{lane_, 2}).value(), Resolution::aborted);
  const std::string tombstone = "batch 1.2 aborted=1 flows=0 at=2027-01-15T08:00:00.000Z\n";
  EXPECT_EQ(dump(), before + tombstone);
  State state = loaded_item(1);
  receive_one(state.items.at(ItemId{1}));
  EXPECT_EQ(code_of(post(state)), "duplicate");
  EXPECT_EQ(dump(), before + tombstone);
  ++n_;
  EXPECT_EQ(code_of(post(state)), "written");
}

TEST_P(StoreContract, ResolutionsOutliveARestart) {
  const rules::LaneId old = lane_;
  EXPECT_EQ(store().resolve(BatchId{old, 2}).value(), Resolution::aborted);
  reopen();
  EXPECT_EQ(store().resolve(BatchId{old, 1}).value(), Resolution::committed);
  EXPECT_EQ(store().resolve(BatchId{old, 2}).value(), Resolution::aborted);
}

TEST_P(StoreContract, ATransactionThatWasLeftOpenIsGoneWithItsStore) {
  State state = loaded_item(1);
  receive_one(state.items.at(ItemId{1}));
  const std::string before = dump();
  ASSERT_TRUE(store().begin());
  const Time now = store().now().value();
  ASSERT_TRUE(store().write(state, BatchId{lane_, n_}, now));
  reopen();
  EXPECT_EQ(dump(), before);
  EXPECT_EQ(code_of(post(state)), "written");
}

}  // namespace gavel::judge
