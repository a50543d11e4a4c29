// What becomes of an order after it was made: payments of a part, refunds.
#include "judge/audit.h"
#include "judge/judge_contract.h"

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

TEST_P(JudgeContract, CorrectionsAreLedgerEntriesWithinWhatIsAvailable_E6_E7) {
  shop("tee", 5, 2);
  say(reserve("a", "ann", {{"tee", 2}}, {.hold = 5s}));
  expect({{adjust("up", "tee", 3), "adjusted version=4"},
          {adjust("up", "tee", 3), "adjusted version=4"},
          {adjust("down", "tee", -7), "insufficient sku=tee available=6"},
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
