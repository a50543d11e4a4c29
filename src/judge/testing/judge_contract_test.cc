// The judge's contract on the stores that need no server.
#include "judge/testing/judge_contract.h"

#include <atomic>
#include <thread>

#include "judge/audit/audit.h"
#include "judge/testing/comparison.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

INSTANTIATE_TEST_SUITE_P(Stores, JudgeContract, testing::Values(memory_form(), sqlite_form()), name_of_form);

// Lanes side by side, each with its own store on one database.
class JudgeLanes : public ::testing::Test {
 protected:
  void shop(std::int64_t units) {
    const auto store = world_.open_store();
    JudgeDriver court(*store);
    court.say_all({put_sku("put-a", "ant", 2), put_sku("put-b", "bee"), receive("in-a", "ant", units),
                   receive("in-b", "bee", units)});
  }

  // A lane that buys 500 pairs, whose lines stand in either order.
  void buy(int lane) {
    const auto store = world_.open_store();
    JudgeDriver court(*store);
    const Lines lines = lane % 2 == 0 ? Lines{{"ant", 1}, {"bee", 1}} : Lines{{"bee", 1}, {"ant", 1}};
    for (int batch = 0; batch < 50; ++batch) {
      std::vector<rules::Command> commands;
      for (int i = 0; i < 10; ++i) {
        const std::string key = std::to_string(lane) + "-" + std::to_string(batch) + "-" + std::to_string(i);
        commands.push_back(reserve(key, "u" + key, lines, {.payment = rules::Payment::none}));
      }
      const auto verdicts = court.apply(commands);
      ASSERT_TRUE(verdicts);
      for (const rules::Verdict& verdict : *verdicts) {
        if (verdict.outcome == rules::Outcome::sold) ++sold_;
        if (verdict.outcome == rules::Outcome::sold_out) ++sold_out_;
      }
    }
  }

  // A lane of an operator: a receipt of both, and a sale that takes units aside and gives them back.
  void stock_up(int rounds) {
    const auto store = world_.open_store();
    JudgeDriver court(*store);
    for (int round = 0; round < rounds; ++round) {
      const std::string n = std::to_string(round);
      EXPECT_EQ(court.say_all({receive("more-b" + n, "bee", 1), receive("more-a" + n, "ant", 1),
                               create_activity("create" + n, "sale" + n, {{"bee", 1}, {"ant", 1}})}),
                "received\nreceived\ncreated\n");
      if (court.say(open_activity("open" + n, "sale" + n)) == "opened") ++opened_;
      EXPECT_EQ(court.say(close_activity("close" + n, "sale" + n)), "closed");
    }
  }

  MemoryWorld world_;
  std::atomic<int> sold_ = 0;
  std::atomic<int> sold_out_ = 0;
  std::atomic<int> opened_ = 0;
};

TEST_F(JudgeLanes, DecideEachOrderOnceInWhateverOrderTheyCome_B081) {
  shop(700);
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < 4; ++lane) lanes.emplace_back([this, lane] { buy(lane); });
  for (std::thread& lane : lanes) lane.join();
  EXPECT_EQ(sold_, 700);
  EXPECT_EQ(sold_out_, 1300);
  EXPECT_EQ(findings_of(*world_.open_reader()), "");
}

TEST_F(JudgeLanes, GoOnBesideAnOperatorWhoMovesTheSameStock_B083) {
  shop(2000);
  constexpr int rounds = 100;
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < 4; ++lane) lanes.emplace_back([this, lane] { buy(lane); });
  lanes.emplace_back([this] { stock_up(rounds); });
  for (std::thread& lane : lanes) lane.join();
  EXPECT_EQ(sold_, 2000);
  EXPECT_EQ(opened_, rounds);
  const auto reader = world_.open_reader();
  for (const char* sku : {"ant", "bee"}) {
    const auto rows = reader->stock(rules::SkuCode(sku)).value().value();
    ASSERT_EQ(rows.size(), 1U + rounds);
    EXPECT_EQ(rows[0].item.available().units, rounds);
    EXPECT_EQ(rows[0].item.total().units, 2000 + rounds);
  }
  // The audit replays generations lane after lane, and these lanes work at the same time.
  const AuditReport report = audit(*reader).value();
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.invariant, "generation") << finding.what;
}

}  // namespace
}  // namespace gavel::judge
