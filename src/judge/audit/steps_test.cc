// An audit in steps: it may rest between any two of them, and what it sorts goes to files and back.
#include <filesystem>
#include <limits>

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
  const auto run = AuditRun::begin(reader);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::unavailable);
  EXPECT_EQ(run.error().message, "the audit cannot find the disk of a scratch file in " +
                                     scratch_.file("missing") + ": No such file or directory");
}

// A full disk would end the service: neither what is sorted nor the log under the snapshot may fill it.
TEST_F(AuditTest, ItStopsBeforeTheDiskOfTheDatabaseIsFull_G013) {
  RowsReader reader(rows_of(*reader_), scratch_.path());
  AuditRun run = AuditRun::begin(reader, {.disk_left_min = std::numeric_limits<std::int64_t>::max()}).value();
  const Result<bool> more = run.step(1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(more.error().message.starts_with("the audit stops, because the disk of " + scratch_.path()))
      << more.error().message;
  EXPECT_FALSE(run.step(1)) << "the run is over";
  RowsReader in_memory(rows_of(*reader_));
  EXPECT_TRUE(
      AuditRun::begin(in_memory, {.disk_left_min = std::numeric_limits<std::int64_t>::max()}).value().step(1))
      << "a database in memory has no disk";
}

TEST_F(AuditTest, NoFileStaysInTheFolder_G013) {
  RowsReader reader(rows_of(*reader_), scratch_.path());
  AuditRun run = AuditRun::begin(reader, nothing_in_memory).value();
  while (run.step(1).value()) EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  EXPECT_GT(run.scratch_bytes(), 1'000);
  EXPECT_EQ(findings(run.report()), "");
}

}  // namespace
}  // namespace gavel::judge
