// The fixture, and what is promised of keys and of precedence.
#include "judge/testing/judge_contract.h"

#include "base/uuid.h"
#include "judge/audit/audit.h"
#include "judge/testing/comparison.h"

namespace gavel::judge {

using namespace std::chrono_literals;

namespace {

constexpr const char* uuid7_key = "01a3185c-5000-7000-8000-0000000000aa";
constexpr const char* uuid7_key_2 = "01a3185c-5000-7000-8000-0000000000bb";

}  // namespace

void JudgeContract::SetUp() {
  world_ = GetParam().make();
  store_ = world_->open_store();
  reader_ = world_->open_reader();
  court_ = std::make_unique<JudgeDriver>(*store_);
}

void JudgeContract::TearDown() { EXPECT_EQ(findings_of(*reader_), ""); }

void JudgeContract::judge_with(JudgeLimits limits, rules::Policy policy) {
  court_ = std::make_unique<JudgeDriver>(*store_, limits, policy);
}

void JudgeContract::shop(const std::string& sku, std::int64_t units, std::int32_t buckets) {
  ASSERT_EQ(say(put_sku("put-" + sku, sku, buckets)), "created");
  if (units == 0) return;
  ASSERT_EQ(say(receive("in-" + sku, sku, units)), "received");
}

void JudgeContract::expect(const Script& script) {
  for (const auto& [command, verdict] : script)
    EXPECT_EQ(say(command), verdict) << fingerprint_of(command.act);
}

std::string JudgeContract::stock(const std::string& sku) {
  std::string text;
  const auto rows = reader_->stock(rules::SkuCode(sku)).value();
  for (const StockRow& row : rows.value()) {
    if (!text.empty()) text += "\n";
    text += row.pool == "-" ? sku + ":" : row.pool + ":";
    const char* between = " ";
    for (const rules::Bucket& bucket : row.item.buckets) {
      text += between + std::to_string(bucket.available.units) + "/" + std::to_string(bucket.reserved.units) +
              "/" + std::to_string(bucket.sold.units);
      if (bucket.shipped > rules::no_units) text += "/" + std::to_string(bucket.shipped.units);
      if (bucket.shortage > rules::no_units) text += "-" + std::to_string(bucket.shortage.units);
      between = " | ";
    }
    text += " g" + std::to_string(row.item.generation);
  }
  return text;
}

TEST_P(JudgeContract, ASaleIsStoredWhole) {
  say_all({put_sku("put", "tee", 2), receive("in", "tee", 5)});
  say_all({reserve(uuid7_key, "ann", {{"tee", 3}, {"tee", 1}}), reserve("k", "bob", {{"tee", 2}})});
  say(confirm("pay", order_of(uuid7_key)));
  const std::string dump = canonical_dump(reader()).value();
  EXPECT_EQ(dump,
            R"(sku tee id=1 buckets=2 item=1
item 1 sku=1 activity=0 generation=2 refusals=1 bucket=0/0/3#3 bucket=1/0/1#3
flow 1/0#1 action=receive quantity=3 before=0 after=3 order=- occurrence=1 caller=shop key=in source=inbound at=2027-01-15T08:00:00.000Z batch=1.1 i=0
flow 1/0#2 action=reserve quantity=3 before=3 after=0 order=01a3185c-5000-7000-8000-0000000000aa occurrence=1 caller=shop key=01a3185c-5000-7000-8000-0000000000aa source=order at=2027-01-15T08:00:00.000Z batch=1.2 i=0
flow 1/0#3 action=confirm quantity=3 before=0 after=0 order=01a3185c-5000-7000-8000-0000000000aa occurrence=1 caller=shop key=pay source=order at=2027-01-15T08:00:00.000Z batch=1.3 i=0
flow 1/1#1 action=receive quantity=2 before=0 after=2 order=- occurrence=1 caller=shop key=in source=inbound at=2027-01-15T08:00:00.000Z batch=1.1 i=1
flow 1/1#2 action=reserve quantity=1 before=2 after=1 order=01a3185c-5000-7000-8000-0000000000aa occurrence=1 caller=shop key=01a3185c-5000-7000-8000-0000000000aa source=order at=2027-01-15T08:00:00.000Z batch=1.2 i=1
flow 1/1#3 action=confirm quantity=1 before=1 after=1 order=01a3185c-5000-7000-8000-0000000000aa occurrence=1 caller=shop key=pay source=order at=2027-01-15T08:00:00.000Z batch=1.3 i=1
order 01a3185c-5000-7000-8000-0000000000aa state=paid account=shop user=ann activity=0 taken=1/0*3 taken=1/1*1 created_at=2027-01-15T08:00:00.000Z expires_at=2027-01-15T08:15:00.000Z settled_at=2027-01-15T08:00:00.000Z revision=1
request shop/in content="act=receive;sku=tee;quantity=5" verdict="received" at=2027-01-15T08:00:00.000Z
request shop/k content="act=reserve;user=bob;lines=tee*2" verdict="insufficient sku=tee available=1" at=2027-01-15T08:00:00.000Z
request shop/pay content="act=confirm;order=01a3185c-5000-7000-8000-0000000000aa" verdict="confirmed order=01a3185c-5000-7000-8000-0000000000aa" at=2027-01-15T08:00:00.000Z
request shop/put content="act=put_sku;sku=tee;buckets=2" verdict="created" at=2027-01-15T08:00:00.000Z
order_as_request shop/01a3185c-5000-7000-8000-0000000000aa content="act=reserve;user=ann;lines=tee*4" verdict="reserved expires_at=2027-01-15T08:15:00.000Z order=01a3185c-5000-7000-8000-0000000000aa" at=2027-01-15T08:00:00.000Z
batch 1.1 aborted=0 flows=2 at=2027-01-15T08:00:00.000Z
batch 1.2 aborted=0 flows=2 at=2027-01-15T08:00:00.000Z
batch 1.3 aborted=0 flows=2 at=2027-01-15T08:00:00.000Z
)");
}

// Each row has every fault of the rows after it as well, so far as one command can have them all.
TEST_P(JudgeContract, TheFirstRefusalInOrderOfPrecedenceIsGiven) {
  shop("tee", 1);
  shop("cap", 0);
  const Time start = clock().now();
  say(create_activity("a1", "draft", {{"tee", 1}}, {.limit = 1, .opens_at = start + 1h}));
  say(create_activity("a2", "past", {{"tee", 1}}, {.limit = 1, .closes_at = start + 1h}));
  const auto of = [](const char* activity) { return ReserveOptions{.activity = activity}; };
  const std::string old_key = "01a30dd8-d262-7364-8a9b-016906b6a31f";
  expect({
      {reserve("a1", "ann", {{"none", 0}}, of("none")),
       "malformed explanation='quantity: must be 1 to 1000000'"},
      {by("kiosk", reserve("a1", "ann", {{"none", 2}}, of("none"))), "unknown_activity"},
      {reserve("a1", "ann", {{"none", 2}}, of("none")),
       "key_reused field=act field=activity field=name field=lines field=limit_per_user field=opens_at "
       "field=user"},
      {reserve(old_key, "ann", {{"none", 2}}, of("none")), "key_too_old"},
      {reserve("k1", "ann", {{"none", 2}}, of("none")), "unknown_activity"},
      {reserve("k2", "ann", {{"none", 2}}, of("draft")), "unknown_sku sku=none"},
      {reserve("k3", "ann", {{"tee", 2}}, of("draft")), "not_open opens_at=2027-01-15T09:00:00.000Z"},
      {open_activity("open", "past"), "opened"},
      {reserve("k4", "ann", {{"tee", 2}}, of("past")), "limit_reached sku=tee allowed=1 claimed=0"},
      {reserve("k5", "ann", {{"tee", 1}}, of("past")),
       "reserved expires_at=2027-01-15T08:15:00.000Z order=#k5"},
      {reserve("k6", "ann", {{"tee", 1}}, of("past")),
       "limit_reached sku=tee allowed=1 claimed=1 claimed_by=#k5"},
      {reserve("k7", "bob", {{"tee", 1}}, of("past")), "sold_out sku=tee"},
      {reserve("k8", "bob", {{"cap", 1}, {"tee", 1}}), "sold_out sku=cap"},
      {receive("in-tee-2", "tee", 1), "received"},
      {reserve("k9", "bob", {{"cap", 1}, {"tee", 2}}), "sold_out sku=cap"},
      {reserve("k10", "bob", {{"tee", 2}}), "insufficient sku=tee available=1"},
      {close_activity("close", "past"), "closed"},
      {reserve("k11", "ann", {{"tee", 2}}, of("past")), "over"},
      {confirm("k12", order_of("nobody")), "unknown_order"},
      {cancel("k13", order_of("k5")), "cancelled order=#k5"},
      {confirm("k14", order_of("k5")), "already_cancelled order=#k5"},
  });
}

TEST_P(JudgeContract, ARepeatedKeyIsAnsweredAsTheFirstTime_A9_C11) {
  shop("tee", 5);
  for (const std::string key : {"text", uuid7_key, "123e4567-e89b-42d3-a456-426614174000"}) {
    const std::string first = say(reserve(key, "ann", {{"tee", 2}}));
    EXPECT_EQ(first, "reserved expires_at=" + to_text(clock().now() + 15min) + " order=#" + key);
    clock().advance(1s);
    EXPECT_EQ(say(reserve(key, "ann", {{"tee", 1}, {"tee", 1}})), first);
    EXPECT_EQ(say(cancel("cancel-" + key, order_of(key))), "cancelled order=#" + key);
    // The answer is of its time: the order has moved on.
    EXPECT_EQ(say(reserve(key, "ann", {{"tee", 2}})), first);
    EXPECT_EQ(say(cancel("cancel-" + key, order_of(key))), "cancelled order=#" + key);
    EXPECT_EQ(stock("tee"), "tee: 5/0/0 g2");
  }
  EXPECT_EQ(say(receive("in-tee", "tee", 5)), "received");
  EXPECT_EQ(stock("tee"), "tee: 5/0/0 g2");
}

TEST_P(JudgeContract, ARecordedRefusalSticksToItsKey_B077_E2) {
  shop("tee", 0);
  expect({
      {reserve("k", "ann", {{"tee", 1}}), "sold_out sku=tee"},
      {reserve(uuid7_key, "ann", {{"tee", 1}}), "sold_out sku=tee"},
      {receive("more", "tee", 5), "received"},
      {reserve("k", "ann", {{"tee", 1}}), "sold_out sku=tee"},
      {reserve(uuid7_key, "ann", {{"tee", 1}}), "sold_out sku=tee"},
      {confirm("pay", order_of(uuid7_key)),
       "illegal_transition state=refused order=#" + std::string(uuid7_key)},
      {reserve("k2", "ann", {{"tee", 1}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#k2"},
  });
}

TEST_P(JudgeContract, AnUnrecordedRefusalLeavesItsKeyFree) {
  expect({
      {reserve(uuid7_key, "ann", {{"tee", 1}}), "unknown_sku sku=tee"},
      {put_sku("put", "tee"), "created"},
      {receive("in", "tee", 1), "received"},
      {reserve(uuid7_key, "ann", {{"tee", 1}}),
       "reserved expires_at=2027-01-15T08:15:00.000Z order=#" + std::string(uuid7_key)},
  });
}

TEST_P(JudgeContract, AKeyIsBoundToItsContentAndItsCaller) {
  shop("tee", 9);
  const std::string reserved = "reserved expires_at=2027-01-15T08:15:00.000Z order=#";
  expect({
      {reserve("k", "ann", {{"tee", 1}}), reserved + "k"},
      {reserve("k", "bob", {{"tee", 2}}, {.hold = 60s}),
       "key_reused field=user field=lines field=hold_seconds"},
      {confirm("k", order_of("k")), "key_reused field=act field=user field=lines field=order"},
      {reserve(uuid7_key, "ann", {{"tee", 1}}), reserved + uuid7_key},
      {confirm(uuid7_key, order_of("k")), "key_reused field=act field=user field=lines field=order"},
      {by("kiosk", reserve(uuid7_key, "ann", {{"tee", 1}})), "key_in_use"},
      {by("kiosk", confirm(uuid7_key, order_of("k"))), "key_in_use"},
      {confirm(uuid7_key_2, order_of("k")), "confirmed order=#k"},
      {reserve(uuid7_key_2, "ann", {{"tee", 1}}), "key_reused field=act field=order field=user field=lines"},
      {by("kiosk", reserve(uuid7_key_2, "ann", {{"tee", 1}})), "key_in_use"},
  });
  // Where the key is text, it is each caller's own.
  EXPECT_TRUE(say(by("kiosk", reserve("k", "eve", {{"tee", 1}}))).starts_with("reserved "));
}

TEST_P(JudgeContract, AnOrdersIdIsNoFreeKey) {
  shop("tee", 9);
  rules::Command made = reserve("text", "ann", {{"tee", 1}});
  EXPECT_TRUE(say(made).starts_with("reserved "));
  EXPECT_EQ(say(reserve(to_text(made.new_order_id.uuid), "ann", {{"tee", 1}})), "key_in_use");
  EXPECT_EQ(stock("tee"), "tee: 8/1/0 g2");
  // For another act it is: the order's row keeps every other order from it.
  EXPECT_EQ(say(confirm(to_text(made.new_order_id.uuid), made.new_order_id)), "confirmed order=#text");
  EXPECT_EQ(say(reserve(to_text(made.new_order_id.uuid), "ann", {{"tee", 1}})),
            "key_reused field=act field=order field=user field=lines");
}

TEST_P(JudgeContract, KeysOutOfTheirTimeAreRefused_A28) {
  shop("tee", 9);
  Random random(1);
  const auto key_at = [&](Time time) { return to_text(make_uuid7(time, random)); };
  const Time now = clock().now();
  EXPECT_EQ(say(receive(key_at(now - 48h - 1ms), "tee", 1)), "key_too_old");
  EXPECT_EQ(say(receive(key_at(now - 48h), "tee", 1)), "received");
  EXPECT_EQ(say(receive(key_at(now + 1h), "tee", 1)), "received");
  EXPECT_TRUE(say(receive(key_at(now + 1h + 1ms), "tee", 1)).starts_with("malformed "));
}

TEST_P(JudgeContract, AKeyThatStandsTwiceInABatchActsOnce) {
  shop("tee", 5);
  for (const std::string key : {"text", uuid7_key}) {
    const std::string one = "reserved expires_at=2027-01-15T08:15:00.000Z order=#" + key + "\n";
    EXPECT_EQ(say_all({reserve(key, "ann", {{"tee", 2}}), reserve(key, "ann", {{"tee", 2}}),
                       reserve(key, "ann", {{"tee", 1}}), by("kiosk", receive(key, "tee", 1))}),
              one + one + "key_reused field=lines\n" + (key == "text" ? "received\n" : "key_in_use\n"));
  }
  EXPECT_EQ(stock("tee"), "tee: 2/4/0 g2");
}

}  // namespace gavel::judge
