// The judge's contract on the stores that need no server.
#include "judge/judge_contract.h"

#include <atomic>
#include <thread>

#include "judge/comparison.h"
#include "judge/memory_form.h"
#include "judge/sqlite_form_test.h"

namespace gavel::judge {
namespace {

INSTANTIATE_TEST_SUITE_P(Stores, JudgeContract, testing::Values(memory_form(), sqlite_form()), name_of_form);

// Lanes side by side, each with its own store on one database; the lines of the orders stand in either order.
TEST(JudgeLanes, DecideEachOrderOnceInWhateverOrderTheyCome_B081) {
  MemoryWorld world;
  {
    const auto store = world.open_store();
    Court court(*store);
    court.say_all({put_sku("put-a", "ant", 2), put_sku("put-b", "bee"), receive("in-a", "ant", 700),
                   receive("in-b", "bee", 700)});
  }
  std::atomic<int> sold = 0;
  std::atomic<int> sold_out = 0;
  const auto buy = [&](int lane) {
    const auto store = world.open_store();
    Court court(*store);
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
        if (verdict.outcome == rules::Outcome::sold) ++sold;
        if (verdict.outcome == rules::Outcome::sold_out) ++sold_out;
      }
    }
  };
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < 4; ++lane) lanes.emplace_back(buy, lane);
  for (std::thread& lane : lanes) lane.join();
  EXPECT_EQ(sold, 700);
  EXPECT_EQ(sold_out, 1300);
  EXPECT_EQ(findings_of(*world.open_reader()), "");
}

}  // namespace
}  // namespace gavel::judge
