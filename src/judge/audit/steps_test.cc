// An audit in steps: it may rest between any two of them, and what it sorts goes to files and back.
#include <filesystem>

#include "judge/testing/audit_fixture.h"

namespace gavel::judge {
namespace {

TEST_F(AuditTest, InStepsItFindsWhatItFindsInOneGo) {
  const AuditReport whole = audit(*reader_).value();
  AuditRun run = AuditRun::begin(*reader_).value();
  std::int64_t steps = 1;
  while (run.step(1).value()) ++steps;
  EXPECT_EQ(findings(run.report()), findings(whole));
  EXPECT_EQ(run.report().items, whole.items);
  EXPECT_EQ(run.report().flows, whole.flows);
  EXPECT_EQ(run.report().orders, whole.orders);
  EXPECT_EQ(run.report().batches, whole.batches);
  EXPECT_GT(steps, whole.items + 3 * whole.flows - 20) << "a row a step; flows without an order come twice";
}

// An audit may rest between any two rows while the shop sells, and finds what there was when it began (G013).
TEST_F(AuditTest, ItRestsBetweenAnyTwoStepsWhileTheShopSells_G013) {
  const auto steps_of = [](AuditRun& run) {
    std::int64_t steps = 1;
    while (run.step(1).value()) ++steps;
    return steps;
  };
  AuditRun first = AuditRun::begin(*reader_).value();
  const std::int64_t steps = steps_of(first);
  ASSERT_GT(steps, 300);
  for (std::int64_t rest = 0; rest < steps; ++rest) {
    const AuditReport before = audit(*reader_).value();
    AuditRun run = AuditRun::begin(*reader_).value();
    for (std::int64_t step = 0; step < rest; ++step) ASSERT_TRUE(run.step(1).value());
    const std::string n = std::to_string(rest);
    say(receive("in-" + n, "cap", 1), "received");
    say(reserve("sold-" + n, "ann", {{"cap", 1}}, {.payment = rules::Payment::none}), "sold");
    steps_of(run);
    EXPECT_EQ(findings(run.report()), "") << "after step " << rest;
    EXPECT_EQ(run.report().flows, before.flows) << "after step " << rest;
    EXPECT_EQ(run.report().orders, before.orders) << "after step " << rest;
  }
}

TEST_F(AuditTest, AFolderThatIsNotThereIsSaid_G013) {
  RowsReader reader(rows_of(*reader_), scratch_.file("missing"));
  AuditRun run = AuditRun::begin(reader, run_bytes_least).value();
  Result<bool> more = true;
  while (more && *more) more = run.step(1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::unavailable);
  EXPECT_EQ(more.error().message, "the audit cannot make a scratch file in " + scratch_.file("missing") +
                                      ": No such file or directory");
  EXPECT_FALSE(run.step(1)) << "the run is over";
}

TEST_F(AuditTest, NoFileStaysInTheFolder_G013) {
  RowsReader reader(rows_of(*reader_), scratch_.path());
  AuditRun run = AuditRun::begin(reader, run_bytes_least).value();
  while (run.step(1).value()) EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  EXPECT_GT(run.scratch_bytes(), 1'000);
  EXPECT_EQ(findings(run.report()), "");
}

}  // namespace
}  // namespace gavel::judge
