// What loading, reading and time promise.
// One noun: the contract of a store.
#include "judge/testing/store_contract.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ActivityCode;
using rules::ActivityId;
using rules::ItemId;
using rules::OrderId;
using rules::Quantity;
using rules::RowState;
using rules::SkuCode;
using rules::SkuId;
using rules::State;
using rules::UserId;

TEST_P(StoreContract, EveryColumnOfEveryTableComesBack) {
  EXPECT_EQ(dump(),
            R"(sku cap id=2 buckets=1 item=2
sku tee id=1 buckets=2 item=1
activity sale id=1 name="Été; \"one\"\n两" state=open limit_per_user=2 opens_at=2027-01-15T08:00:00.000Z closes_at=2027-01-15T08:16:39.999Z hold=90 line=tee*3@3/1
item 1 sku=1 activity=0 generation=1 bucket=4/2/0#3 bucket=5/1/1#1
item 2 sku=2 activity=0 generation=2 bucket=7/1/0#1
item 3 sku=1 activity=1 generation=3 bucket=3/0/0#0
flow 1/0#1 action=receive quantity=1 before=0 after=1 order=- occurrence=1 caller=shop key=k-1 source=inbound at=2027-01-15T08:00:00.000Z batch=1.1 i=0
flow 1/0#2 action=reserve quantity=1 before=1 after=0 order=01a3134c-9000-7000-8000-000000000001 occurrence=1 caller=shop key=k-2 source=order at=2027-01-15T08:00:00.000Z batch=1.1 i=1
flow 1/0#3 action=reserve quantity=1 before=1 after=0 order=01a3134c-9000-7000-8000-000000000002 occurrence=1 caller=shop key=k-3 source=order at=2027-01-15T08:00:00.000Z batch=1.1 i=4
flow 1/1#1 action=reserve quantity=1 before=1 after=0 order=01a3134c-9000-7000-8000-000000000001 occurrence=1 caller=shop key=k-1 source=order at=2027-01-15T08:00:00.000Z batch=1.1 i=2
flow 2/0#1 action=reserve quantity=1 before=1 after=0 order=01a3134c-9000-7000-8000-000000000001 occurrence=1 caller=shop key=k-1 source=order at=2027-01-15T08:00:00.000Z batch=1.1 i=3
order 01a3134c-9000-7000-8000-000000000001 state=held account=of-ann user=ann activity=0 taken=1/0*1 taken=1/1*1 taken=2/0*1 created_at=2027-01-15T08:00:00.000Z expires_at=2027-01-15T08:00:10.000Z settled_at=- revision=0
order 01a3134c-9000-7000-8000-000000000002 state=held account=of-bob user=bob activity=0 taken=1/0*1 created_at=2027-01-15T08:00:10.000Z expires_at=2027-01-15T08:00:20.000Z settled_at=- revision=0
order 01a3134c-9000-7000-8000-000000000003 state=held account=of-ann user=ann activity=0 taken=1/0*1 created_at=2027-01-15T08:00:20.000Z expires_at=2027-01-15T08:00:30.000Z settled_at=- revision=0
request shop/k-1 content="act=receive;sku=tee;quantity=7" verdict="received" at=2027-01-15T08:00:00.123Z
order_as_request shop/01a3134c-9000-7000-8000-000000000002 content="act=receive;sku=tee;quantity=7" verdict="reserved expires_at=2027-01-15T08:00:20.000Z order=01a3134c-9000-7000-8000-000000000002" at=2027-01-15T08:00:00.123Z
quota 1/1/ann allowed=2 claimed=1 order=01a3134c-9000-7000-8000-000000000003 account=of-ann
hold 1 expires_at=2027-01-15T08:00:10.000Z order=01a3134c-9000-7000-8000-000000000001
hold 1 expires_at=2027-01-15T08:00:20.000Z order=01a3134c-9000-7000-8000-000000000002
hold 1 expires_at=2027-01-15T08:00:30.000Z order=01a3134c-9000-7000-8000-000000000003
hold 2 expires_at=2027-01-15T08:00:10.000Z order=01a3134c-9000-7000-8000-000000000001
batch 1.1 aborted=0 flows=5 at=2027-01-15T08:00:00.000Z
)");
}

TEST_P(StoreContract, WhatIsCommittedOutlivesARestart) {
  const std::string before = dump();
  reopen();
  EXPECT_EQ(dump(), before);
}

TEST_P(StoreContract, ALaneIsNeverDealtTwice) {
  std::vector<rules::LaneId> lanes{lane_};
  for (int restart = 0; restart < 2; ++restart) {
    for (int i = 0; i < 2; ++i) {
      const auto lane = store().open_lane();
      ASSERT_TRUE(lane);
      lanes.push_back(*lane);
    }
    reopen();
    lanes.push_back(lane_);
  }
  std::ranges::sort(lanes);
  EXPECT_EQ(std::ranges::adjacent_find(lanes), lanes.end());
}

TEST_P(StoreContract, SkusAreLoadedByCodeAndByNumber) {
  const auto by_code =
      loaded([&](State& s) { return store().load_skus({.codes = {SkuCode("tee"), SkuCode("none")}}, s); });
  ASSERT_EQ(by_code.skus.size(), 1U);
  const rules::Sku& tee = by_code.skus.at(SkuCode("tee"));
  EXPECT_EQ(tee.id, SkuId{1});
  EXPECT_EQ(tee.bucket_count, 2);
  EXPECT_EQ(tee.free_item, ItemId{1});
  EXPECT_EQ(tee.row_state, RowState::clean);

  const auto by_number =
      loaded([&](State& s) { return store().load_skus({.codes = {}, .ids = {SkuId{2}, SkuId{9}}}, s); });
  ASSERT_EQ(by_number.skus.size(), 1U);
  EXPECT_EQ(by_number.skus.at(SkuCode("cap")).id, SkuId{2});
}

TEST_P(StoreContract, ActivitiesAreLoadedByCodeAndByNumber) {
  const auto by_code = loaded([&](State& s) {
    return store().load_activities({.codes = {ActivityCode("sale"), ActivityCode("none")}}, s);
  });
  ASSERT_EQ(by_code.activities.size(), 1U);
  const rules::Activity& sale = by_code.activities.at(ActivityCode("sale"));
  EXPECT_EQ(sale.state, rules::ActivityState::open);
  EXPECT_EQ(sale.name, "Été; \"one\"\n两");
  EXPECT_EQ(sale.limit_per_user, Quantity{2});
  EXPECT_EQ(sale.hold, 90s);
  ASSERT_EQ(sale.lines.size(), 1U);
  EXPECT_EQ(sale.lines[0].code, SkuCode("tee"));
  EXPECT_EQ(sale.lines[0].item, ItemId{3});
  EXPECT_EQ(sale.row_state, RowState::clean);

  const auto by_number = loaded([&](State& s) {
    return store().load_activities({.codes = {}, .ids = {ActivityId{1}, ActivityId{7}}}, s);
  });
  EXPECT_EQ(by_number.activities.size(), 1U);
}

TEST_P(StoreContract, AnItemIsLoadedWithAllItsBuckets) {
  const State state = loaded([&](State& s) { return store().load_items({ItemId{1}, ItemId{99}}, s); });
  ASSERT_EQ(state.items.size(), 1U);
  const rules::Item& item = state.items.at(ItemId{1});
  const std::vector<rules::Bucket> buckets{{{4}, {2}, {0}, 3}, {{5}, {1}, {1}, 1}};
  EXPECT_EQ(item.buckets, buckets);
  EXPECT_EQ(item.loaded, buckets);
  EXPECT_EQ(item.sku, SkuId{1});
  EXPECT_EQ(item.activity, rules::free_pool);
  EXPECT_EQ(item.generation, 1);
  EXPECT_EQ(item.row_state, RowState::clean);
}

TEST_P(StoreContract, OrdersAreLoadedWithWhatTheyTook) {
  const State state = loaded([&](State& s) { return store().load_orders({order_id(1), order_id(99)}, s); });
  ASSERT_EQ(state.orders.size(), 1U);
  const rules::Order& order = state.orders.at(order_id(1));
  EXPECT_EQ(order.state, rules::OrderState::held);
  EXPECT_EQ(order.user, UserId("ann"));
  EXPECT_EQ(order.taken,
            (std::vector<rules::Allocation>{{ItemId{1}, 0, {1}}, {ItemId{1}, 1, {1}}, {ItemId{2}, 0, {1}}}));
  EXPECT_EQ(order.created_at, clock().now());
  EXPECT_EQ(order.expires_at, clock().now() + 10s);
  EXPECT_EQ(order.settled_at, std::nullopt);
  EXPECT_EQ(order.row_state, RowState::clean);
  EXPECT_EQ(order.revision, 0);
  ASSERT_TRUE(order.loaded);
  EXPECT_EQ(order.loaded->state, rules::OrderState::held);
  EXPECT_EQ(order.loaded->taken, order.taken);
  EXPECT_EQ(order.loaded->expires_at, order.expires_at);
  EXPECT_EQ(order.loaded->revision, 0);
}

TEST_P(StoreContract, RequestsAreFoundAsRowsAndAsOrders) {
  const State state = loaded([&](State& s) {
    return store().load_requests(
        {request_id("shop", "k-1"), request_id("other", "k-1"), request_id("shop", "k-2")},
        {order_id(1), order_id(2), order_id(99)}, s);
  });
  ASSERT_EQ(state.requests.size(), 1U);
  const rules::IdempotencyRecord& row = state.requests.at(request_id("shop", "k-1"));
  EXPECT_EQ(row.content, "act=receive;sku=tee;quantity=7");
  EXPECT_EQ(row.verdict.outcome, rules::Outcome::received);
  EXPECT_EQ(row.verdict.at, Time(1'800'000'000'123ms));
  EXPECT_EQ(row.row_state, RowState::clean);

  // Order 2 carries its request; order 1 was made under a key that is no UUIDv7, so its id is merely in use.
  ASSERT_EQ(state.orders_as_requests.size(), 1U);
  const rules::IdempotencyRecord& order = state.orders_as_requests.at(order_id(2));
  EXPECT_EQ(order.caller, rules::Caller("shop"));
  EXPECT_EQ(order.key, rules::RequestKey("01a3134c-9000-7000-8000-000000000002"));
  EXPECT_EQ(order.verdict.order, order_id(2));
  EXPECT_EQ(order.verdict.detail.expires_at, clock().now() + 20s);
  EXPECT_EQ(order.row_state, RowState::clean);
  EXPECT_EQ(state.ids_in_use, std::set{order_id(1)});
}

TEST_P(StoreContract, QuotasAreLoadedWithWhatIsClaimed) {
  const rules::QuotaKey key{ActivityId{1}, SkuId{1}, UserId("ann")};
  const rules::QuotaKey none{ActivityId{1}, SkuId{1}, UserId("bob")};
  const State state = loaded([&](State& s) { return store().load_quotas({key, none}, s); });
  ASSERT_EQ(state.quotas.size(), 1U);
  const rules::Quota& quota = state.quotas.at(key);
  EXPECT_EQ(quota.allowed, Quantity{2});
  EXPECT_EQ(quota.claimed, Quantity{1});
  EXPECT_EQ(quota.loaded, Quantity{1});
  EXPECT_EQ(quota.order, order_id(3));
  EXPECT_EQ(quota.row_state, RowState::clean);
}

TEST_P(StoreContract, CountersAreLoaded) {
  const State state = loaded([&](State& s) { return store().load_counters(s); });
  EXPECT_EQ(state.counters.next_sku, 3);
  EXPECT_EQ(state.counters.next_item, 4);
  EXPECT_EQ(state.counters.next_activity, 2);
  EXPECT_EQ(state.counters.row_state, RowState::clean);
}

TEST_P(StoreContract, LoadingSkipsWhatTheStateHolds) {
  State state = loaded([&](State& s) -> Result<void> {
    const rules::QuotaKey quota{ActivityId{1}, SkuId{1}, UserId("ann")};
    const rules::RequestId request = request_id("shop", "k-1");
    const auto load_all = [&] {
      EXPECT_TRUE(store().load_skus({.codes = {SkuCode("tee")}}, s));
      EXPECT_TRUE(store().load_skus({.codes = {}, .ids = {SkuId{1}}}, s));
      EXPECT_TRUE(store().load_activities(sale_for_update(), s));
      EXPECT_TRUE(store().load_activities({.codes = {}, .ids = {ActivityId{1}}}, s));
      EXPECT_TRUE(store().load_items({ItemId{1}}, s));
      EXPECT_TRUE(store().load_orders({order_id(1)}, s));
      EXPECT_TRUE(store().load_requests({request}, {order_id(2)}, s));
      EXPECT_TRUE(store().load_quotas({quota}, s));
    };
    load_all();
    s.skus.at(SkuCode("tee")).bucket_count = 64;
    s.activities.at(ActivityCode("sale")).name = "held";
    s.items.at(ItemId{1}).buckets[0].available = Quantity{77};
    s.items.at(ItemId{1}).loaded[0].available = Quantity{78};
    s.orders.at(order_id(1)).state = rules::OrderState::paid;
    s.requests.at(request).content = "held";
    s.orders_as_requests.at(order_id(2)).content = "held";
    s.quotas.at(quota).claimed = Quantity{79};
    load_all();
    EXPECT_EQ(s.quotas.at(quota).claimed, Quantity{79});
    EXPECT_EQ(s.requests.at(request).content, "held");
    return {};
  });
  EXPECT_EQ(state.skus.at(SkuCode("tee")).bucket_count, 64);
  EXPECT_EQ(state.activities.at(ActivityCode("sale")).name, "held");
  EXPECT_EQ(state.items.at(ItemId{1}).buckets[0].available, Quantity{77});
  EXPECT_EQ(state.items.at(ItemId{1}).loaded[0].available, Quantity{78});
  EXPECT_EQ(state.orders.at(order_id(1)).state, rules::OrderState::paid);
  EXPECT_EQ(state.orders_as_requests.at(order_id(2)).content, "held");
}

TEST_P(StoreContract, DueHoldsComeOldestFirst) {
  const Time start = clock().now();
  ASSERT_TRUE(store().begin());
  const auto due = [&](std::int64_t item, Time now, std::size_t count) {
    return due_of({ItemId{item}, std::nullopt, count}, now);
  };
  EXPECT_EQ(due(1, start + 9999ms, 9), std::vector<OrderId>{});
  // A hold ends at its very millisecond.
  EXPECT_EQ(due(1, start + 10s, 9), std::vector{order_id(1)});
  EXPECT_EQ(due(1, start + 1h, 9), (std::vector{order_id(1), order_id(2), order_id(3)}));
  EXPECT_EQ(due(1, start + 1h, 2), (std::vector{order_id(1), order_id(2)}));
  EXPECT_EQ(due(1, start + 1h, 0), std::vector<OrderId>{});
  EXPECT_EQ(due(2, start + 1h, 9), std::vector{order_id(1)});
  EXPECT_EQ(due(3, start + 1h, 9), std::vector<OrderId>{});
  store().rollback();
}

TEST_P(StoreContract, DueHoldsOfOneUser) {
  const Time start = clock().now();
  ASSERT_TRUE(store().begin());
  const auto due = [&](const char* user, Time now, std::size_t count) {
    return due_of({ItemId{1}, UserId(user), count}, now);
  };
  EXPECT_EQ(due("ann", start + 9999ms, 9), std::vector<OrderId>{});
  EXPECT_EQ(due("ann", start + 10s, 9), std::vector{order_id(1)});
  EXPECT_EQ(due("ann", start + 1h, 9), (std::vector{order_id(1), order_id(3)}));
  EXPECT_EQ(due("ann", start + 1h, 1), std::vector{order_id(1)});
  EXPECT_EQ(due("bob", start + 1h, 9), std::vector{order_id(2)});
  EXPECT_EQ(due("eve", start + 1h, 9), std::vector<OrderId>{});
  store().rollback();
}

TEST_P(StoreContract, TimeNeverGoesBack) {
  const auto now = [&] {
    EXPECT_TRUE(store().begin());
    const Time time = store().now().value();
    store().rollback();
    return time;
  };
  const Time first = now();
  EXPECT_EQ(first, clock().now());
  clock().jump(-1h);
  EXPECT_EQ(now(), first);
  clock().jump(2h);
  EXPECT_EQ(now(), first + 1h);
}

// E25, F028: an hour back does not stop it, and eight hours ahead are not believed.
TEST_P(StoreContract, TimeGoesOnWhateverTheWallClockDoes_E25_F028) {
  const auto now = [&] {
    EXPECT_TRUE(store().begin());
    const Time time = store().now().value();
    store().rollback();
    EXPECT_EQ(reader().due(1)->now, time) << "readers take the same time";
    return time;
  };
  const Time first = now();
  clock().jump(-1h);
  clock().advance(5s);
  EXPECT_EQ(now(), first + 5s);
  clock().jump(9h);
  clock().advance(5s);
  EXPECT_EQ(now(), first + 10s);
}

TEST_P(StoreContract, ReadersFindOrdersAndRequests) {
  const auto found = reader().order(order_id(1)).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->order.user, UserId("ann"));
  EXPECT_EQ(found->activity, std::nullopt);
  ASSERT_EQ(found->parts.size(), 3U);
  EXPECT_EQ(found->parts[1].sku, SkuCode("tee"));
  EXPECT_EQ(found->parts[1].warehouse, "main");
  EXPECT_EQ(found->parts[1].bucket, 1);
  EXPECT_EQ(found->parts[2].sku, SkuCode("cap"));
  EXPECT_EQ(reader().order(order_id(99)).value(), std::nullopt);

  const std::string key = to_text(order_id(2).uuid);
  EXPECT_EQ(reader().request(request_id("shop", "k-1")).value()->verdict.outcome, rules::Outcome::received);
  EXPECT_EQ(reader().request(request_id("shop", key)).value()->verdict.order, order_id(2));
  EXPECT_FALSE(reader().request(request_id("other", "k-1")).value());
  EXPECT_FALSE(reader().request(request_id("other", key)).value());
  EXPECT_FALSE(reader().request(request_id("shop", to_text(order_id(1).uuid))).value());
}

TEST_P(StoreContract, ReadersFindActivitiesAndStock) {
  EXPECT_EQ(reader().activity(ActivityCode("sale")).value()->id, ActivityId{1});
  EXPECT_FALSE(reader().activity(ActivityCode("none")).value());
  EXPECT_FALSE(reader().stock(SkuCode("none")).value());
  const auto rows = reader().stock(SkuCode("tee")).value();
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].pool, "-");
  EXPECT_EQ((*rows)[0].warehouse, "main");
  EXPECT_EQ((*rows)[0].lot, "");
  EXPECT_EQ((*rows)[0].item.available(), Quantity{9});
  EXPECT_EQ((*rows)[1].pool, "sale");
  EXPECT_EQ((*rows)[1].item.id, ItemId{3});
}

// What a closed gate's no rests on (A8, A9, C9), in one consistent state.
TEST_P(StoreContract, AConfirmingReadFindsEverythingThatSpeaksAgainstANo) {
  const SoldOutQuery check{.items = {ItemId{1}, ItemId{2}, ItemId{99}},
                           .keys = {request_id("shop", "k-1"), request_id("other", "k-1"),
                                    request_id("other", to_text(order_id(2).uuid)),
                                    request_id("shop", to_text(order_id(3).uuid)), request_id("shop", "new")},
                           .activities = {ActivityCode("sale"), ActivityCode("none")}};
  const auto quiet = reader().check_sold_out(check);
  ASSERT_TRUE(quiet) << quiet.error().message;
  EXPECT_EQ(quiet->now, clock().now());
  ASSERT_TRUE(quiet->items.contains(ItemId{1}) && quiet->items.contains(ItemId{2}));
  EXPECT_EQ(quiet->items.size(), 2U);
  const State stored = loaded_item(1);
  EXPECT_EQ(quiet->items.at(ItemId{1}).buckets, stored.items.at(ItemId{1}).buckets);
  EXPECT_EQ(quiet->items.at(ItemId{1}).generation, stored.items.at(ItemId{1}).generation);
  const Time expiry = clock().now() + 10s;
  EXPECT_EQ(quiet->first_expiry, (std::map<ItemId, Time>{{ItemId{1}, expiry}, {ItemId{2}, expiry}}));
  // Keys that stand for something, whoever's it is: a row, and the ids of orders.
  EXPECT_EQ(quiet->known, (std::set{request_id("shop", "k-1"), request_id("other", to_text(order_id(2).uuid)),
                                    request_id("shop", to_text(order_id(3).uuid))}));
  EXPECT_EQ(quiet->activities.size(), 1U);
  EXPECT_EQ(quiet->activities.at(ActivityCode("sale")).id, ActivityId{1});
}

// What an act on an activity must know before it goes to the gate (B12).
TEST_P(StoreContract, ASnapshotOfAnActivityHasItsItemsAndKnowsItsKey) {
  const auto found = reader().activity_snapshot(ActivityCode("sale"), request_id("shop", "k-1"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->activity->id, ActivityId{1});
  ASSERT_EQ(found->items.size(), 1U);
  EXPECT_EQ(found->items.at(ItemId{3}).activity, ActivityId{1});
  EXPECT_TRUE(found->is_key_known);
  EXPECT_EQ(found->now, clock().now());
  const std::string order_key = to_text(order_id(1).uuid);
  EXPECT_TRUE(reader().activity_snapshot(ActivityCode("sale"), request_id("other", order_key))->is_key_known);
  const auto none = reader().activity_snapshot(ActivityCode("none"), request_id("shop", "new"));
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(none->activity || none->is_key_known);
  EXPECT_TRUE(none->items.empty());
}

// No caller brings a time of its own, and the database's never goes behind what it has stored.
TEST_P(StoreContract, EveryAnswerThatDependsOnTheTimeTellsTheDatabases_C9) {
  const auto times = [&] {
    return std::vector{reader().due(1)->now, reader().check_sold_out({})->now,
                       reader().read_after({}, 1)->now, reader().request_ages(std::nullopt, 1)->now,
                       reader().activity_snapshot(ActivityCode("sale"), request_id("shop", "new"))->now};
  };
  const Time newest_batch = clock().now();
  clock().advance(10s);
  EXPECT_EQ(times(), std::vector<Time>(5, newest_batch + 10s));
  clock().jump(-1h);
  clock().advance(1s);
  EXPECT_EQ(times(), std::vector<Time>(5, newest_batch + 11s));
}

TEST_P(StoreContract, ReadersFindEachDueOrderOnce) {
  const auto due = [&](std::size_t count) {
    std::vector<OrderId> ids;
    const DueHolds found = reader().due(count).value();
    for (const HoldRow& row : found.holds) ids.push_back(row.order);
    return ids;
  };
  clock().advance(9'999ms);
  EXPECT_EQ(due(9), std::vector<OrderId>{});
  clock().advance(10'001ms);
  EXPECT_EQ(due(9), (std::vector{order_id(1), order_id(2)}));
  clock().advance(1h);
  EXPECT_EQ(due(2), (std::vector{order_id(1), order_id(2)}));
  EXPECT_EQ(due(1), std::vector{order_id(1)});
}

// A list asks once, however many orders it has (B17).
TEST_P(StoreContract, OrdersAndTracesAreReadInSetsInTheOrderOfTheirIds_B17) {
  std::vector<OrderId> ids{order_id(3)};
  for (std::uint8_t nobody = 100; nobody < 200; ++nobody) ids.push_back(order_id(nobody));
  ids.push_back(order_id(1));
  const auto orders = reader().orders(ids);
  ASSERT_TRUE(orders) << orders.error().message;
  ASSERT_EQ(orders->size(), 2U);
  EXPECT_EQ((*orders)[0].order.id, order_id(3));
  EXPECT_EQ((*orders)[1].order.id, order_id(1));
  EXPECT_EQ((*orders)[1].order.user, UserId("ann"));
  ASSERT_EQ((*orders)[1].parts.size(), 3U);
  EXPECT_EQ((*orders)[1].parts[2].sku, SkuCode("cap"));
  const auto traces = reader().traces(ids);
  ASSERT_TRUE(traces) << traces.error().message;
  ASSERT_EQ(traces->size(), 2U);
  EXPECT_EQ((*traces)[0].view.order.id, order_id(3));
  EXPECT_EQ((*traces)[0].steps.size(), 0U);
  EXPECT_EQ((*traces)[1].steps.size(), 3U);
  EXPECT_EQ((*traces)[1].requests.size(), 1U) << "k-1; k-2 has no row";
  EXPECT_TRUE(reader().orders({}).value().empty());
  EXPECT_TRUE(reader().traces({}).value().empty());
  EXPECT_FALSE(reader().order(order_id(9)).value());
  EXPECT_EQ(reader().order(order_id(2)).value()->order.id, order_id(2));
}

// A scan may rest between any two rows, and may be given up.
TEST_P(StoreContract, AScanInStepsShowsWhatOneInOneGoShows) {
  std::vector<std::string> seen;
  const auto visitor_to = [](std::vector<std::string>& rows) {
    Reader::Visitor visitor;
    visitor.sku = [&rows](const rules::Sku& row) { rows.push_back("sku " + row.code.text()); };
    visitor.item = [&rows](const rules::Item& row) {
      rows.push_back("item " + std::to_string(row.id.value));
    };
    visitor.flow_by_bucket = [&rows](const FlowRow& row) {
      rows.push_back("flow " + std::to_string(row.flow.item.value) + " " + std::to_string(row.flow.seq));
    };
    visitor.order_as_request = [&rows](const rules::IdempotencyRecord& row) {
      rows.push_back("request " + std::string(row.key.text()));
    };
    visitor.batch = [&rows](const BatchRow& row) { rows.push_back("batch " + std::to_string(row.batch.n)); };
    return visitor;
  };
  std::vector<std::string> whole;
  ASSERT_TRUE(reader().visit(visitor_to(whole)));
  EXPECT_EQ(whole.size(), 12U);
  for (const std::size_t rows_max : {1U, 2U, 5U, 100U}) {
    seen.clear();
    const auto scan = reader().scan(visitor_to(seen));
    ASSERT_TRUE(scan) << scan.error().message;
    for (std::size_t shown = 0;; shown = seen.size()) {
      const Result<bool> more = (*scan)->step(rows_max);
      ASSERT_TRUE(more) << more.error().message;
      EXPECT_LE(seen.size() - shown, rows_max);
      if (!*more) break;
    }
    EXPECT_EQ(seen, whole) << rows_max;
  }
  seen.clear();
  ASSERT_TRUE(reader().scan(visitor_to(seen)).value()->step(4).value());
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_TRUE(reader().order(order_id(1)).value()) << "the reader is free again";
}

TEST_P(StoreContract, AVisitGivesEachTableInKeyOrder) {
  std::vector<FlowRow> by_bucket;
  std::vector<FlowRow> by_batch;
  std::vector<FlowRow> by_order;
  Reader::Visitor visitor;
  visitor.flow_by_bucket = [&](const FlowRow& row) { by_bucket.push_back(row); };
  visitor.flow_by_batch = [&](const FlowRow& row) { by_batch.push_back(row); };
  visitor.flow_by_order = [&](const FlowRow& row) { by_order.push_back(row); };
  ASSERT_TRUE(reader().visit(visitor));
  const auto chain = [](const FlowRow& r) { return std::tuple(r.flow.item, r.flow.bucket, r.flow.seq); };
  const auto position = [](const FlowRow& r) { return std::tuple(r.batch, r.i); };
  const auto of_order = [](const FlowRow& r) {
    return std::tuple(r.flow.order, r.flow.item, r.flow.bucket, r.flow.seq);
  };
  EXPECT_EQ(by_bucket.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(by_bucket, {}, chain));
  EXPECT_EQ(by_batch.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(by_batch, {}, position));
  EXPECT_EQ(by_batch[3].flow.item, ItemId{2});
  EXPECT_EQ(by_order.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(by_order, {}, of_order));
}

// Whoever looks at one batch or one order after the other needs no memory for the rest (G013).
TEST_P(StoreContract, AVisitShowsTheRowsOfABatchAndOfAnOrderTogether_G013) {
  std::vector<std::string> seen;
  Reader::Visitor visitor;
  const auto see = [&seen](const char* what, const std::string& of) { seen.push_back(what + of); };
  const auto batch_of = [](BatchId batch) {
    return std::to_string(batch.lane.value) + "." + std::to_string(batch.n);
  };
  visitor.flow_by_batch = [&](const FlowRow& row) { see("flow of ", batch_of(row.batch)); };
  visitor.batch = [&](const BatchRow& row) { see("batch ", batch_of(row.batch)); };
  ASSERT_TRUE(reader().visit(visitor));
  std::string present;
  for (const std::string& row : seen) {
    if (!row.starts_with("flow of ")) {
      EXPECT_TRUE(present.empty() || "batch " + present == row) << row << " after a flow of " << present;
      present.clear();
    } else {
      EXPECT_TRUE(present.empty() || present == row.substr(8)) << row << " after a flow of " << present;
      present = row.substr(8);
    }
  }
  EXPECT_TRUE(present.empty()) << present;

  std::vector<std::pair<OrderId, int>> rows;
  Reader::Visitor of_orders;
  of_orders.flow_by_order = [&](const FlowRow& row) { rows.emplace_back(*row.flow.order, 0); };
  of_orders.order = [&](const rules::Order& row) { rows.emplace_back(row.id, 1); };
  of_orders.order_as_request = [&](const rules::IdempotencyRecord& row) {
    rows.emplace_back(OrderId{*row.key.uuid7()}, 2);
  };
  ASSERT_TRUE(reader().visit(of_orders));
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_GT(std::ranges::count(rows, 0, &std::pair<OrderId, int>::second), 0);
  EXPECT_GT(std::ranges::count(rows, 1, &std::pair<OrderId, int>::second), 1);
  EXPECT_GT(std::ranges::count(rows, 2, &std::pair<OrderId, int>::second), 0);
}

TEST_P(StoreContract, AScanFindsAnOrderAndItsFlowsInItsSnapshot_G013) {
  std::map<OrderId, std::size_t> flows;
  std::vector<OrderId> orders;
  Reader::Visitor visitor;
  visitor.flow_by_order = [&](const FlowRow& row) { ++flows[*row.flow.order]; };
  visitor.order = [&](const rules::Order& row) { orders.push_back(row.id); };
  ASSERT_TRUE(reader().visit(visitor));
  ASSERT_FALSE(flows.empty());
  Reader::Visitor walk;
  walk.flow_by_order = [](const FlowRow&) {};
  const auto scan = reader().scan(walk).value();
  ASSERT_TRUE(scan->step(1).value()) << "in the middle of the walk";
  for (const OrderId id : orders) {
    const TablesReader::OrderRows found = scan->find(id).value();
    EXPECT_TRUE(found.has_order);
    EXPECT_EQ(found.flows.size(), flows[id]);
  }
  const TablesReader::OrderRows none = scan->find(order_id(99)).value();
  EXPECT_FALSE(none.has_order);
  EXPECT_TRUE(none.flows.empty());
}

}  // namespace gavel::judge
