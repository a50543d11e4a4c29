// Lane: what the callers of a batch are told, and what is done where nothing waits.
#include "pipeline/lane.h"

#include <algorithm>
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

  std::map<Call, Fault> faults_;  // What each call of a kind suffers.
  std::vector<std::string> broken_;

 private:
  VirtualClock clock_{Time(std::chrono::milliseconds(1'800'000'000'000))};
  int asked_ = 0;
  std::unique_ptr<Log> log_ = Log::silent();
  std::unique_ptr<judge::Store> inner_ = judge::open_memory_store(judge::make_memory_database(), clock_);

 protected:
  judge::FaultyStore store_{*inner_, [this](Call call, int, const rules::State*) -> std::optional<Fault> {
                              const auto fault = faults_.find(call);
                              return fault != faults_.end() ? std::optional(fault->second) : std::nullopt;
                            }};

 private:
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
