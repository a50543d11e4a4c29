// Cases from the field that the judge alone decides, by their number where they have one.
#include <functional>
#include <limits>

#include "base/uuid.h"
#include "judge/testing/judge_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;

TEST_P(JudgeContract, TheLastUnitsGoOnce_B001_B003_B009) {
  shop("tee", 5);
  EXPECT_EQ(say_all({reserve("a", "ann", {{"tee", 3}}), reserve("b", "bob", {{"tee", 3}})}),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#a\ninsufficient sku=tee available=2\n");
  EXPECT_EQ(stock("tee"), "tee: 2/3/0 g2");
  EXPECT_EQ(say_all({reserve("c", "cyd", {{"tee", 2}}, {.payment = rules::Payment::none}),
                     reserve("d", "dan", {{"tee", 1}}, {.payment = rules::Payment::none})}),
            "sold order=#c\nsold_out sku=tee\n");
}

TEST_P(JudgeContract, FiftyWantTen_B005) {
  shop("tee", 10, 3);
  std::vector<rules::Command> commands;
  for (int i = 0; i < 50; ++i)
    commands.push_back(reserve("k" + std::to_string(i), "u" + std::to_string(i), {{"tee", 1}}));
  const std::string verdicts = say_all(commands);
  const auto count = [&](const std::string& word) {
    int found = 0;
    for (std::size_t at = 0; (at = verdicts.find(word, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("reserved "), 10);
  EXPECT_EQ(count("sold_out "), 40);
  EXPECT_EQ(stock("tee"), "tee: 0/4/0 | 0/3/0 | 0/3/0 g2");
}

TEST_P(JudgeContract, TheRunningBalanceAddsUp_B011) {
  shop("tee", 5);
  std::vector<rules::Command> commands;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    commands.push_back(receive("in" + n, "tee", 10));
    commands.push_back(reserve("out" + n, "ann", {{"tee", 3}}, {.payment = rules::Payment::none}));
  }
  say_all(commands);
  EXPECT_EQ(stock("tee"), "tee: 705/0/300 g2");
}

TEST_P(JudgeContract, LinesOfOneOrderAreMerged_B015_B017) {
  shop("tee", 5);
  EXPECT_EQ(say(reserve("k", "ann", {{"tee", 3}, {"tee", 3}})), "insufficient sku=tee available=5");
  EXPECT_EQ(stock("tee"), "tee: 5/0/0 g2");
}

TEST_P(JudgeContract, AfterTheHoldsEndNobodyPays_B007_I12) {
  shop("tee", 1);
  expect({{reserve("a", "ann", {{"tee", 1}}, {.hold = 5s}),
           "reserved expires_at=2027-01-15T08:00:05.000Z order=#a"},
          {reserve("b", "bob", {{"tee", 1}}), "sold_out sku=tee"}});
  clock().advance(4999ms);
  EXPECT_EQ(say(reserve("c", "bob", {{"tee", 1}})), "sold_out sku=tee");
  clock().advance(1ms);
  // The very millisecond is too late for the one and early enough for the other.
  expect({{reserve("d", "bob", {{"tee", 1}}), "reserved expires_at=2027-01-15T08:15:05.000Z order=#d"},
          {confirm("pay", order_of("a")), "hold_expired order=#a"},
          {cancel("cancel", order_of("a")), "hold_expired order=#a"},
          {expire(order_of("a")), "expired order=#a"},
          {confirm("pay-d", order_of("d")), "confirmed order=#d"}});
  EXPECT_EQ(stock("tee"), "tee: 0/0/1 g2");
}

TEST_P(JudgeContract, ALateFailureDoesNotUndoAPayment_B023_B041) {
  shop("tee", 10);
  expect({{reserve("a", "ann", {{"tee", 10}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
          {confirm("pay", order_of("a")), "confirmed order=#a"},
          {confirm("pay", order_of("a")), "confirmed order=#a"},
          {confirm("pay-2", order_of("a")), "already_confirmed order=#a"},
          {cancel("fail", order_of("a")), "already_confirmed order=#a"}});
  clock().advance(1h);
  EXPECT_EQ(say(expire(order_of("a"))), "illegal_transition state=paid order=#a");
  EXPECT_EQ(stock("tee"), "tee: 0/0/10 g2");
}

TEST_P(JudgeContract, ExpiredIsNotSold_B031) {
  shop("tee", 100);
  for (int i = 0; i < 28; ++i) {
    const std::string key = "k" + std::to_string(i);
    say(reserve(key, "ann", {{"tee", 1}}, {.hold = 5s}));
    if (i < 7) say(confirm("pay" + key, order_of(key)));
  }
  clock().advance(5s);
  for (int i = 7; i < 28; ++i)
    EXPECT_TRUE(say(expire(order_of("k" + std::to_string(i)))).starts_with("expired "));
  EXPECT_EQ(stock("tee"), "tee: 93/0/7 g2");
}

TEST_P(JudgeContract, UnitsComeBackOnce_B035_B043) {
  shop("tee", 10);
  say(reserve("a", "ann", {{"tee", 3}}, {.hold = 5s}));
  EXPECT_EQ(
      say_all({cancel("shopper", order_of("a")), cancel("operator", order_of("a")), expire(order_of("a"))}),
      "cancelled order=#a\nalready_cancelled order=#a\nillegal_transition state=cancelled order=#a\n");
  EXPECT_EQ(stock("tee"), "tee: 10/0/0 g2");
}

TEST_P(JudgeContract, ATotalBelowWhatIsHeldIsAShortageThatACancellationPays_B091_E7) {
  shop("tee", 5);
  say(reserve("a", "ann", {{"tee", 3}}));
  EXPECT_EQ(say(count("count", "tee", 2, 2)), "counted version=4 shortage=1");
  EXPECT_EQ(say(count("count", "tee", 2, 2)), "counted version=4 shortage=1") << "the first answer again";
  EXPECT_EQ(stock("tee"), "tee: 0/3/0-1 g2");
  EXPECT_EQ(reader().short_items(rules::ItemId{0}, 9).value().size(), 1U);
  EXPECT_EQ(say(reserve("b", "bob", {{"tee", 1}})), "sold_out sku=tee");
  EXPECT_EQ(say(cancel("leave", order_of("a"))), "cancelled order=#a");
  EXPECT_EQ(stock("tee"), "tee: 2/0/0 g3");
  EXPECT_TRUE(reader().short_items(rules::ItemId{0}, 9).value().empty());
}

// Of the holds that are due so many are released that the shortage is paid and the order has its units.
TEST_P(JudgeContract, DueHoldsPayAndThenSell_C9_E7) {
  shop("tee", 200);
  std::vector<rules::Command> holds;
  for (int i = 0; i < 200; ++i)
    holds.push_back(reserve("k" + std::to_string(i), "ann", {{"tee", 1}}, {.hold = 1s}));
  say_all(holds);
  EXPECT_EQ(say(adjust("lost", "tee", -150)), "adjusted version=202 shortage=150");
  clock().advance(1s);
  EXPECT_EQ(say(reserve("b", "bob", {{"tee", 50}})), "reserved expires_at=2027-01-15T08:15:01.000Z order=#b");
  EXPECT_EQ(say(reserve("c", "bob", {{"tee", 1}})), "sold_out sku=tee");
  EXPECT_EQ(stock("tee"), "tee: 0/50/0 g2");
}

// Everything that may happen to a short item, in one shop whose books the audit then goes through.
TEST_P(JudgeContract, TheBooksOfAShortItemAreInOrder_E7) {
  shop("tee", 9, 3);
  for (const char* key : {"a", "b", "c"}) say(reserve(key, "ann", {{"tee", 3}}, {.hold = 5s}));
  expect(
      {{adjust("lost", "tee", -6), "adjusted version=7 shortage=6"},
       {confirm("pay", order_of("a"), {{"tee", 2}}), "confirmed order=#a"},
       {change("less", order_of("b"), {{"tee", 2}}), "changed expires_at=2027-01-15T08:00:05.000Z order=#b"},
       {put_sku("fewer", "tee", 1), "changed"},
       {receive("in", "tee", 1), "received"},
       {refund("gone", order_of("a"), {{"tee", 1}}, rules::Restock::no),
        "refunded state=partly_refunded order=#a"},
       {refund("back", order_of("a")), "refunded state=refunded order=#a"}});
  clock().advance(5s);
  expect({{expire(order_of("b")), "expired order=#b"}, {expire(order_of("c")), "expired order=#c"}});
  const rules::Item item = reader().stock(rules::SkuCode("tee")).value()->at(0).item;
  EXPECT_EQ(item.shortage(), rules::no_units);
  EXPECT_EQ(item.available(), rules::Quantity{3}) << "9 came and 1, 6 were lost, 1 was written off";
}

TEST_P(JudgeContract, TheLastUnitIsSold_B065) {
  shop("tee", 1);
  shop("cap", 5);
  EXPECT_EQ(say_all({reserve("a", "ann", {{"tee", 1}}), reserve("b", "ann", {{"cap", 5}})}),
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#a\n"
            "reserved expires_at=2027-01-15T08:15:00.000Z order=#b\n");
  EXPECT_EQ(stock("tee") + "\n" + stock("cap"), "tee: 0/1/0 g2\ncap: 0/5/0 g2");
}

TEST_P(JudgeContract, OneFullBucketServesEverybody_B069) {
  shop("tee", 0, 8);
  // One at a time: the first bucket takes what the others never see.
  say(receive("in", "tee", 200));
  int sold = 0;
  for (int i = 0; i < 250; ++i) {
    const std::string n = std::to_string(i);
    const std::string verdict =
        say(reserve("k" + n, "user" + n, {{"tee", 1}}, {.payment = rules::Payment::none}));
    if (verdict.starts_with("sold ")) ++sold;
    EXPECT_EQ(verdict.starts_with("sold "), i < 200) << n;
  }
  EXPECT_EQ(sold, 200);
}

TEST_P(JudgeContract, AnOrderLargerThanABucketIsServedAcrossThem_A7) {
  shop("tee", 8, 4);
  expect({{reserve("a", "ann", {{"tee", 7}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
          {reserve("b", "bob", {{"tee", 2}}), "insufficient sku=tee available=1"},
          {reserve("c", "bob", {{"tee", 1}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#c"}});
}

TEST_P(JudgeContract, OrdersOfSeveralSkusAreAllOrNothing_C7) {
  shop("tee", 2);
  shop("cap", 1);
  expect({{reserve("a", "ann", {{"tee", 1}, {"cap", 2}}), "insufficient sku=cap available=1"},
          {reserve("b", "ann", {{"cap", 1}, {"tee", 2}}),
           "reserved expires_at=2027-01-15T08:15:00.000Z order=#b"},
          {cancel("c", order_of("b")), "cancelled order=#b"}});
  EXPECT_EQ(stock("tee") + "\n" + stock("cap"), "tee: 2/0/0 g3\ncap: 1/0/0 g3");
}

TEST_P(JudgeContract, DueHoldsMakeRoomInTheSameTransaction_C9) {
  shop("tee", 3);
  shop("cap", 1);
  say_all({reserve("both", "ann", {{"tee", 1}, {"cap", 1}}, {.hold = 2s}),
           reserve("later", "bob", {{"tee", 1}}, {.hold = 3s}), reserve("kept", "cyd", {{"tee", 1}})});
  clock().advance(3s);
  // Oldest first, and no more than is needed.
  EXPECT_EQ(say(reserve("a", "dan", {{"tee", 1}})), "reserved expires_at=2027-01-15T08:15:03.000Z order=#a");
  EXPECT_EQ(stock("tee") + "\n" + stock("cap"), "tee: 0/3/0 g2\ncap: 1/0/0 g3");
  EXPECT_EQ(say(reserve("b", "eve", {{"tee", 2}})), "insufficient sku=tee available=1");
  // The refusal released what was due all the same.
  EXPECT_EQ(stock("tee"), "tee: 1/2/0 g3");
  EXPECT_EQ(say(confirm("pay", order_of("later"))), "hold_expired order=#later");
}

TEST_P(JudgeContract, MassExpiryIsWorkedOffInParts_B129_E20) {
  judge_with({.due_orders_max = 4});
  shop("tee", 10);
  for (int i = 0; i < 10; ++i)
    say(reserve("k" + std::to_string(i), "u" + std::to_string(i), {{"tee", 1}}, {.hold = 1s}));
  clock().advance(1s);
  // What was not looked at is no reason to refuse: the caller is asked to come again.
  expect({{reserve("a", "ann", {{"tee", 9}}), "overloaded"},
          {reserve("a", "ann", {{"tee", 9}}), "overloaded"},
          {reserve("a", "ann", {{"tee", 9}}), "reserved expires_at=2027-01-15T08:15:01.000Z order=#a"}});
  // The tenth is not needed, and left to the job.
  EXPECT_EQ(stock("tee"), "tee: 0/10/0 g3");
}

// As many due holds are loaded as make up for what a batch is short by, and that is enough for all of it.
TEST_P(JudgeContract, EveryDueHoldIsFreeForABatchThatNeedsThemAll_C9_E20) {
  shop("tee", 300);
  std::vector<rules::Command> holds;
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    holds.push_back(reserve("k" + n, "u" + n, {{"tee", 1}}, {.hold = 1s}));
  }
  say_all(holds);
  clock().advance(1s);
  EXPECT_EQ(say(reserve("one", "ann", {{"tee", 1}})),
            "reserved expires_at=2027-01-15T08:15:01.000Z order=#one");
  EXPECT_EQ(stock("tee"), "tee: 0/300/0 g2") << "one was released for it, and no more";
  EXPECT_EQ(say_all({reserve("a", "ann", {{"tee", 100}}), reserve("b", "bob", {{"tee", 150}}),
                     reserve("c", "cyd", {{"tee", 50}})}),
            "reserved expires_at=2027-01-15T08:15:01.000Z order=#a\n"
            "reserved expires_at=2027-01-15T08:15:01.000Z order=#b\n"
            "insufficient sku=tee available=49\n");
  EXPECT_EQ(say(reserve("d", "dan", {{"tee", 49}})), "reserved expires_at=2027-01-15T08:15:01.000Z order=#d");
}

TEST_P(JudgeContract, AnActivityMadeAndOpenedInOneBatchMeetsDueHolds) {
  shop("tee", 2);
  say(reserve("due", "ann", {{"tee", 2}}, {.hold = 1s}));
  clock().advance(1s);
  EXPECT_EQ(say_all({create_activity("create", "sale", {{"tee", 2}}), open_activity("open", "sale")}),
            "created\nopened\n");
  EXPECT_EQ(stock("tee"), "tee: 0/0/0 g2\nsale: 2/0/0 g2");
}

TEST_P(JudgeContract, AMalformedNeighbourChangesNothing_B125) {
  shop("tee", 2);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::vector<Lines> malformed{{{"tee", -5}},
                                     {{"tee", 0}},
                                     {{"tee", std::int64_t{1} << 31}},
                                     {{"tee", most}, {"tee", most}},
                                     {{"tee", -most}}};
  // The units are held and due each time: whoever counts the neighbour's units with the others' would not
  // look for them.
  std::string key = "due";
  say(reserve(key, "ann", {{"tee", 2}}, {.hold = 1s}));
  for (const Lines& lines : malformed) {
    clock().advance(1s);
    const std::string next = key + "-next";
    EXPECT_EQ(
        say_all({reserve(key + "-bad", "ann", lines), reserve(next, "bob", {{"tee", 2}}, {.hold = 1s})}),
        "malformed explanation='quantity: must be 1 to 1000000'\nreserved expires_at=" +
            to_text(clock().now() + 1s) + " order=#" + next + "\n");
    key = next;
  }
  // The same of an activity that the very batch makes and opens.
  for (const std::int64_t allotment : {std::int64_t{0}, -most, most}) {
    clock().advance(1s);
    const std::string next = key + "-next";
    const std::string sale = "sale-" + next;
    const std::string said =
        say_all({create_activity("create-" + next, sale, {{"tee", allotment}}),
                 open_activity("open-" + next, sale), reserve(next, "bob", {{"tee", 2}}, {.hold = 1s})});
    EXPECT_EQ(said.substr(said.find('\n') + 1), "unknown_activity\nreserved expires_at=" +
                                                    to_text(clock().now() + 1s) + " order=#" + next + "\n");
    EXPECT_TRUE(said.starts_with("malformed explanation='allotment: ")) << said;
    key = next;
  }
  EXPECT_EQ(say(receive("in", "tee", most)), "malformed explanation='quantity: must be 1 to 1000000'");
  EXPECT_EQ(say(reserve("sum", "ann", {{"tee", 600'000}, {"tee", 600'000}})),
            "malformed explanation='quantity: the lines of one SKU must be at most 1000000 together'");
}

TEST_P(JudgeContract, OneUserHasOneLimit_B055_B121) {
  shop("tee", 5);
  say_all({create_activity("create", "sale", {{"tee", 5}}, {.limit = 2, .hold = 60s}),
           open_activity("open", "sale")});
  const ReserveOptions sale{.activity = "sale"};
  EXPECT_EQ(say_all({reserve("a", "ann", {{"tee", 1}}, sale), reserve("b", "ann", {{"tee", 2}}, sale),
                     reserve("c", "ann", {{"tee", 1}}, sale), reserve("d", "ann", {{"tee", 1}}, sale),
                     reserve("e", "bob", {{"tee", 2}}, sale)}),
            "reserved expires_at=2027-01-15T08:01:00.000Z order=#a\n"
            "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#a\n"
            "reserved expires_at=2027-01-15T08:01:00.000Z order=#c\n"
            "limit_reached sku=tee allowed=2 claimed=2 claimed_by=#c\n"
            "reserved expires_at=2027-01-15T08:01:00.000Z order=#e\n");
  // A cancelled claim comes back, a paid one does not, and one whose time is past is no claim.
  expect({{cancel("give-back", order_of("a")), "cancelled order=#a"},
          {reserve("f", "ann", {{"tee", 1}}, sale), "reserved expires_at=2027-01-15T08:01:00.000Z order=#f"},
          {confirm("pay", order_of("f")), "confirmed order=#f"}});
  clock().advance(60s);
  expect(
      {{reserve("g", "ann", {{"tee", 2}}, sale), "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#f"},
       {reserve("h", "ann", {{"tee", 1}}, sale), "reserved expires_at=2027-01-15T08:02:00.000Z order=#h"}});
}

TEST_P(JudgeContract, AnAllotmentIsMovedByPairsOfEntries_B123) {
  shop("tee", 10, 2);
  const ReserveOptions sale{.activity = "sale"};
  expect({{create_activity("create", "sale", {{"tee", 4}}), "created"},
          {create_activity("create-2", "sale", {{"tee", 4}}), "illegal_transition state=draft"},
          {reserve("early", "ann", {{"tee", 1}}, sale), "not_open"},
          {open_activity("open", "sale"), "opened"},
          {open_activity("open-2", "sale"), "illegal_transition state=open"},
          {reserve("a", "ann", {{"tee", 3}}, sale), "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
          {reserve("b", "bob", {{"tee", 2}}, sale), "insufficient sku=tee available=1"},
          {reserve("c", "bob", {{"tee", 1}}, sale), "reserved expires_at=2027-01-15T08:15:00.000Z order=#c"},
          {confirm("pay", order_of("c")), "confirmed order=#c"},
          {close_activity("close", "sale"), "closed"},
          {close_activity("close-2", "sale"), "illegal_transition state=closed"},
          {reserve("late", "bob", {{"tee", 1}}, sale), "over"},
          {open_activity("open-3", "sale"), "illegal_transition state=closed"}});
  // What returns after the close goes on to the free stock.
  const auto total = [&] {
    const auto rows = reader().stock(rules::SkuCode("tee")).value().value();
    return std::pair(rows[0].item.available().units, rows[1].item.available().units);
  };
  EXPECT_EQ(total(), std::pair(std::int64_t{6}, std::int64_t{0}));
  EXPECT_EQ(say(cancel("return", order_of("a"))), "cancelled order=#a");
  EXPECT_EQ(total(), std::pair(std::int64_t{9}, std::int64_t{0}));
}

TEST_P(JudgeContract, ASalesWindowIsHalfOpen_B131) {
  shop("tee", 9);
  const Time start = clock().now();
  say_all(
      {create_activity("create", "sale", {{"tee", 9}}, {.opens_at = start + 10s, .closes_at = start + 20s}),
       open_activity("open", "sale")});
  const auto at = [&](Duration when, const std::string& key) {
    clock().advance(start + when - clock().now());
    return say(reserve(key, "ann", {{"tee", 1}}, {.activity = "sale", .payment = rules::Payment::none}));
  };
  EXPECT_EQ(at(9999ms, "a"), "not_open opens_at=2027-01-15T08:00:10.000Z");
  EXPECT_EQ(at(10s, "b"), "sold order=#b");
  EXPECT_EQ(at(19999ms, "c"), "sold order=#c");
  EXPECT_EQ(at(20s, "d"), "over");
  EXPECT_EQ(at(20001ms, "e"), "over");
}

TEST_P(JudgeContract, TheGenerationRisesWhenAnEmptyItemHasSomethingAgain) {
  shop("tee", 2);
  say_all({reserve("a", "ann", {{"tee", 2}})});
  EXPECT_EQ(stock("tee"), "tee: 0/2/0 g2");
  // Given back and taken again in one batch: nobody could have seen it.
  say_all({cancel("give-back", order_of("a")), reserve("b", "bob", {{"tee", 2}})});
  EXPECT_EQ(stock("tee"), "tee: 0/2/0 g2");
  say_all({cancel("give-back-2", order_of("b"))});
  EXPECT_EQ(stock("tee"), "tee: 2/0/0 g3");
  say_all({receive("in", "tee", 1)});
  EXPECT_EQ(stock("tee"), "tee: 3/0/0 g3");
}

}  // namespace gavel::judge
