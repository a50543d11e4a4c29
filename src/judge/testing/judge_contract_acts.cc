// What becomes of an order after it was made: payments of a part, refunds.
#include "judge/audit/audit.h"
#include "judge/testing/judge_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;

constexpr auto no_restock = rules::Restock::no;

TEST_P(JudgeContract, APaymentOfSomeLinesReturnsTheRest_E1) {
  shop("tee", 5, 2);
  shop("cap", 2);
  expect({{reserve("a", "ann", {{"tee", 5}, {"cap", 2}}),
           "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
          {confirm("more", order_of("a"), {{"tee", 6}}), "insufficient sku=tee available=5 order=#a"},
          {confirm("other", order_of("a"), {{"hat", 1}}), "unknown_sku sku=hat"},
          {confirm("pay", order_of("a"), {{"tee", 2}, {"tee", 2}}), "confirmed order=#a"},
          {confirm("pay", order_of("a"), {{"tee", 4}}), "confirmed order=#a"},
          {confirm("pay", order_of("a")), "key_reused field=lines"},
          {confirm("again", order_of("a")), "already_confirmed order=#a"}});
  EXPECT_EQ(stock("tee") + "\n" + stock("cap"), "tee: 0/0/3 | 1/0/1 g3\ncap: 2/0/0 g3");
  clock().advance(1h);
  EXPECT_EQ(say(expire(order_of("a"))), "illegal_transition state=paid order=#a");
  expect({{refund("back", order_of("a"), {{"cap", 1}}), "insufficient sku=cap available=0 order=#a"},
          {refund("all", order_of("a")), "refunded state=refunded order=#a"}});
  EXPECT_EQ(stock("tee") + "\n" + stock("cap"), "tee: 3/0/0 | 2/0/0 g3\ncap: 2/0/0 g3");
}

TEST_P(JudgeContract, RefundsGoOnUntilNothingIsLeft_C6_B043) {
  shop("tee", 20);
  expect({{reserve("a", "ann", {{"tee", 5}}, {.payment = rules::Payment::none}), "sold order=#a"},
          {refund("r1", order_of("a"), {{"tee", 2}}), "refunded state=partly_refunded order=#a"},
          {refund("r1", order_of("a"), {{"tee", 2}}), "refunded state=partly_refunded order=#a"},
          {refund("r1", order_of("a"), {{"tee", 2}}, no_restock), "key_reused field=restock"},
          {refund("r2", order_of("a"), {{"tee", 4}}), "insufficient sku=tee available=3 order=#a"},
          {refund("r3", order_of("a"), {{"tee", 1}}), "refunded state=partly_refunded order=#a"}});
  EXPECT_EQ(stock("tee"), "tee: 18/0/2 g2");
  expect({{refund("r4", order_of("a"), {}, no_restock), "refunded state=refunded order=#a"},
          {refund("r5", order_of("a")), "illegal_transition state=refunded order=#a"},
          {cancel("c", order_of("a")), "illegal_transition state=refunded order=#a"}});
  EXPECT_EQ(stock("tee"), "tee: 18/0/0 g2");
}

TEST_P(JudgeContract, PaidUnitsLieHereUntilTheyAreShipped_E22) {
  shop("tee", 9);
  expect({{reserve("a", "ann", {{"tee", 4}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
          {ship("early", order_of("a")), "illegal_transition state=held order=#a"},
          {confirm("pay", order_of("a")), "confirmed order=#a"}});
  EXPECT_EQ(stock("tee"), "tee: 5/0/4 g2");
  expect({{ship("s1", order_of("a"), {{"tee", 3}}), "shipped state=partly_shipped order=#a"},
          {ship("s1", order_of("a"), {{"tee", 3}}), "shipped state=partly_shipped order=#a"},
          {ship("s2", order_of("a"), {{"tee", 2}}), "insufficient sku=tee available=1 order=#a"},
          {confirm("again", order_of("a")), "already_confirmed order=#a"},
          {refund("r1", order_of("a"), {{"tee", 1}}, rules::Restock::yes, rules::RefundFrom::buyer),
           "refunded state=partly_shipped order=#a"}});
  EXPECT_EQ(stock("tee"), "tee: 6/0/1/2 g2");
  expect({{ship("s3", order_of("a")), "shipped state=shipped order=#a"},
          {ship("s4", order_of("a")), "already_shipped order=#a"},
          {refund("r2", order_of("a"), {}, no_restock), "refunded state=refunded order=#a"},
          {ship("s5", order_of("a")), "illegal_transition state=refunded order=#a"}});
  EXPECT_EQ(stock("tee"), "tee: 6/0/0 g2");
}

TEST_P(JudgeContract, WhatIsDeclinedIsWrittenOff_B037) {
  shop("tee", 1);
  expect({{reserve("a", "ann", {{"tee", 1}}, {.payment = rules::Payment::none}), "sold order=#a"},
          {refund("back", order_of("a"), {}, no_restock), "refunded state=refunded order=#a"},
          {reserve("b", "bob", {{"tee", 1}}), "sold_out sku=tee"}});
  EXPECT_EQ(stock("tee"), "tee: 0/0/0 g2");
}

TEST_P(JudgeContract, ACancelAfterARefundMovesNothing_B045) {
  shop("tee", 5);
  say(reserve("a", "ann", {{"tee", 3}}));
  say(confirm("pay", order_of("a")));
  EXPECT_EQ(say_all({refund("back", order_of("a"), {{"tee", 1}}), cancel("c", order_of("a")),
                     refund("back-2", order_of("a"), {{"tee", 1}})}),
            "refunded state=partly_refunded order=#a\nillegal_transition state=partly_refunded order=#a\n"
            "refunded state=partly_refunded order=#a\n");
  EXPECT_EQ(stock("tee"), "tee: 4/0/1 g2");
}

// Made, paid in part, refunded and refunded again, in one transaction and over several.
TEST_P(JudgeContract, AWholeLifeFitsInOneBatch) {
  shop("tee", 9, 2);
  const auto life = [](const std::string& key) {
    return std::vector{reserve(key, "ann", {{"tee", 4}}), confirm(key + "-pay", order_of(key), {{"tee", 3}}),
                       refund(key + "-1", order_of(key), {{"tee", 1}}),
                       refund(key + "-2", order_of(key), {{"tee", 1}}, no_restock)};
  };
  const std::string together = say_all(life("a"));
  EXPECT_EQ(together,
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#a\nconfirmed order=#a\n"
            "refunded state=partly_refunded order=#a\nrefunded state=partly_refunded order=#a\n");
  for (const rules::Command& command : life("b")) say(command);
  const std::string dump = canonical_dump(reader()).value();
  const auto row_of = [&](const std::string& key) {
    const std::string id = to_text(order_of(key).uuid);
    const std::size_t at = dump.find("order " + id) + 6 + id.size();
    return dump.substr(at, dump.find('\n', at) - at);
  };
  EXPECT_NE(row_of("a").find(" revision=3"), std::string::npos) << row_of("a");
  EXPECT_NE(row_of("b").find(" revision=3"), std::string::npos) << row_of("b");
}

TEST_P(JudgeContract, ARefundOfAClosedActivityMovesOnAndKeepsItsClaim_B3) {
  shop("tee", 5);
  say_all({create_activity("create", "sale", {{"tee", 4}}, {.limit = 2}), open_activity("open", "sale")});
  const ReserveOptions sale{.activity = "sale", .payment = rules::Payment::none};
  expect(
      {{reserve("a", "ann", {{"tee", 2}}, sale), "sold order=#a"},
       {refund("r1", order_of("a"), {{"tee", 1}}), "refunded state=partly_refunded order=#a"},
       {reserve("b", "ann", {{"tee", 1}}, sale), "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#a"},
       {close_activity("close", "sale"), "closed"},
       {refund("r2", order_of("a")), "refunded state=refunded order=#a"}});
  EXPECT_EQ(stock("tee"), "tee: 5/0/0 g2\nsale: 0/0/0 g2");
}

TEST_P(JudgeContract, AHoldLastsLongerUpToItsCap_E4) {
  shop("tee", 3);
  const std::string until = " expires_at=2027-01-15T08:0";
  expect({{reserve("a", "ann", {{"tee", 2}}, {.hold = 60s}), "reserved" + until + "1:00.000Z order=#a"},
          {extend("x1", order_of("a"), 90s), "extended" + until + "1:30.000Z order=#a"},
          {extend("x1", order_of("a"), 90s), "extended" + until + "1:30.000Z order=#a"},
          {extend("x1", order_of("a")), "key_reused field=seconds"},
          {extend("x2", order_of("a"), 5s), "extended" + until + "1:30.000Z order=#a"},
          {extend("x3", order_of("b")), "unknown_order"}});
  // The hold that ended before is free for nobody.
  clock().advance(60s);
  expect({{reserve("b", "bob", {{"tee", 2}}), "insufficient sku=tee available=1"},
          {extend("x4", order_of("a"), 1h), "extended" + until + "3:00.000Z order=#a"},
          {extend("x5", order_of("a"), 1h), "hold_capped" + until + "3:00.000Z order=#a"},
          {extend("x5", order_of("a"), 1h), "hold_capped" + until + "3:00.000Z order=#a"}});
  clock().advance(120s);
  expect({{extend("x6", order_of("a")), "hold_expired order=#a"},
          {reserve("c", "bob", {{"tee", 3}}, {.payment = rules::Payment::none}), "sold order=#c"},
          {extend("x7", order_of("c")), "already_confirmed order=#c"}});
  EXPECT_EQ(stock("tee"), "tee: 0/0/3 g2");
}

TEST_P(JudgeContract, AHoldIsNotExtendedForEver_E4_B029) {
  shop("tee", 1);
  say(reserve("a", "ann", {{"tee", 1}}, {.hold = 10s}));
  int extended = 0;
  for (int i = 0; i < 12; ++i) {
    clock().advance(5s);
    const std::string verdict = say(extend("x" + std::to_string(i), order_of("a"), 10s));
    if (verdict.starts_with("extended ")) ++extended;
    if (i >= 5) {
      EXPECT_EQ(verdict, "hold_expired order=#a") << "30 s after it was made it has ended";
    }
  }
  EXPECT_EQ(extended, 4);
  EXPECT_EQ(stock("tee"), "tee: 1/0/0 g3");
}

TEST_P(JudgeContract, APaymentThatExtendsItsHoldIsInTime_B025) {
  shop("tee", 1);
  say(reserve("a", "ann", {{"tee", 1}}, {.hold = 10s}));
  clock().advance(10s - 1ms);
  EXPECT_EQ(say(extend("begin", order_of("a"))), "extended expires_at=2027-01-15T08:00:30.000Z order=#a");
  clock().advance(1001ms);
  EXPECT_EQ(say(confirm("pay", order_of("a"))), "confirmed order=#a");
}

TEST_P(JudgeContract, AChangeAfterACancelIsRefused_B039) {
  shop("tee", 3);
  say(reserve("a", "ann", {{"tee", 3}}));
  say(cancel("c", order_of("a")));
  EXPECT_EQ(say(change("edit", order_of("a"), {{"tee", 1}})), "already_cancelled order=#a");
  EXPECT_EQ(stock("tee"), "tee: 3/0/0 g3");
}

TEST_P(JudgeContract, AChangeMovesStock_B085) {
  shop("tee", 6);
  say(reserve("a", "ann", {{"tee", 1}}));
  say(change("raise", order_of("a"), {{"tee", 5}}));
  EXPECT_EQ(stock("tee"), "tee: 1/5/0 g2");
  say(change("lower", order_of("a"), {{"tee", 2}}));
  EXPECT_EQ(stock("tee"), "tee: 4/2/0 g2");
  say(cancel("remove", order_of("a")));
  EXPECT_EQ(stock("tee"), "tee: 6/0/0 g2");
}

TEST_P(JudgeContract, AChangeToTheSameMovesNothing_B087) {
  shop("tee", 6);
  say(reserve("a", "ann", {{"tee", 5}}));
  const std::int64_t flows = audit(reader()).value().flows;
  say(change("same", order_of("a"), {{"tee", 3}, {"tee", 2}}));
  EXPECT_EQ(stock("tee"), "tee: 1/5/0 g2");
  EXPECT_EQ(audit(reader()).value().flows, flows);
}

TEST_P(JudgeContract, AnUnpaidOrderChangesByOneDifference_E5) {
  shop("tee", 5, 2);
  shop("cap", 2);
  shop("mug", 1);
  const std::string changed = "changed expires_at=2027-01-15T08:15:00.000Z order=#a";
  expect(
      {{reserve("a", "ann", {{"tee", 2}, {"cap", 2}}),
        "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
       {change("c1", order_of("a"), {{"tee", 4}, {"mug", 1}}), changed},
       {change("c1", order_of("a"), {{"mug", 1}, {"tee", 1}, {"tee", 3}}), changed},
       {change("c1", order_of("a"), {{"tee", 4}}), "key_reused field=lines"},
       {change("c2", order_of("a"), {{"tee", 4}, {"mug", 2}}), "sold_out sku=mug order=#a"},
       {change("c3", order_of("a"), {{"cap", 1}, {"tee", 6}}), "insufficient sku=tee available=1 order=#a"},
       {change("c4", order_of("a"), {{"hat", 1}}), "unknown_sku sku=hat"},
       {change("c5", order_of("b"), {{"tee", 1}}), "unknown_order"}});
  EXPECT_EQ(stock("tee") + "\n" + stock("cap") + "\n" + stock("mug"),
            "tee: 1/2/0 | 0/2/0 g2\ncap: 2/0/0 g3\nmug: 0/1/0 g2");
  expect({{change("c6", order_of("a"), {{"tee", 1}}), changed},
          {change("c7", order_of("a"), {{"tee", 1}}), changed},
          {confirm("pay", order_of("a")), "confirmed order=#a"},
          {change("c8", order_of("a"), {{"tee", 2}}), "already_confirmed order=#a"}});
  EXPECT_EQ(stock("tee") + "\n" + stock("mug"), "tee: 3/0/0 | 1/0/1 g2\nmug: 1/0/0 g3");
  say(refund("back", order_of("a")));
  EXPECT_EQ(say(change("c9", order_of("a"), {{"tee", 2}})), "illegal_transition state=refunded order=#a");
}

// The order is in no row yet when its batch is loaded, and it takes what another's hold gives back.
TEST_P(JudgeContract, MadeChangedAndExtendedInOneBatch_C9) {
  shop("tee", 4, 2);
  shop("cap", 3);
  say(reserve("due", "bob", {{"tee", 2}, {"cap", 3}}, {.hold = 1s}));
  clock().advance(1s);
  const std::string until = "expires_at=2027-01-15T08:15:01.000Z order=#a\n";
  EXPECT_EQ(say_all({reserve("a", "ann", {{"tee", 1}}), change("c1", order_of("a"), {{"tee", 4}, {"cap", 2}}),
                     extend("x1", order_of("a"), 1000s), change("c2", order_of("a"), {{"cap", 3}}),
                     confirm("pay", order_of("a"), {{"cap", 1}})}),
            "reserved " + until + "changed " + until +
                "extended expires_at=2027-01-15T08:16:41.000Z order=#a\n"
                "changed expires_at=2027-01-15T08:16:41.000Z order=#a\nconfirmed order=#a\n");
  EXPECT_EQ(stock("tee") + "\n" + stock("cap"), "tee: 2/0/0 | 2/0/0 g2\ncap: 2/0/1 g3");
}

// The key is free after a refusal that is not recorded, so that another sale's order may be made under it in
// the same batch; a change finds whichever it is.
TEST_P(JudgeContract, AChangeFindsWhatTheKeyCameToMean) {
  shop("tee", 6);
  const std::string key = "01a3185c-5000-7000-8000-0000000000aa";
  say_all({create_activity("one", "one", {{"tee", 2}}), create_activity("two", "two", {{"tee", 3}}),
           open_activity("open", "two")});
  EXPECT_EQ(say_all({reserve(key, "ann", {{"tee", 1}}, {.activity = "one"}),
                     reserve(key, "ann", {{"tee", 1}}, {.activity = "two"}),
                     change("c1", order_of(key), {{"tee", 3}})}),
            "not_open\nreserved expires_at=2027-01-15T08:15:00.000Z order=#" + key +
                "\nchanged expires_at=2027-01-15T08:15:00.000Z order=#" + key + "\n");
  EXPECT_EQ(stock("tee"), "tee: 3/0/0 g2\none: 0/0/0 g1\ntwo: 0/3/0 g2");
}

TEST_P(JudgeContract, AChangeCountsAgainstTheLimitAndReturnsToTheFreeStock_B3) {
  shop("tee", 9);
  say_all({create_activity("create", "sale", {{"tee", 5}}, {.limit = 3}), open_activity("open", "sale")});
  const ReserveOptions sale{.activity = "sale"};
  const std::string changed = "changed expires_at=2027-01-15T08:15:00.000Z order=#a";
  expect(
      {{reserve("a", "ann", {{"tee", 1}}, sale), "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
       {change("c1", order_of("a"), {{"tee", 4}}), "limit_reached sku=tee allowed=3 claimed=1 claimed_by=#a"},
       {change("c2", order_of("a"), {{"tee", 3}}), changed},
       {close_activity("close", "sale"), "closed"},
       {change("c3", order_of("a"), {{"tee", 4}}), "over order=#a"},
       {change("c4", order_of("a"), {{"tee", 1}}), changed}});
  EXPECT_EQ(stock("tee"), "tee: 8/0/0 g2\nsale: 0/1/0 g2");
}

// The rows of what was refused would outgrow those of what was sold.
TEST_P(JudgeContract, BeyondABoundRefusalsForLackOfStockAreNotRecorded_A8) {
  rules::Policy policy;
  policy.refusals_recorded_max = 2;
  judge_with({}, policy);
  shop("tee", 0);
  const auto recorded = [&](const std::string& key) {
    return reader().request({rules::Caller("shop"), rules::RequestKey(key)}).value().has_value();
  };
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_EQ(say(reserve(key, "ann", {{"tee", 1}})), "sold_out sku=tee");
  }
  EXPECT_TRUE(recorded("a") && recorded("b"));
  EXPECT_FALSE(recorded("c"));
  // Counted by the item's row: another judge goes on from there.
  judge_with({}, policy);
  EXPECT_EQ(say_all({reserve("d", "ann", {{"tee", 1}}), reserve("a", "ann", {{"tee", 1}})}),
            "sold_out sku=tee\nsold_out sku=tee\n");
  EXPECT_FALSE(recorded("d"));
  // What is beyond the bound writes nothing: no row, and no batch that would have to be synced.
  const std::int64_t batches = audit(reader()).value().batches;
  EXPECT_EQ(say(reserve("01a3185c-5000-7000-8000-0000000000aa", "ann", {{"tee", 1}})), "sold_out sku=tee");
  EXPECT_EQ(audit(reader()).value().batches, batches);
  EXPECT_EQ(say(receive("in", "tee", 1)), "received");
  EXPECT_EQ(say(reserve("a", "ann", {{"tee", 1}})), "sold_out sku=tee");
  EXPECT_EQ(say(reserve("c", "ann", {{"tee", 1}}, {.payment = rules::Payment::none})).substr(0, 5), "sold ");
  EXPECT_EQ(say_all({reserve("e", "ann", {{"tee", 1}}), reserve("f", "ann", {{"tee", 1}}),
                     reserve("g", "ann", {{"tee", 1}})}),
            "sold_out sku=tee\nsold_out sku=tee\nsold_out sku=tee\n");
  EXPECT_TRUE(recorded("e") && recorded("f"));
  EXPECT_FALSE(recorded("g"));
}

TEST_P(JudgeContract, OldRequestsAreForgotten_A28) {
  shop("tee", 5);
  const std::string key = "01a3185c-5000-7000-8000-0000000000aa";
  say(reserve(key, "ann", {{"tee", 1}}));
  say_all({confirm("pay", order_of(key)), by("kiosk", receive("in", "tee", 1))});
  clock().advance(49h);
  say(receive("young", "tee", 1));
  const auto ages = [&](const std::optional<rules::RequestId>& after, std::size_t count) {
    std::string text;
    const auto found = reader().request_ages(after, count).value();
    for (const RequestAge& age : found.requests) {
      text += age.id.first.text() + "/" + std::string(age.id.second.text()) + " " + to_text(age.at) + "\n";
    }
    return text;
  };
  EXPECT_EQ(ages(std::nullopt, 2),
            "kiosk/in 2027-01-15T08:00:00.000Z\nshop/in-tee 2027-01-15T08:00:00.000Z\n");
  EXPECT_EQ(ages(rules::RequestId{rules::Caller("shop"), rules::RequestKey("pay")}, 9),
            "shop/put-tee 2027-01-15T08:00:00.000Z\nshop/young 2027-01-17T09:00:00.000Z\n");
  EXPECT_EQ(say(forget("kiosk", "in")), "illegal_transition state=kept");
  clock().advance(1ms);
  EXPECT_EQ(say_all({forget("kiosk", "in"), forget("kiosk", "in"), forget("shop", "pay"),
                     forget("shop", "young"), forget("shop", key), forget("shop", "put-tee")}),
            "changed\nunknown_request\nchanged\nillegal_transition state=kept\nunknown_request\nchanged\n");
  EXPECT_EQ(ages(std::nullopt, 9),
            "shop/in-tee 2027-01-15T08:00:00.000Z\nshop/young 2027-01-17T09:00:00.000Z\n");
  // The order and its own request stay; a key without a time is a new one.
  EXPECT_EQ(say(reserve(key, "ann", {{"tee", 1}})),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#" + key);
  EXPECT_EQ(say_all({forget("shop", "in-tee"), receive("in-tee", "tee", 7)}), "changed\nreceived\n");
  EXPECT_EQ(stock("tee"), "tee: 13/0/1 g2");
}

TEST_P(JudgeContract, CorrectionsAreLedgerEntriesWithinWhatIsOnHand_E6_E7) {
  shop("tee", 5, 2);
  say(reserve("a", "ann", {{"tee", 2}}, {.hold = 5s}));
  expect({{adjust("up", "tee", 3), "adjusted version=4"},
          {adjust("up", "tee", 3), "adjusted version=4"},
          {adjust("down", "tee", -9), "insufficient sku=tee available=8"},
          {adjust("hat", "hat", 1), "unknown_sku sku=hat"},
          {count("stale", "tee", 9, 3), "version_conflict version=4"},
          {count("same", "tee", 8, 4), "counted version=4"},
          {count("less", "tee", 5, 4), "counted version=5"},
          {count("less", "tee", 5, 6), "key_reused field=version"}});
  clock().advance(5s);
  EXPECT_EQ(say(adjust("due", "tee", -5)), "adjusted version=7");
  EXPECT_EQ(stock("tee"), "tee: 0/0/0 | 0/0/0 g2");
}

TEST_P(JudgeContract, AnOldExportChangesNothing_B095_B099) {
  shop("tee", 100);
  say(reserve("a", "ann", {{"tee", 2}}, {.payment = rules::Payment::none}));
  EXPECT_EQ(say(count("import", "tee", 100, 1)), "version_conflict version=2");
  EXPECT_EQ(stock("tee"), "tee: 98/0/2 g2");
}

// In one batch as one by one: a count sees what the commands in front of it did.
TEST_P(JudgeContract, ACountMeetsTheHoldsThatAreDue_C9) {
  shop("tee", 3);
  say(reserve("a", "ann", {{"tee", 2}}, {.hold = 1s}));
  clock().advance(1s);
  EXPECT_EQ(say_all({receive("more", "tee", 1), count("count", "tee", 1, 3)}),
            "received\ncounted version=5\n");
  EXPECT_EQ(stock("tee"), "tee: 1/0/0 g2");
}

}  // namespace gavel::judge
