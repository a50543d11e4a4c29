// Request keys: what is recorded under them, who may use them, how long they live.
#include <gtest/gtest.h>

#include "base/uuid.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// The verdict with how it stands under its key: "sold_out sku=tee (fresh)".
std::string told(const Verdict& verdict) {
  const std::string_view records[] = {"no", "fresh", "replayed"};
  return World::brief(verdict) + " (" + std::string(records[static_cast<int>(verdict.record)]) + ")";
}

World tee_world(std::int64_t units) {
  World world;
  world.sku("tee", {units});
  return world;
}

TEST(KeysTest, ARetryGetsTheFirstAnswerAndActsOnce_A9_C11) {
  for (const std::string& key : {std::string("my-key"), key_of(noon)}) {
    World world = tee_world(5);
    const Verdict first = world.decide_one("shop", key, want("ann", "tee*2 tee*1"));
    EXPECT_EQ(first.record, Record::fresh);
    EXPECT_EQ(first.at, noon);
    world.passes(hours(1)).does(want("bob", "tee*2").at_once());
    Verdict again = world.decide_one("shop", key, want("ann", "tee*3"));
    EXPECT_EQ(again.record, Record::replayed);
    again.record = Record::fresh;
    EXPECT_EQ(again, first);
    EXPECT_EQ(world.stock(), "tee: 0/3/2 g1");
    EXPECT_EQ(world.state.orders.size(), 2U);
  }
}

TEST(KeysTest, AVersion7KeyIsTheIdOfItsOrderAndNeedsNoRowOfItsOwn) {
  World world = tee_world(5);
  const std::string key = key_of(noon);
  EXPECT_EQ(world.decide_one("shop", key, want("ann", "tee*2")).order, OrderId{*parse_uuid(key)});
  EXPECT_EQ(world.state.orders_as_requests.size(), 1U);
  for (const auto& [id, recorded] : world.state.requests) EXPECT_NE(recorded.key.text(), key);
  // In the other case it is the same id.
  std::string capitals = key;
  for (char& c : capitals) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  EXPECT_EQ(world.decide_one("shop", capitals, want("ann", "tee*2")).record, Record::replayed);
  // Version 4 is a key like any other.
  const Verdict other =
      world.decide_one("shop", "123e4567-e89b-42d3-a456-426614174000", want("ann", "tee*2"));
  EXPECT_EQ(told(other), "reserved expires_at=12:15:00.000 order=#3 (fresh)");
}

TEST(KeysTest, AKeyForOtherContentNamesTheFields_E2) {
  for (const std::string& key : {std::string("my-key"), key_of(noon)}) {
    World world = tee_world(5);
    world.does(sale("sale", "tee*1"));
    world.ask_with(key, want("ann", "tee*1"));
    const std::pair<Act, std::string> rows[] = {
        {want("ann", "tee*2"), "key_reused field=lines (no)"},
        {want("bob", "tee*2").in("sale"), "key_reused field=user field=lines field=activity (no)"},
        {want("ann", "tee*1").held_for(seconds(60)).at_once(),
         "key_reused field=hold_seconds field=payment (no)"},
        {confirm_of(1), "key_reused field=act field=user field=lines field=order (no)"},
        {want("ann", "tee*1"), "reserved (replayed)"},
    };
    for (const auto& [act, verdict] : rows) {
      const std::string answer = told(world.decide_one("shop", key, act));
      if (verdict.starts_with("reserved")) {
        EXPECT_TRUE(answer.starts_with("reserved") && answer.ends_with("(replayed)")) << answer;
      } else {
        EXPECT_EQ(answer, verdict);
      }
    }
    EXPECT_EQ(world.stock("tee"), "tee: 4/1/0 g1");
  }
}

TEST(KeysTest, KeysBelongToTheirCaller_D3) {
  World world = tee_world(5);
  EXPECT_EQ(world.ask_as("ada", "k", want("ann", "tee*1")), "reserved expires_at=12:15:00.000 order=#1");
  EXPECT_EQ(world.ask_as("ben", "k", want("ann", "tee*1")), "reserved expires_at=12:15:00.000 order=#2");
  EXPECT_EQ(world.stock(), "tee: 3/2/0 g1");
}

TEST(KeysTest, AnothersVersion7KeyIsInUseAndSaysNothingMore) {
  World world = tee_world(1);
  const std::string sold = key_of(noon, 1);
  const std::string refused = key_of(noon, 2);
  world.ask_as("ada", sold, want("ann", "tee*1"));
  EXPECT_EQ(told(world.decide_one("ada", refused, want("ann", "tee*1"))), "sold_out sku=tee (fresh)");
  for (const std::string& key : {sold, refused}) {
    EXPECT_EQ(told(world.decide_one("ben", key, want("ann", "tee*1"))), "key_in_use (no)");
    EXPECT_EQ(told(world.decide_one("ben", key, confirm_of(1))), "key_in_use (no)");
  }
}

TEST(KeysTest, AnOrdersIdIsNoKeyForAnotherOrder) {
  World world = tee_world(5);
  const std::string id = key_of(noon);
  Command command = world.command("shop", "plain", want("ann", "tee*1"));
  command.new_order_id = OrderId{*parse_uuid(id)};
  decide(world.state, command, world.now, world.policy);
  world.end_batch();
  EXPECT_EQ(told(world.decide_one("shop", id, want("ann", "tee*1"))), "key_in_use (no)");
  // The order itself need not be loaded for that: the store names such ids.
  world.state.orders.clear();
  world.state.ids_in_use.insert(OrderId{*parse_uuid(id)});
  EXPECT_EQ(told(world.decide_one("shop", id, want("ann", "tee*1"))), "key_in_use (no)");
  // Acts of another kind make no order, so that nothing stands against the key.
  EXPECT_EQ(told(world.decide_one("shop", id, receipt("tee", 1))), "received (fresh)");
}

TEST(KeysTest, AFreshIdThatExistsIsNotGivenTwice) {
  World world = tee_world(5);
  Command command = world.command("shop", "one", want("ann", "tee*1"));
  decide(world.state, command, world.now, world.policy);
  command.key = RequestKey("two");
  EXPECT_EQ(told(decide(world.state, command, world.now, world.policy)), "key_in_use (no)");
}

TEST(KeysTest, AVersion7KeyIsTooOldAfter48HoursUnlessItIsRemembered_A28) {
  const std::pair<Duration, std::string> rows[] = {
      {-hours(48) - tick, "key_too_old (no)"},
      {-hours(48), "sold"},
      {-hours(48) + tick, "sold"},
      {hours(1), "sold"},
      {hours(1) + tick,
       "malformed explanation='Idempotency-Key: the time in this UUIDv7 is more than an hour "
       "ahead' (no)"},
  };
  for (const auto& [age, verdict] : rows) {
    World world = tee_world(5);
    const std::string answer =
        told(world.decide_one("shop", key_of(noon + age), want("ann", "tee*1").at_once()));
    EXPECT_TRUE(answer.starts_with(verdict)) << answer;
    const std::string key = key_of(noon + age);
    EXPECT_EQ(told(world.decide_one("shop", key, receipt("tee", 1))).starts_with(verdict.substr(0, 4)),
              verdict != "sold");
  }
  World world = tee_world(5);
  const std::string key = key_of(noon);
  world.ask_with(key, want("ann", "tee*1").at_once());
  world.passes(hours(500));
  EXPECT_EQ(world.decide_one("shop", key, want("ann", "tee*1").at_once()).record, Record::replayed);
  world.policy.requests_kept = hours(1);
  EXPECT_EQ(world.ask_with(key_of(world.now - hours(1) - tick), want("ann", "tee*1")), "key_too_old");
  EXPECT_EQ(world.ask_with("a-plain-key", want("ann", "tee*1").at_once()), "sold order=#4");
}

TEST(KeysTest, ARecordedRefusalSticksAfterStockIsBack_A9_B077) {
  for (const std::string& key : {std::string("my-key"), key_of(noon)}) {
    World world = tee_world(0);
    EXPECT_EQ(told(world.decide_one("shop", key, want("ann", "tee*1"))), "sold_out sku=tee (fresh)");
    world.does(receipt("tee", 5));
    EXPECT_EQ(told(world.decide_one("shop", key, want("ann", "tee*1"))), "sold_out sku=tee (replayed)");
    EXPECT_EQ(world.ask_with("K2", want("ann", "tee*1").at_once()).substr(0, 4), "sold");
  }
}

// The bound is of an item and a generation, and of refusals that are recorded: replays count for nothing.
TEST(KeysTest, RefusalsForLackOfStockAreRecordedUpToABound_A8) {
  for (const bool uuid : {false, true}) {
    World world = tee_world(1);
    world.sku("cap", {1}).does(want("bob", "tee*1").held_for(minutes(1)));
    world.policy.refusals_recorded_max = 2;
    const auto key = [&](std::uint64_t n) { return uuid ? key_of(noon, n) : "k" + std::to_string(n); };
    const auto ask = [&](std::uint64_t n, const Act& act) {
      return told(world.decide_one("shop", key(n), act));
    };
    EXPECT_EQ(ask(1, want("ann", "tee*1")), "sold_out sku=tee (fresh)");
    EXPECT_EQ(ask(1, want("ann", "tee*1")), "sold_out sku=tee (replayed)");
    EXPECT_EQ(ask(2, want("ann", "cap*1 tee*1")), "sold_out sku=tee (fresh)");
    const std::size_t rows = world.state.orders.size() + world.state.requests.size();
    EXPECT_EQ(ask(3, want("ann", "tee*1")), "sold_out sku=tee (no)");
    EXPECT_EQ(ask(3, want("ann", "tee*2")), "sold_out sku=tee (no)") << "its key is free";
    EXPECT_EQ(world.state.orders.size() + world.state.requests.size(), rows);
    EXPECT_EQ(ask(4, want("ann", "cap*2")), "insufficient sku=cap available=1 (fresh)");
    EXPECT_EQ(ask(5, adjust_of("cap", -2)), "insufficient sku=cap available=1 (fresh)");
    EXPECT_EQ(ask(6, want("ann", "cap*2")), "insufficient sku=cap available=1 (no)");
    EXPECT_EQ(ask(7, sale("sale", "cap*2")), "created (fresh)");
    EXPECT_EQ(ask(8, opening("sale")), "insufficient sku=cap available=1 (no)");
    EXPECT_EQ(ask(1, want("ann", "tee*1")), "sold_out sku=tee (replayed)");
    // What comes back begins another generation, and the key that was not recorded gets the unit.
    world.does(cancel_of(1));
    EXPECT_EQ(ask(9, want("cyd", "tee*2")), "insufficient sku=tee available=1 (fresh)");
    EXPECT_EQ(ask(3, want("ann", "tee*1").at_once()).substr(0, 5), "sold ");
    EXPECT_EQ(ask(10, want("cyd", "tee*1")), "sold_out sku=tee (fresh)");
    EXPECT_EQ(ask(11, want("cyd", "tee*1")), "sold_out sku=tee (no)");
  }
}

// What is not recorded names what it was short of, for the advice when to come again; what is recorded does
// not.
TEST(KeysTest, AnUnrecordedRefusalNamesItsItemAndGeneration_E28) {
  World world = tee_world(1);
  world.policy.refusals_recorded_max = 1;
  const ItemId tee = world.state.find_sku(SkuCode("tee"))->free_item;
  const auto short_of = [&](const std::string& key, const Act& act) {
    return world.decide_one("shop", key, act).short_of;
  };
  EXPECT_EQ(short_of("k1", want("ann", "tee*2")), std::nullopt) << "recorded";
  EXPECT_EQ(short_of("k1", want("ann", "tee*2")), std::nullopt) << "replayed";
  EXPECT_EQ(short_of("k2", want("ann", "tee*2")), (ItemGeneration{tee, 1})) << "insufficient";
  EXPECT_EQ(short_of("k3", want("ann", "tee*1").at_once()), std::nullopt) << "sold";
  EXPECT_EQ(short_of("k4", want("ann", "tee*1")), (ItemGeneration{tee, 1})) << "sold out";
  EXPECT_EQ(short_of("k5", adjust_of("tee", -1)), (ItemGeneration{tee, 1})) << "of a correction, too";
  world.does(receipt("tee", 1));
  EXPECT_EQ(short_of("k6", want("ann", "tee*3")), std::nullopt) << "recorded in the generation that begins";
  EXPECT_EQ(short_of("k7", want("ann", "tee*3")), (ItemGeneration{tee, 2}));
}

TEST(KeysTest, ARequestIsForgottenWhenNobodyCanAskForItAgain_A28) {
  World world = tee_world(5);
  // Of the farthest future that is accepted: its key is not too old before 49 hours have passed.
  const std::string ahead = key_of(noon + hours(1));
  world.ask_with(ahead, receipt("tee", 1));
  world.ask_with("plain", receipt("tee", 1));
  world.passes(hours(49));
  EXPECT_EQ(world.ask(forget_of("shop", ahead)), "illegal_transition state=kept");
  EXPECT_EQ(world.ask_with(ahead, receipt("tee", 1)), "received");
  world.passes(tick);
  EXPECT_EQ(world.ask(forget_of("other", "plain")), "unknown_request");
  EXPECT_EQ(world.ask(forget_of("shop", "plain")), "changed");
  EXPECT_EQ(world.ask(forget_of("shop", "plain")), "unknown_request");
  EXPECT_EQ(world.ask(forget_of("shop", ahead)), "changed");
  EXPECT_EQ(world.ask_with(ahead, receipt("tee", 1)), "key_too_old");
  EXPECT_EQ(world.stock(), "tee: 7/0/0 g1");
  // Other keys carry no time: after their period they are new ones.
  EXPECT_EQ(told(world.decide_one("shop", "plain", receipt("tee", 2))), "received (fresh)");
  EXPECT_EQ(world.stock(), "tee: 9/0/0 g1");
}

TEST(KeysTest, AKeyMayBeForgottenAndUsedInOneBatch_A28) {
  World world = tee_world(5);
  world.ask_with("plain", receipt("tee", 1));
  world.passes(hours(50));
  EXPECT_EQ(
      decide(world.state, world.command("gavel", "", forget_of("shop", "plain")), world.now, world.policy)
          .outcome,
      Outcome::changed);
  EXPECT_EQ(
      decide(world.state, world.command("shop", "plain", receipt("tee", 2)), world.now, world.policy).record,
      Record::fresh);
  const RequestId id{Caller("shop"), RequestKey("plain")};
  EXPECT_EQ(world.state.forgotten, std::set{id});
  EXPECT_EQ(world.state.requests.at(id).row_state, RowState::inserted);
  world.end_batch();
}

// The order's row carries its request, and stays.
TEST(KeysTest, AnOrdersOwnRequestIsNotForgotten_A28) {
  World world = tee_world(5);
  world.ask_with(key_of(noon), want("ann", "tee*1").at_once());
  world.passes(hours(50));
  EXPECT_EQ(world.ask(forget_of("shop", key_of(noon))), "unknown_request");
  EXPECT_EQ(told(world.decide_one("shop", key_of(noon), want("ann", "tee*1").at_once())).substr(0, 5),
            "sold ");
}

TEST(KeysTest, AnUnrecordedRefusalLeavesTheKeyFree_A9) {
  for (const std::string& key : {std::string("my-key"), key_of(noon)}) {
    World world = tee_world(5);
    const Act act = want("ann", "tee*1").in("sale").at_once();
    EXPECT_EQ(told(world.decide_one("shop", key, act)), "unknown_activity (no)");
    world.does(sale("sale", "tee*1").from(noon + minutes(1))).does(opening("sale"));
    EXPECT_EQ(told(world.decide_one("shop", key, act)), "not_open opens_at=12:01:00.000 (no)");
    world.item("tee@sale").buckets[0].sold = Quantity{-1};
    world.tampered();
    EXPECT_EQ(told(world.decide_one("shop", key, act)), "frozen sku=tee (no)");
    world.item("tee@sale").buckets[0].sold = no_units;
    world.tampered();
    EXPECT_EQ(world.passes(minutes(1)).ask_with(key, act).substr(0, 4), "sold");
  }
}

TEST(KeysTest, ARefusedOrderIsARowUnderTheOneUniqueKey) {
  World world = tee_world(1);
  const std::string key = key_of(noon);
  world.ask_with(key, want("ann", "tee*2"));
  ASSERT_EQ(world.state.orders.size(), 1U);
  const Order& order = world.state.orders.begin()->second;
  EXPECT_EQ(order.id, OrderId{*parse_uuid(key)});
  EXPECT_EQ(order.state, OrderState::refused);
  EXPECT_EQ(order.user, UserId("ann"));
  EXPECT_TRUE(order.taken.empty() && !order.expires_at && !order.settled_at);
  EXPECT_EQ(order.created_at, noon);
  const IdempotencyRecord& recorded = world.state.orders_as_requests.at(order.id);
  EXPECT_EQ(recorded.content, "act=reserve;user=ann;lines=tee*2");
  EXPECT_EQ(told(recorded.verdict), "insufficient sku=tee available=1 (fresh)");
  EXPECT_EQ(recorded.verdict.order, std::nullopt);
  const Verdict confirm = world.decide_one("shop", "c", Confirm{order.id});
  EXPECT_EQ(confirm.outcome, Outcome::illegal_transition);
  EXPECT_EQ(confirm.detail.state, "refused");
  // Under a plain key the record is a row of its own, and there is no order.
  world.ask_with("plain", want("ann", "tee*3"));
  EXPECT_EQ(world.state.orders.size(), 1U);
  EXPECT_TRUE(world.state.requests.contains(RequestId{Caller("shop"), RequestKey("plain")}));
}

TEST(KeysTest, TheSecondOfTwoInOneBatchIsToldWhatTheFirstWas_C17) {
  for (const std::string& key : {std::string("my-key"), key_of(noon)}) {
    World world = tee_world(5);
    for (const Record record : {Record::fresh, Record::replayed, Record::replayed}) {
      const Command command = world.command("shop", key, want("ann", "tee*2").at_once());
      EXPECT_EQ(decide(world.state, command, world.now, world.policy).record, record);
    }
    world.end_batch();
    EXPECT_EQ(world.stock(), "tee: 3/0/2 g1");
  }
}

TEST(KeysTest, ActsOnOrdersAreRecordedUnderTheirOwnKeys_C6_B023_B041) {
  World world = tee_world(5);
  world.does(want("ann", "tee*2"));
  const std::string key = key_of(noon);
  EXPECT_EQ(told(world.decide_one("shop", key, confirm_of(1))), "confirmed order=#1 (fresh)");
  EXPECT_EQ(told(world.decide_one("shop", key, confirm_of(1))), "confirmed order=#1 (replayed)");
  EXPECT_EQ(told(world.decide_one("shop", "other", confirm_of(1))), "already_confirmed order=#1 (fresh)");
  EXPECT_EQ(told(world.decide_one("shop", key, cancel_of(1))), "key_reused field=act (no)");
  EXPECT_TRUE(world.state.requests.contains(RequestId{Caller("shop"), RequestKey(key)}));
  EXPECT_TRUE(world.state.orders_as_requests.empty());
  // A key that a confirm has is no key for an order of the same caller.
  EXPECT_EQ(told(world.decide_one("shop", key, want("ann", "tee*1"))),
            "key_reused field=act field=order field=user field=lines (no)");
  EXPECT_EQ(world.stock(), "tee: 3/0/2 g1");
}

}  // namespace
}  // namespace gavel::rules
