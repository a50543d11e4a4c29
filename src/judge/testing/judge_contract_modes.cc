// Modes, buckets that change, and the life of an activity in front of its opening, on every form of a store.
#include "judge/audit/audit.h"
#include "judge/testing/judge_contract.h"

namespace gavel::judge {

using rules::Mode;

// "tee gated, sale direct": what operators have set.
static std::string modes_of(Reader& reader) {
  std::string text;
  const auto add = [&](const std::string& code, Mode mode) {
    text += (text.empty() ? "" : ", ") + code + " " + std::string(word(mode));
  };
  const Modes modes = reader.modes().value();
  for (const auto& [code, mode] : modes.skus) add(code.text(), mode);
  for (const auto& [code, mode] : modes.activities) add(code.text(), mode);
  return text;
}

TEST_P(JudgeContract, ModesAreKeptAndFoundAgain_D1) {
  shop("tee", 5);
  shop("cap", 1);
  EXPECT_EQ(modes_of(reader()), "");
  expect({{put_sku("m1", "tee", 1, Mode::gated), "changed"},
          {put_sku("m1", "tee", 1, Mode::gated), "changed"},
          {put_sku("m1", "tee", 1, Mode::direct), "key_reused field=mode"},
          {create_activity("a1", "sale", {{"tee", 2}}, {.mode = Mode::direct}), "created"},
          {create_activity("a2", "rush", {{"tee", 2}}), "created"},
          {change_activity("a3", "rush", std::nullopt, Mode::gated), "changed state=draft"}});
  EXPECT_EQ(modes_of(reader()), "tee gated, rush gated, sale direct");
  expect({{put_sku("m2", "tee", 1, Mode::service), "changed"},
          {change_activity("a4", "sale", std::nullopt, Mode::service), "changed state=draft"}});
  EXPECT_EQ(modes_of(reader()), "rush gated");
  EXPECT_EQ(reader().activity(rules::ActivityCode("rush")).value()->mode, Mode::gated);
  // Two changes in one batch, the second of which undoes the first.
  EXPECT_EQ(say_all({put_sku("m3", "cap", 1, Mode::gated), put_sku("m4", "cap", 1, Mode::service),
                     change_activity("a5", "rush", std::nullopt, Mode::direct),
                     change_activity("a6", "rush", std::nullopt, Mode::gated)}),
            "changed\nchanged\nchanged state=draft\nchanged state=draft\n");
  EXPECT_EQ(modes_of(reader()), "rush gated");
}

TEST_P(JudgeContract, AnActivityThatIsGatedOpensVerified_B12) {
  shop("tee", 5);
  expect({{create_activity("a", "sale", {{"tee", 2}}, {.mode = Mode::gated}), "created"},
          {open_activity("o1", "sale"), "illegal_transition state=draft"},
          {warm_activity("w1", "sale"), "warmed"},
          {open_activity("o2", "sale"), "illegal_transition state=warmed"},
          {check_activity("c1", "sale"), "verified"},
          {change_activity("b", "sale", 3, std::nullopt), "changed state=draft"},
          {open_activity("o3", "sale"), "illegal_transition state=draft"},
          {warm_activity("w2", "sale"), "warmed"},
          {check_activity("c2", "sale"), "verified"},
          {open_activity("o4", "sale"), "opened"},
          {open_activity("o1", "sale"), "illegal_transition state=draft"},
          {warm_activity("w3", "sale"), "illegal_transition state=open"},
          {warm_activity("w4", "nope"), "unknown_activity"}});
  EXPECT_EQ(stock("tee"), "tee: 3/0/0 g2\nsale: 1/0/0 | 1/0/0 | 0/0/0 g2");
}

TEST_P(JudgeContract, BucketsChangeWhileUnitsAreSold_A3_A16) {
  shop("tee", 7, 2);
  expect({{reserve("a", "ann", {{"tee", 5}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#a"},
          {put_sku("more", "tee", 4), "changed"},
          {put_sku("more", "tee", 4), "changed"},
          {reserve("b", "bob", {{"tee", 2}}), "reserved expires_at=2027-01-15T08:15:00.000Z order=#b"},
          {put_sku("fewer", "tee", 1), "changed"},
          {cancel("c", order_of("a")), "cancelled order=#a"},
          {receive("in", "tee", 3), "received"}});
  EXPECT_EQ(stock("tee"), "tee: 7/1/0 | 1/1/0 | 0/0/0 | 0/0/0 g3");
  const rules::Item item = reader().stock(rules::SkuCode("tee")).value()->at(0).item;
  EXPECT_EQ(item.in_use(), 1U);
  EXPECT_EQ(say(rebalance(item.id)), "changed");
  EXPECT_EQ(stock("tee"), "tee: 8/1/0 | 0/1/0 | 0/0/0 | 0/0/0 g3");
  EXPECT_EQ(say(rebalance(item.id)), "changed") << "and changes nothing";
  EXPECT_EQ(say(rebalance(rules::ItemId{99})), "frozen");
  EXPECT_EQ(say(put_sku("again", "tee", 4)), "changed");
  EXPECT_EQ(stock("tee"), "tee: 2/1/0 | 2/1/0 | 2/0/0 | 2/0/0 g3");
  EXPECT_EQ(say(reserve("d", "dan", {{"tee", 8}})), "reserved expires_at=2027-01-15T08:15:00.000Z order=#d");
}

// What a bucket had at a position of the ledger, whatever it has now (A15).
TEST_P(JudgeContract, ABucketsPastIsFoundByItsPosition_A15) {
  shop("tee", 7, 2);
  expect({{reserve("a", "ann", {{"tee", 2}}, {.payment = rules::Payment::none}), "sold order=#a"},
          {reserve("b", "ann", {{"tee", 1}}, {.payment = rules::Payment::none}), "sold order=#b"}});
  const rules::Item item = reader().stock(rules::SkuCode("tee")).value()->at(0).item;
  const rules::BucketNo sold_from = item.buckets[0].seq == 3 ? 0 : 1;
  const auto then = [&](std::int64_t seq) {
    const ItemHistory found = reader().item_history(item.id, {{sold_from, seq}}).value();
    EXPECT_EQ(found.item->buckets, item.buckets);
    return found.available.contains(sold_from) ? found.available.at(sold_from).units : -1;
  };
  const std::int64_t first = sold_from == 0 ? 4 : 3;
  EXPECT_EQ(then(0), 0);
  EXPECT_EQ(then(1), first);
  EXPECT_EQ(then(2), first - 2);
  EXPECT_EQ(then(3), first - 3);
  EXPECT_EQ(then(4), -1);
  EXPECT_FALSE(reader().item_history(rules::ItemId{99}, {{0, 1}}).value().item);
  EXPECT_TRUE(reader().item_history(item.id, {}).value().available.empty());
}

}  // namespace gavel::judge
