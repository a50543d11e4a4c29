// Lane: what the callers of a batch are told, and what is done where nothing waits.
#include "pipeline/lane.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/memory/store.h"
#include "judge/testing/faulty_store.h"

namespace gavel::pipeline {
namespace {

using judge::Call;
using judge::Fault;

class LaneTest : public testing::Test {
 protected:
  // One command, judged by itself; what it is told.
  std::string judged() {
    rules::Command command{rules::Caller("shop"), rules::RequestKey("k" + std::to_string(++asked_)),
                           rules::OrderId{}, rules::PutSku{rules::SkuCode("tee"), 1}};
    std::string told;
    Lane::Done done = [&told](const rules::Verdict& verdict) { told = rules::word(verdict.outcome); };
    EXPECT_TRUE(lane_.offer(command, Duration(1'000'000), done));
    lane_.step();
    return told;
  }

  std::ptrdiff_t idles() const { return std::ranges::count(store_.calls(), Call::idle); }

  std::map<Call, Fault> faults_;                  // What each call of a kind suffers,
  std::map<Call, std::function<void()>> during_;  // and what happens during it, before.
  std::vector<std::string> broken_;
  VirtualClock clock_{Time(std::chrono::milliseconds(1'800'000'000'000))};

 private:
  int asked_ = 0;
  std::unique_ptr<Log> log_ = Log::silent();
  std::unique_ptr<judge::Store> inner_ = judge::open_memory_store(judge::make_memory_database(), clock_);

 protected:
  judge::FaultyStore store_{*inner_, [this](Call call, int, const rules::State*) -> std::optional<Fault> {
                              if (const auto& during = during_[call]) during();
                              const auto fault = faults_.find(call);
                              return fault != faults_.end() ? std::optional(fault->second) : std::nullopt;
                            }};

  judge::Judge judge_{store_,          *log_,           Random(1),
                      [](Duration) {}, rules::Policy{}, judge::JudgeLimits{.resolve_attempts_max = 1}};
  Lane lane_{judge_, {.queue_max = 10, .batch_max = 10}, clock_, *log_, [this](const std::string& why) {
               broken_.push_back(why);
             }};
};

TEST_F(LaneTest, TheStoreIsToldWhenNothingWaits) {
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(idles(), 1);
  EXPECT_EQ(store_.violations(), std::vector<std::string>{});
}

TEST_F(LaneTest, AStoreThatBreaksWhereNothingWaitsEndsTheAcknowledging) {
  faults_ = {{Call::idle, Fault::broken}};
  EXPECT_EQ(judged(), "created") << "it is committed, whatever came after it";
  EXPECT_EQ(broken_, std::vector<std::string>{"broken at idle"});
  EXPECT_EQ(judged(), "overloaded");
  EXPECT_EQ(broken_.size(), 1U);
  EXPECT_EQ(idles(), 1);
}

TEST_F(LaneTest, UpkeepThatTheStorePutsOffIsAskedForAgain) {
  faults_ = {{Call::idle, Fault::unavailable}};
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(judged(), "changed");
  EXPECT_EQ(idles(), 2);
  EXPECT_EQ(broken_, std::vector<std::string>{});
}

// Its last batch came back undecided, for whatever reason; a store that does not answer is the next test's.
TEST_F(LaneTest, ALaneIsStuckUntilABatchIsDecided_G007) {
  EXPECT_EQ(lane_.why_stuck(), std::nullopt);
  for (const Fault fault : {Fault::unavailable, Fault::conflict}) {
    faults_ = {{Call::begin, Fault::unavailable}};
    EXPECT_EQ(judged(), "overloaded");
    EXPECT_EQ(lane_.why_stuck(), "unavailable at begin");
    faults_ = {{Call::write, fault}};
    judged();
    EXPECT_EQ(lane_.why_stuck().has_value(), fault == Fault::unavailable)
        << "a command that the store refuses alone is decided";
    faults_.clear();
    judged();
    EXPECT_EQ(lane_.why_stuck(), std::nullopt);
  }
}

TEST_F(LaneTest, ALaneIsStuckWhileTheStoreDoesNotAnswer_G007) {
  std::vector<bool> seen;
  during_[Call::commit] = [&] {
    clock_.advance(stuck_after - Duration(1));
    seen.push_back(lane_.why_stuck().has_value());
    clock_.advance(Duration(1));
    seen.push_back(lane_.why_stuck().has_value());
  };
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(seen, (std::vector<bool>{false, true}));
  EXPECT_EQ(lane_.why_stuck(), std::nullopt);
}

// Nobody asks for anything for a while: the lane finds out by itself, and counts no command. That run() calls
// it then, again and again, is shown by tests/e2e/locked_test.py.
TEST_F(LaneTest, WhereNothingComesTheLaneTriesWhetherABatchCouldBegin_G007) {
  during_[Call::idle] = [&] {
    clock_.advance(stage::idle_every);
    faults_ = {{Call::begin, Fault::unavailable}};
  };
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(lane_.why_stuck(), "unavailable at begin");
  during_[Call::idle] = [&] { clock_.advance(stage::idle_every); };
  faults_.clear();
  EXPECT_EQ(judged(), "changed");
  EXPECT_EQ(lane_.why_stuck(), std::nullopt);
  EXPECT_EQ(std::ranges::count(store_.calls(), Call::begin), 4) << "two batches, and two that were given up";
  EXPECT_EQ(std::ranges::count(store_.calls(), Call::write), 2);
  EXPECT_EQ(lane_.decided(), 2U);
  EXPECT_EQ(store_.violations(), std::vector<std::string>{});
}

TEST_F(LaneTest, ALaneThatIsBusyTriesNothing) {
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(std::ranges::count(store_.calls(), Call::begin), 1);
}

TEST_F(LaneTest, AStoreThatBreaksWhereABatchIsTriedEndsTheAcknowledging) {
  during_[Call::idle] = [&] {
    clock_.advance(stage::idle_every);
    faults_ = {{Call::begin, Fault::broken}};
  };
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(broken_, std::vector<std::string>{"broken at begin"});
  EXPECT_EQ(judged(), "overloaded");
}

TEST_F(LaneTest, ACommitInDoubtIsResolvedBeforeTheStoreDoesAnythingElse_A13) {
  faults_ = {{Call::commit, Fault::unknown_lost}, {Call::resolve, Fault::unavailable}};
  EXPECT_EQ(judged(), "outcome_unknown");
  EXPECT_EQ(idles(), 0);
  faults_.clear();
  EXPECT_EQ(judged(), "created");
  EXPECT_EQ(idles(), 1);
  EXPECT_EQ(store_.violations(), std::vector<std::string>{});
}

}  // namespace
}  // namespace gavel::pipeline
