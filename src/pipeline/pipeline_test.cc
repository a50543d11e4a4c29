// The pipeline over a lane that is stepped by hand: admission (A20), keys in process (A9), deadlines, unknown
// outcomes.
#include "pipeline/pipeline.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "judge/memory/store.h"
#include "stage/stage.h"

namespace gavel::pipeline {
namespace {

using rules::Caller;
using rules::Command;
using rules::RequestKey;
using rules::SkuCode;
using rules::UserId;
using rules::Verdict;

const Time start = *parse_time("2026-01-01T00:00:00Z");

Command asks(const std::string& key, rules::Act act) {
  static Random random(7);
  return Command{Caller("shop"), RequestKey(key), rules::OrderId{make_uuid7(start, random)}, std::move(act)};
}

Command order(const std::string& key, const std::string& user = "u1", std::int64_t units = 1) {
  return asks(key, rules::Reserve{.user = UserId(user),
                                  .lines = {rules::Line{SkuCode("tee"), rules::Quantity{units}}},
                                  .activity = std::nullopt,
                                  .hold = std::nullopt,
                                  .payment = rules::Payment::later});
}

// The service from the entrance to the memory store, on one thread.
class World {
 public:
  explicit World(PipelineLimits limits = {100, Duration(1000), Duration(5000)},
                 stage::Limits lane_limits = {100, 10})
      : store_(judge::open_memory_store(judge::make_memory_database(), clock)),
        judge_(
            *store_, *log_, Random(1), [](Duration) {}, rules::Policy{}, judge::JudgeLimits{}),
        lane(judge_, lane_limits, clock, *log_, [](const std::string&) {}),
        pipeline(io_.get_executor(), lanes_, clock, *log_, sampler_, limits) {
    ask(asks("sku", rules::PutSku{SkuCode("tee"), 1}));
    ask(asks("in", rules::Receive{SkuCode("tee"), rules::Quantity{3}}));
    settle();
    answers.clear();
  }

  void ask(Command command) {
    boost::asio::co_spawn(io_, answered(std::move(command)), boost::asio::detached);
    run_coroutines();
  }

  void ask_all(std::vector<Command> commands) {
    boost::asio::co_spawn(io_, answered_all(std::move(commands)), boost::asio::detached);
    run_coroutines();
  }

  // Judges one batch of what waits.
  void judge() {
    lane.step();
    run_coroutines();
  }

  void settle() {
    while (lane.waiting() > 0) judge();
  }

  void step() {
    pipeline.step(clock.steady());
    run_coroutines();
  }

  std::vector<std::string> answers;  // "key outcome", in order of arrival.
  VirtualClock clock{start};

 private:
  boost::asio::awaitable<void> answered(Command command) {
    const std::string key(command.key->text());
    const Verdict verdict = co_await pipeline.submit(std::move(command));
    std::string answer = key + " " + std::string(rules::word(verdict.outcome));
    if (verdict.record == rules::Record::replayed) answer += " again";
    answers.push_back(std::move(answer));
  }

  boost::asio::awaitable<void> answered_all(std::vector<Command> commands) {
    std::string answer;
    for (const Verdict& verdict : co_await pipeline.submit_all(std::move(commands))) {
      answer.append(answer.empty() ? "" : ", ").append(rules::word(verdict.outcome));
      if (verdict.record == rules::Record::replayed) answer += " again";
    }
    answers.push_back("[" + answer + "]");
  }

  void run_coroutines() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_;
  std::unique_ptr<Log> log_ = Log::silent();
  Sampler sampler_{1};
  std::unique_ptr<judge::Store> store_;
  judge::Judge judge_;

 public:
  Lane lane;

 private:
  Lanes lanes_{lane};

 public:
  Pipeline pipeline;
};

using Answers = std::vector<std::string>;

TEST(Pipeline, WhatWaitsIsJudgedInOneBatchAndEachGetsItsOwnAnswer) {
  World world;
  world.ask(order("a"));
  world.ask(order("b", "u2", 3));
  EXPECT_EQ(world.answers, Answers{});
  world.judge();
  EXPECT_EQ(world.answers, (Answers{"a reserved", "b insufficient"}));
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

std::vector<Command> orders(const std::string& prefix, int count) {
  std::vector<Command> commands;
  for (int i = 1; i <= count; ++i) commands.push_back(order(prefix + std::to_string(i), "u", 1));
  return commands;
}

TEST(Pipeline, ALargeCallLeavesRoomForOthers_A20_G003) {
  World world({.in_flight_max = 100,
               .judge_within = Duration(1000),
               .answer_within = Duration(5000),
               .call_commands_max = 2});
  world.ask_all(orders("a", 5));
  EXPECT_EQ(world.lane.waiting(), 2U);
  EXPECT_EQ(world.pipeline.in_flight(), 2U);
  world.ask(order("x"));
  world.judge();
  EXPECT_EQ(world.answers, Answers{"x reserved"}) << "it waits for no more than the two before it";
  EXPECT_EQ(world.lane.waiting(), 2U);
  world.settle();
  EXPECT_EQ(world.answers.back(), "[reserved, reserved, sold_out, sold_out, sold_out]");
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

TEST(Pipeline, TheTimeOfALargeCallCountsFromTheCall_A20) {
  World world({.in_flight_max = 100,
               .judge_within = Duration(1000),
               .answer_within = Duration(5000),
               .call_commands_max = 1});
  world.ask_all(orders("a", 3));
  world.clock.advance(Duration(600));
  world.judge();
  world.clock.advance(Duration(600));
  world.step();
  world.settle();
  EXPECT_EQ(world.answers, Answers{"[reserved, overloaded, overloaded]"});
}

TEST(Pipeline, OneCallerLeavesPlacesForTheOthers_A20) {
  World world({.in_flight_max = 8, .judge_within = Duration(1000), .answer_within = Duration(5000)});
  world.ask_all(orders("a", 9));
  EXPECT_EQ(world.pipeline.in_flight(), 7U);
  Command other = order("x");
  other.caller = Caller("operator");
  world.ask(other);
  EXPECT_EQ(world.pipeline.in_flight(), 8U);
  world.settle();
  EXPECT_EQ(world.answers, (Answers{"x reserved",
                                    "[reserved, reserved, sold_out, sold_out, sold_out, sold_out, "
                                    "sold_out, overloaded, overloaded]"}));
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

TEST(Pipeline, TooMuchIsRefusedAtOnceAndRoomIsMadeByVerdicts_A20) {
  World world({.in_flight_max = 2, .judge_within = Duration(1000), .answer_within = Duration(5000)});
  world.ask(order("a"));
  world.ask(order("b"));
  world.ask(order("c"));
  EXPECT_EQ(world.answers, Answers{"c overloaded"});
  world.judge();
  world.ask(order("c"));
  world.judge();
  EXPECT_EQ(world.answers, (Answers{"c overloaded", "a reserved", "b reserved", "c reserved"}));
}

TEST(Pipeline, AFullLaneRefusesAndNothingIsLeftBehind_B11) {
  World world({.in_flight_max = 100, .judge_within = Duration(1000), .answer_within = Duration(5000)},
              {2, 10});
  for (const char* key : {"a", "b", "c"}) world.ask(order(key));
  EXPECT_EQ(world.answers, Answers{"c overloaded"});
  EXPECT_FALSE(world.pipeline.in_process({Caller("shop"), RequestKey("c")}));
  EXPECT_EQ(world.pipeline.in_flight(), 2U);
}

TEST(Pipeline, TheSameKeyInProcessIsRefusedAndAfterTheVerdictReplayed_A9) {
  World world;
  world.ask(order("a"));
  world.ask(order("a"));
  EXPECT_EQ(world.answers, Answers{"a key_in_flight"});
  world.judge();
  world.ask(order("a"));
  world.judge();
  EXPECT_EQ(world.answers, (Answers{"a key_in_flight", "a reserved", "a reserved again"}));
}

TEST(Pipeline, AnotherContentIsToldSoWhileTheFirstIsInProcess_F006) {
  World world;
  world.ask(order("a"));
  world.ask(order("a", "u2"));
  EXPECT_EQ(world.answers, Answers{"a key_reused"});
  world.judge();
  world.ask(order("a", "u2"));
  world.judge();
  EXPECT_EQ(world.answers, (Answers{"a key_reused", "a reserved", "a key_reused"}));
}

TEST(Pipeline, ARequestThatWaitsTooLongIsCertainlyNotDone) {
  World world({.in_flight_max = 100, .judge_within = Duration(1000), .answer_within = Duration(5000)});
  world.ask(order("a"));
  world.clock.advance(Duration(1001));
  world.judge();
  EXPECT_EQ(world.answers, Answers{"a overloaded"});
  world.ask(order("a"));
  world.judge();
  EXPECT_EQ(world.answers.back(), "a reserved");  // Not "again": the first try left nothing.
}

// The lane hangs, and takes no batch: what it has not begun is certainly not done, and is told so in time.
TEST(Pipeline, WhatTheLaneHasNotBegunIsRefusedInTimeWhateverItIsAt_G007) {
  World world({.in_flight_max = 100, .judge_within = Duration(1000), .answer_within = Duration(5000)});
  world.ask(order("a"));
  world.clock.advance(Duration(500));
  world.ask(order("b"));
  world.clock.advance(Duration(500));
  world.step();
  EXPECT_EQ(world.answers, Answers{});
  world.clock.advance(Duration(1));
  world.step();
  EXPECT_EQ(world.answers, Answers{"a overloaded"});
  world.clock.advance(Duration(500));
  world.step();
  EXPECT_EQ(world.answers, (Answers{"a overloaded", "b overloaded"}));
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  EXPECT_EQ(world.lane.waiting(), 0U);
  world.ask(order("a"));
  world.judge();
  EXPECT_EQ(world.answers.back(), "a reserved") << "not again: the first try left nothing";
}

TEST(Pipeline, AnOverdueAnswerIsUnknownAndItsKeyStaysInProcessUntilTheVerdict_A13) {
  World world({.in_flight_max = 100, .judge_within = Duration(60'000), .answer_within = Duration(5000)});
  world.ask(order("a"));
  world.clock.advance(Duration(4999));
  world.step();
  EXPECT_EQ(world.answers, Answers{});
  world.clock.advance(Duration(1));
  world.step();
  world.step();  // Told once.
  world.ask(order("a"));
  world.judge();
  world.ask(order("a"));
  world.judge();
  EXPECT_EQ(world.answers, (Answers{"a outcome_unknown", "a key_in_flight", "a reserved again"}));
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

TEST(Pipeline, AMalformedCommandNeverReachesTheLane) {
  World world;
  world.ask(order("a", "u1", 0));
  EXPECT_EQ(world.answers, Answers{"a malformed"});
  EXPECT_EQ(world.lane.waiting(), 0U);
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

TEST(Pipeline, CommandsThatCameTogetherAreAnsweredTogetherInTheirOrder) {
  World world;
  world.ask_all({order("a"), order("b", "u2", 3), order("c", "u3", 0), order("d", "u4")});
  EXPECT_EQ(world.answers, Answers{});
  EXPECT_EQ(world.pipeline.in_flight(), 3U);
  world.judge();
  EXPECT_EQ(world.answers, Answers{"[reserved, insufficient, malformed, reserved]"});
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  world.ask_all({});
  EXPECT_EQ(world.answers.back(), "[]");
}

TEST(Pipeline, AGroupIsAnsweredOnceThoughTheLaneTakesSeveralBatches) {
  World world({100, Duration(1000), Duration(5000)}, {100, 2});
  world.ask_all({order("a"), order("b"), order("c"), order("d"), order("e")});
  world.judge();
  world.judge();
  EXPECT_EQ(world.answers, Answers{});
  world.judge();
  EXPECT_EQ(world.answers, Answers{"[reserved, reserved, reserved, sold_out, sold_out]"});
}

TEST(Pipeline, OneKeyTwiceInOneBatchIsInFlightTheSecondTime_A9) {
  World world;
  world.ask_all({order("a"), order("a"), order("a", "u2")});
  world.judge();
  world.ask_all({order("a"), order("b")});
  world.judge();
  EXPECT_EQ(world.answers, (Answers{"[reserved, key_in_flight, key_reused]", "[reserved again, reserved]"}));
}

TEST(Pipeline, EachCommandOfABatchIsAdmittedByItself_A20) {
  World world({.in_flight_max = 2, .judge_within = Duration(1000), .answer_within = Duration(5000)});
  world.ask_all({order("a"), order("b"), order("c"), order("d", "u1", 0)});
  world.ask_all({order("e"), order("f")});  // All refused: answered without the lane.
  EXPECT_EQ(world.answers, Answers{"[overloaded, overloaded]"});
  world.judge();
  EXPECT_EQ(world.answers.back(), "[reserved, reserved, overloaded, malformed]");
}

TEST(Pipeline, AnOverdueBatchIsAnsweredAndItsVerdictsComeLater_A13) {
  World world({.in_flight_max = 100, .judge_within = Duration(60'000), .answer_within = Duration(5000)},
              {100, 1});
  world.ask_all({order("a"), order("b")});
  world.judge();
  world.clock.advance(Duration(5000));
  world.step();
  EXPECT_EQ(world.answers, Answers{"[reserved, outcome_unknown]"});
  world.judge();
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

}  // namespace
}  // namespace gavel::pipeline
