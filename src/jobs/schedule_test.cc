// JobSchedule: how long each job pauses after what it found, and what is said of steps that fail.
#include "jobs/schedule.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gate/memory_gate.h"
#include "judge/memory/store.h"

namespace gavel::jobs {
namespace {

using Work = ScheduledJob::Work;

constexpr JobPace pace{.failure_event = "job_failed",
                       .busy_pause = Duration(2),
                       .idle_pause = Duration(200),
                       .failure_logged_every = Duration(1'000),
                       .rest_factor_quiet = 1,
                       .rest_factor_sale = 9,
                       .rest_max = Duration(1'000)};

// One job whose steps take as long, and find, as a test says.
class ScheduledJobTest : public testing::Test {
 protected:
  ScheduledJob::Turn run(Result<bool> found, Duration takes = Duration(0), std::uint64_t decides = 0) {
    found_ = std::move(found);
    takes_ = takes;
    decides_ = decides;
    return job_.run();
  }

  VirtualClock clock_{Time(Duration(1'800'000'000'000))};
  std::vector<std::string> broken_;
  std::vector<std::string> lines_;

 private:
  std::unique_ptr<Log> open_log() {
    Log::Options options;
    options.into = [this](std::string_view line) { lines_.emplace_back(line); };
    return *Log::open(options, clock_);
  }

  Result<bool> found_ = false;
  Duration takes_{0};
  std::uint64_t decides_ = 0;
  std::uint64_t decided_ = 0;
  std::unique_ptr<Log> log_ = open_log();
  ScheduledJob job_{pace,
                    [this] {
                      clock_.advance(takes_);
                      decided_ += decides_;
                      return found_;
                    },
                    [this] { return decided_; },
                    clock_,
                    *log_,
                    [this](const std::string& why) { broken_.push_back(why); }};
};

TEST_F(ScheduledJobTest, ThePauseFollowsFromWhatTheStepLeftAndHowLongItTook) {
  struct Row {
    bool is_work_left;
    int took_ms;
    std::uint64_t decided;
    int pause_ms;
    const char* why;
  };
  for (const Row& row : {
           Row{false, 0, 0, 200, "nothing was to be done"},
           Row{false, 500, 7, 200, "nothing is left, however long it took"},
           Row{true, 0, 0, 2, "work is left"},
           Row{true, 1, 0, 2, "it rests for less than the pause"},
           Row{true, 30, 0, 30, "it rests as long as it worked"},
           Row{true, 30, 1, 270, "and nine times as long beside a sale"},
           Row{true, 3'600'000, 1, 1'000, "but not for hours after the process stood still for one"},
       }) {
    const auto turn = run(row.is_work_left, Duration(row.took_ms), row.decided);
    EXPECT_EQ(turn.pause, Duration(row.pause_ms)) << row.why;
    EXPECT_EQ(turn.work, row.is_work_left ? Work::left : Work::none) << row.why;
  }
  EXPECT_EQ(lines_, std::vector<std::string>{});
}

TEST_F(ScheduledJobTest, AFailureIsLoggedAtOnceAndThenOnceInItsTime) {
  const Result<bool> failure = gavel::fail(ErrorCode::unavailable, "the disk is full");
  for (int ms = 0; ms < 3'000; ms += 200) {
    const auto turn = run(failure);
    EXPECT_EQ(turn.work, Work::failed);
    EXPECT_EQ(turn.pause, Duration(200));
    clock_.advance(turn.pause);
  }
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(
      lines_.front(),
      R"({"at":"2027-01-15T08:00:00.000Z","level":"warn","event":"job_failed","why":"the disk is full"})");
  EXPECT_EQ(broken_, std::vector<std::string>{});
}

TEST_F(ScheduledJobTest, ABrokenStoreIsReportedAndTheJobRests) {
  const auto turn = run(gavel::fail(ErrorCode::broken, "the file is damaged"));
  EXPECT_EQ(turn.work, Work::failed);
  EXPECT_EQ(turn.pause, broken_pause);
  EXPECT_EQ(broken_, std::vector<std::string>{"the file is damaged"});
}

// The real jobs over a database in memory.
class JobScheduleTest : public testing::Test {
 protected:
  void judge(rules::Act act) {
    rules::Command command{rules::Caller("shop"), rules::RequestKey("k" + std::to_string(++asked_)),
                           rules::OrderId{make_uuid7(clock_.now(), random_)}, std::move(act)};
    pipeline::Lane::Done done = [](const rules::Verdict&) {};
    ASSERT_TRUE(lane_.offer(command, Duration(1'000'000), done));
    while (lane_.waiting() > 0) lane_.step();
  }

  void hold(std::chrono::seconds seconds) {
    judge(rules::Reserve{.user = rules::UserId("u1"),
                         .lines = {rules::Line{rules::SkuCode("tee"), rules::Quantity{1}}},
                         .activity = std::nullopt,
                         .hold = seconds,
                         .payment = rules::Payment::later});
  }

  VirtualClock clock_{Time(Duration(1'800'000'000'000))};

 private:
  int asked_ = 0;
  Random random_{1};
  std::unique_ptr<Log> log_ = Log::silent();
  MetricsRegistry metrics_;
  std::shared_ptr<judge::MemoryDatabase> database_ = judge::make_memory_database();
  std::unique_ptr<judge::Store> store_ = judge::open_memory_store(database_, clock_);
  std::unique_ptr<judge::Reader> reader_ = judge::open_memory_reader(database_, clock_);
  std::unique_ptr<judge::OrderIndex> index_ = judge::make_memory_order_index();
  gate::MemoryGate gate_;
  judge::Judge judge_{*store_, *log_, Random(1), [](Duration) {}, rules::Policy{}, judge::JudgeLimits{}};

 protected:
  pipeline::Lane lane_{judge_, {.queue_max = 100, .batch_max = 10}, clock_, *log_, [](const std::string&) {}};

 private:
  pipeline::Lanes lanes_{lane_};
  Expiry expiry_{*reader_, lanes_, clock_, *log_};
  Projection projection_{*reader_, *index_, clock_, *log_, 1};
  Retention retention_{*reader_, lanes_, clock_, *log_, rules::Policy{}};
  Refresh refresh_{
      *reader_, gate_,   rules::Incarnation{Uuid{{1}}}, [] { return std::vector<rules::ItemId>(); },
      *log_,    metrics_};
  Shortages shortages_{*reader_};
  Closing closing_{*reader_, lanes_, clock_, *log_};
  ClockWatch clock_watch_{*reader_, clock_, *log_};

 protected:
  JobSchedule schedule_{{expiry_, projection_, retention_, shortages_, refresh_, closing_, clock_watch_},
                        Duration(300'000),
                        [this] { return lane_.decided(); },
                        clock_,
                        *log_,
                        nullptr};
};

TEST_F(JobScheduleTest, TheReleaseLooksEveryMillisecondWhileHoldsAreDueOrHaveNoVerdict_C9_E20) {
  EXPECT_EQ(schedule_.expiry.run().pause, Duration(100));
  judge(rules::PutSku{rules::SkuCode("tee"), 1});
  judge(rules::Receive{rules::SkuCode("tee"), rules::Quantity{10}});
  hold(std::chrono::seconds(10));
  EXPECT_EQ(schedule_.expiry.run().pause, Duration(100)) << "nothing is due";
  clock_.advance(Duration(10'000));
  EXPECT_EQ(schedule_.expiry.run().pause, Duration(1)) << "one was offered";
  EXPECT_EQ(schedule_.expiry.run().pause, Duration(1)) << "it has no verdict yet";
  lane_.step();
  EXPECT_EQ(schedule_.expiry.run().pause, Duration(100)) << "it was released";
}

TEST_F(JobScheduleTest, TheReleaseGoesOnLookingWhileTheLaneHasNoRoom_C9) {
  judge(rules::PutSku{rules::SkuCode("tee"), 1});
  judge(rules::Receive{rules::SkuCode("tee"), rules::Quantity{10}});
  hold(std::chrono::seconds(10));
  clock_.advance(Duration(10'001));
  lane_.close();
  const auto turn = schedule_.expiry.run();
  EXPECT_EQ(turn.work, Work::left);
  EXPECT_EQ(turn.pause, Duration(1)) << "what is due was not taken: it is work too";
}

TEST_F(JobScheduleTest, TheIndexIsFollowedQuicklyUntilItHasCaughtUp_B17) {
  judge(rules::PutSku{rules::SkuCode("tee"), 1});
  judge(rules::Receive{rules::SkuCode("tee"), rules::Quantity{10}});
  hold(std::chrono::seconds(10));
  EXPECT_EQ(schedule_.projection.run().pause, Duration(2));
  while (schedule_.projection.run().work == Work::left) {
  }
  EXPECT_EQ(schedule_.projection.run().pause, Duration(200));
}

TEST_F(JobScheduleTest, OldRequestsAndTheGateAreLookedAtAtLeisure_A28_A16) {
  EXPECT_EQ(schedule_.retention.run().pause, Duration(100));
  EXPECT_EQ(schedule_.refresh.run().pause, Duration(300'000)) << "no item is gated, so the pass has ended";
}

}  // namespace
}  // namespace gavel::jobs
