// Expiry over a lane that is stepped by hand (C9): what is due is released once, in bounded batches, and
// nothing else.
#include "jobs/expiry.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "judge/memory/store.h"

namespace gavel::jobs {
namespace {

using rules::Command;
using rules::Quantity;
using rules::SkuCode;

const Time start = *parse_time("2026-01-01T00:00:00Z");

class World {
  using Lane = pipeline::Lane;

 public:
  explicit World(std::size_t queue_max = 5000)
      : lane(judge_, {queue_max, 1000}, clock, *log_, [](const std::string&) {}) {
    Command sku = asks(rules::PutSku{SkuCode("tee"), 1});
    Command in = asks(rules::Receive{SkuCode("tee"), Quantity{100'000}});
    judge(sku);
    judge(in);
  }

  Command asks(rules::Act act) {
    const rules::OrderId fresh{make_uuid7(start, random_)};
    return Command{rules::Caller("shop"), rules::RequestKey(to_text(fresh.uuid)), fresh, std::move(act)};
  }

  void offer_order(std::chrono::seconds hold = std::chrono::seconds(900)) {
    Command command = asks(rules::Reserve{.user = rules::UserId("u1"),
                                          .lines = {rules::Line{SkuCode("tee"), Quantity{1}}},
                                          .activity = std::nullopt,
                                          .hold = hold,
                                          .payment = rules::Payment::later});
    offer(command);
  }

  void hold(int orders, std::chrono::seconds seconds) {
    for (int i = 0; i < orders; ++i) {
      offer_order(seconds);
      if (lane.waiting() == 1000) lane.step();
    }
    while (lane.waiting() > 0) lane.step();
  }

  // Holds that fall due at this moment, whatever making them took; the job looked just before.
  void hold_until_now(int orders) {
    hold(orders, std::chrono::seconds(100));
    clock.advance(Duration(99'999));
    stand_still(Duration(1));
  }

  // After a look that found nothing the job stands still for so long, so that its pace is far behind.
  void stand_still(Duration time) {
    EXPECT_EQ(step(), 0U);
    clock.advance(time);
  }

  std::size_t step() {
    const Result<std::size_t> offered = expiry.step();
    EXPECT_TRUE(offered.has_value());
    return offered.value_or(0);
  }

  std::int64_t reserved() { return sum_of(&rules::Bucket::reserved); }
  std::int64_t available() { return sum_of(&rules::Bucket::available); }

 private:
  std::int64_t sum_of(Quantity rules::Bucket::* part) {
    std::int64_t sum = 0;
    const auto rows = reader_->stock(SkuCode("tee"));
    for (const judge::StockRow& row : **rows) {
      for (const rules::Bucket& bucket : row.item.buckets) sum += (bucket.*part).units;
    }
    return sum;
  }

  void offer(Command& command) {
    Lane::Done done = [](const rules::Verdict&) {};
    ASSERT_TRUE(lane.offer(command, Duration(1'000'000), done));
  }

  void judge(Command& command) {
    offer(command);
    lane.step();
  }

 public:
  VirtualClock clock{start};

 private:
  Random random_{3};
  std::unique_ptr<Log> log_ = Log::silent();
  std::shared_ptr<judge::MemoryDatabase> database_ = judge::make_memory_database();
  std::unique_ptr<judge::Store> store_ = judge::open_memory_store(database_, clock);
  std::unique_ptr<judge::Reader> reader_ = judge::open_memory_reader(database_, clock);
  judge::Judge judge_{*store_, *log_, Random(1), [](Duration) {}, rules::Policy{}, judge::JudgeLimits{}};

 public:
  Lane lane;
  pipeline::Lanes lanes{lane};
  Expiry expiry{*reader_, lanes, clock, *log_};
};

TEST(Expiry, ReleasesWhatIsDueAndNotAMillisecondEarlier_C9) {
  World world;
  world.hold(3, std::chrono::seconds(10));
  world.hold(2, std::chrono::seconds(60));
  world.clock.advance(Duration(9'999));
  EXPECT_EQ(world.step(), 0U);
  world.clock.advance(Duration(1));
  EXPECT_EQ(world.step(), 3U);
  EXPECT_EQ(world.reserved(), 5);
  world.lane.step();
  EXPECT_EQ(world.reserved(), 2);
  EXPECT_EQ(world.step(), 0U);
}

TEST(Expiry, WorksInBoundedBatchesAndWaitsForEach_C9) {
  World world;
  world.hold(1'350, std::chrono::seconds(10));
  world.stand_still(Duration(10'000));
  for (const std::size_t batch : {600U, 600U, 150U}) {
    EXPECT_EQ(world.step(), batch);
    world.clock.advance(Duration(100));
    EXPECT_EQ(world.step(), 0U) << "the batch before has no verdict yet";
    EXPECT_EQ(world.expiry.outstanding(), batch);
    world.lane.step();
    EXPECT_EQ(world.expiry.outstanding(), 0U);
  }
  EXPECT_EQ(world.reserved(), 0);
}

// New orders wait behind no more than the pace needs, and a step that comes late does not make the next ones
// late: what is behind is made up little by little.
TEST(Expiry, GoesInSmallPiecesThatGrowSlowlyWithWhatIsBehind_E20) {
  World world;
  world.hold(2'000, std::chrono::seconds(10));
  world.stand_still(Duration(9'000));
  world.stand_still(Duration(999));
  world.stand_still(Duration(1));
  struct Row {
    int after_ms;
    std::size_t piece;
    const char* why;
  };
  for (const Row& row : {
           Row{0, 25, "1 ms at the pace"},
           Row{0, 25, "no less, for its costs"},
           Row{1, 25, "the pace"},
           Row{2, 25, "25 behind"},
           Row{1, 25, "25 behind"},
           Row{200, 251, "5,025 behind"},
           Row{1, 239, "4,799 behind"},
           Row{1'000, 600, "as far behind as counts"},
           Row{0, 570, "11,400 behind"},
       }) {
    world.clock.advance(Duration(row.after_ms));
    EXPECT_EQ(world.step(), row.piece) << row.why;
    world.lane.step();
  }
}

TEST(Expiry, LetsAnOrderThatComesAfterItGoBeforeIt_E20) {
  World world;
  world.hold(10, std::chrono::seconds(10));
  world.clock.advance(Duration(10'000));
  EXPECT_EQ(world.step(), 10U);
  world.offer_order();
  EXPECT_EQ(world.lane.step(), 1U);
  EXPECT_EQ(world.reserved(), 11);
  EXPECT_EQ(world.expiry.outstanding(), 10U);
  EXPECT_EQ(world.lane.step(), 10U);
  EXPECT_EQ(world.reserved(), 1);
}

// Each look comes 10 ms after the one before, as on a machine that is slow: 200 a look are C9's pace.
TEST(Expiry, ReleasesTwentyThousandWithinTwoSecondsWhereEveryPieceTakesTenMilliseconds_C9) {
  World world;
  world.hold_until_now(20'000);
  int looks = 0;
  for (; world.step() > 0; ++looks) {
    world.clock.advance(Duration(10));
    world.lane.step();
  }
  EXPECT_EQ(world.reserved(), 0);
  EXPECT_LE(looks, 200);
}

// Callers fill every batch of a thousand, which takes 15 ms.
TEST(Expiry, ReleasesTwentyThousandWithinTwoSecondsBesideARush_C9) {
  World world;
  world.hold_until_now(20'000);
  int batches = 0;
  for (; world.expiry.released() < 20'000; ++batches) {
    world.step();
    while (world.lane.waiting() < 1'000) world.offer_order();
    world.lane.step();
    world.clock.advance(Duration(15));
  }
  EXPECT_LE(batches * 15, 2'000);
}

TEST(Expiry, WhatAJobThatStoodStillMissedIsReleasedOnceInOneSweep_B027) {
  World world;
  world.hold(100, std::chrono::seconds(10));
  world.stand_still(Duration(70'000));
  EXPECT_EQ(world.reserved(), 100);
  EXPECT_EQ(world.step(), 100U);
  world.lane.step();
  EXPECT_EQ(world.step(), 0U);
  EXPECT_EQ(world.reserved(), 0);
  EXPECT_EQ(world.available(), 100'000) << "each came back once";
}

TEST(Expiry, OffersNoMoreThanTheLaneTakes_B11) {
  World world(100);
  world.hold(90, std::chrono::seconds(10));
  world.hold(90, std::chrono::seconds(10));
  world.stand_still(Duration(10'000));
  EXPECT_EQ(world.step(), 100U);
  world.lane.step();
  world.clock.advance(Duration(10));
  EXPECT_EQ(world.step(), 80U);
  world.lane.step();
  EXPECT_EQ(world.reserved(), 0);
}

TEST(Expiry, TheJudgesTimeCountsNotTheJobs_C9) {
  World world;
  world.hold(1, std::chrono::seconds(10));
  world.clock.jump(Duration(10'000));
  EXPECT_EQ(world.step(), 1U);
  world.clock.jump(
      Duration(-10'000));  // The judge's time says that the hold still runs: its word counts, not the job's.
  world.lane.step();
  EXPECT_EQ(world.reserved(), 1);
}

TEST(Expiry, TellsHowLateItIsUntilItIsDone_C16) {
  World world;
  EXPECT_EQ(world.expiry.oldest_overdue(), Duration(0));
  world.hold(3, std::chrono::seconds(1));
  world.clock.advance(Duration(4'000));
  world.step();
  EXPECT_EQ(world.expiry.oldest_overdue(), Duration(3'000));
  world.clock.advance(Duration(1'000));
  world.step();  // Earlier ones have no verdict yet: it grows on.
  EXPECT_EQ(world.expiry.oldest_overdue(), Duration(4'000));
  world.lane.step();
  EXPECT_EQ(world.expiry.released(), 3U);
  world.step();
  EXPECT_EQ(world.expiry.oldest_overdue(), Duration(0));
}

}  // namespace
}  // namespace gavel::jobs
