// What the one script does, line by line, and what late, lost and repeated messages do to it.
#include "gate/gate_contract.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <sstream>
#include <thread>
#include <utility>

namespace gavel::gate {
namespace {

using rules::Quantity;

template <class T>
T awaited(std::future<T> answer) {
  const bool in_time = answer.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  EXPECT_TRUE(in_time) << "the gate did not call done";
  if (!in_time) std::abort();  // The promise is still in the hands of the gate.
  return answer.get();
}

std::vector<std::int64_t> numbers_of(const std::string& text, char separator) {
  std::vector<std::int64_t> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);) numbers.push_back(std::stoll(part));
  return numbers;
}

}  // namespace

Result<Reply> say_to(Gate& gate, const BucketKey& key, const Say& say) {
  std::promise<Result<Reply>> answer;
  auto future = answer.get_future();
  gate.say(key, say, [&](Result<Reply> reply) { answer.set_value(std::move(reply)); });
  return awaited(std::move(future));
}

Result<std::optional<Bucket>> read_from(Gate& gate, const BucketKey& key) {
  std::promise<Result<std::optional<Bucket>>> answer;
  auto future = answer.get_future();
  gate.read(key, [&](Result<std::optional<Bucket>> seen) { answer.set_value(std::move(seen)); });
  return awaited(std::move(future));
}

void reap_at(Gate& gate, const BucketKey& key, rules::InstanceId instance) {
  std::promise<Result<void>> answer;
  auto future = answer.get_future();
  gate.reap(key, instance, [&](Result<void> done) { answer.set_value(std::move(done)); });
  EXPECT_TRUE(awaited(std::move(future)));
}

void erase_from(Gate& gate, const BucketKey& key) {
  std::promise<Result<void>> answer;
  auto future = answer.get_future();
  gate.erase(key, [&](Result<void> done) { answer.set_value(std::move(done)); });
  EXPECT_TRUE(awaited(std::move(future)));
}

Say parse_say(const std::string& text) {
  Say say;
  Statement statement;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.find('#') != std::string::npos) {
      const auto numbers = numbers_of(word, '#');
      say.instance = {numbers.at(0)};
      say.op = numbers.at(1);
    } else if (word.starts_with("base=")) {
      say.base = {std::stoll(value)};
    } else if (word.starts_with("judge=")) {
      const auto numbers = numbers_of(value, '/');
      statement.position = Position{numbers.at(0), Quantity{numbers.at(1)}};
    } else if (word.starts_with("gen=")) {
      const auto numbers = numbers_of(value, '/');
      statement.open = numbers.at(0);
      statement.shut = numbers.at(1);
      say.judge = statement;
    } else if (word.starts_with("wants=")) {
      for (const std::int64_t units : numbers_of(value, ',')) say.wants.push_back({units});
    } else {
      ADD_FAILURE() << "no such word: " << word;
    }
  }
  return say;
}

std::string GateContract::say(const BucketKey& key, const std::string& text) {
  const auto reply = say_to(gate(), key, parse_say(text));
  return reply ? to_text(*reply) : "unavailable";
}

std::string GateContract::bucket(const BucketKey& key) {
  const auto seen = read_from(gate(), key);
  return seen ? to_text(*seen) : "unavailable";
}

void GateContract::reap(std::int64_t instance) { reap_at(gate(), key_, rules::InstanceId{instance}); }

void GateContract::forget(std::int64_t instance) {
  std::promise<Result<void>> answer;
  gate().forget(key_, rules::InstanceId{instance},
                [&](Result<void> done) { answer.set_value(std::move(done)); });
  EXPECT_TRUE(awaited(answer.get_future()));
}

void GateContract::erase() { erase_from(gate(), key_); }

void GateContract::erase_all() {
  for (rules::BucketNo bucket = 0; bucket < 8; ++bucket) {
    erase_from(gate(), {key_.incarnation, key_.item, bucket});
  }
}

// "if bucket missing and no judge: return not_initialised"

TEST_P(GateContract, AMissingBucketIsNotInitialisedAndNothingIsWritten) {
  EXPECT_EQ(bucket(), "missing");
  EXPECT_EQ(say("1#1 base=2 wants=1,2"), "not_initialised");
  EXPECT_EQ(bucket(), "missing");
  EXPECT_EQ(say("1#2"), "not_initialised");
  EXPECT_EQ(bucket(), "missing");
}

TEST_P(GateContract, GenerationsAloneMakeNoBucket) {
  EXPECT_EQ(say("1#1 base=2 gen=4/3 wants=1"), "not_initialised");
  EXPECT_EQ(bucket(), "missing");
}

TEST_P(GateContract, ACallThatWasNotInitialisedIsForgotten) {
  EXPECT_EQ(say("1#9 base=2"), "not_initialised");
  EXPECT_EQ(say("judge=3/5 gen=1/0"), "stale seq=3 avail=5 open=1 shut=0 in_flight=0");
  EXPECT_EQ(say("1#1 wants=1"), "ok seq=3 avail=5 open=1 shut=0 in_flight=1 granted=1");
}

// "if judge": a missing bucket is created by it

TEST_P(GateContract, AStatementMakesTheBucketAndItsWantsAreServedFromIt) {
  EXPECT_EQ(say("1#1 base=1 judge=3/5 gen=1/0 wants=2,2,1"),
            "ok seq=3 avail=5 open=1 shut=0 in_flight=5 granted=110");
  EXPECT_EQ(bucket(), "seq=3 avail=5 open=1 shut=0 in_flight=5 h1=5 o1=1");
}

TEST_P(GateContract, APositionZeroMakesABucketToo) {
  EXPECT_EQ(say("judge=0/0 gen=1/1"), "stale seq=0 avail=0 open=1 shut=1 in_flight=0");
  EXPECT_EQ(bucket(), "seq=0 avail=0 open=1 shut=1 in_flight=0");
}

TEST_P(GateContract, ACallThatOnlyStatesLeavesNoHolding) {
  EXPECT_EQ(say("judge=3/5 gen=1/0"), "stale seq=3 avail=5 open=1 shut=0 in_flight=0");
  EXPECT_EQ(say("judge=4/6 gen=1/0"), "stale seq=4 avail=6 open=1 shut=0 in_flight=0");
  EXPECT_EQ(bucket(), "seq=4 avail=6 open=1 shut=0 in_flight=0");
}

// "if judge.seq >= seq: seq, avail = judge.seq, judge.avail"

TEST_P(GateContract, ANewerPositionReplacesAnOlderOneAndNeverTheOtherWay) {
  say("judge=5/7 gen=1/0");
  EXPECT_EQ(say("judge=6/2 gen=1/0"), "stale seq=6 avail=2 open=1 shut=0 in_flight=0");
  EXPECT_EQ(say("judge=5/7 gen=1/0"), "stale seq=6 avail=2 open=1 shut=0 in_flight=0");
  EXPECT_EQ(say("judge=0/0 gen=1/0"), "stale seq=6 avail=2 open=1 shut=0 in_flight=0");
}

TEST_P(GateContract, TheSamePositionIsWrittenAgainSoThatARefreshRepairs) {
  say("judge=5/7 gen=1/0");
  EXPECT_EQ(say("judge=5/4 gen=1/0"), "stale seq=5 avail=4 open=1 shut=0 in_flight=0");
}

// "open, shut = max(...), max(...)"

TEST_P(GateContract, OpenAndShutOnlyGrowEachByItself) {
  say("judge=1/0 gen=3/3");
  EXPECT_EQ(say("judge=2/1 gen=2/1"), "stale seq=2 avail=1 open=3 shut=3 in_flight=0");
  EXPECT_EQ(say("judge=3/1 gen=4/1"), "stale seq=3 avail=1 open=4 shut=3 in_flight=0");
  EXPECT_EQ(say("judge=4/1 gen=4/4"), "stale seq=4 avail=1 open=4 shut=4 in_flight=0");
}

TEST_P(GateContract, GenerationsCountEvenWhenThePositionIsOld) {
  say("judge=9/5 gen=1/0");
  EXPECT_EQ(say("judge=2/0 gen=2/2"), "stale seq=9 avail=5 open=2 shut=2 in_flight=0");
}

TEST_P(GateContract, GenerationsAloneChangeNoPosition) {
  say("judge=9/5 gen=1/1");
  EXPECT_EQ(say("1#1 gen=2/1 wants=1"), "ok seq=9 avail=5 open=2 shut=1 in_flight=1 granted=1");
}

TEST_P(GateContract, ALateEmptyCannotCloseAReopenedItem) {
  say("judge=4/0 gen=1/1");
  EXPECT_EQ(say("1#1 judge=5/3 gen=2/1 wants=1"), "ok seq=5 avail=3 open=2 shut=1 in_flight=1 granted=1");
  EXPECT_EQ(say("2#1 judge=4/0 gen=1/1 wants=1"), "ok seq=5 avail=3 open=2 shut=1 in_flight=2 granted=1");
}

// "if op <= o[inst]: return stale + state"

TEST_P(GateContract, ARepeatedOrOlderCallChangesNoHolding) {
  say("judge=1/9 gen=1/0");
  EXPECT_EQ(say("1#5 base=2 wants=1"), "ok seq=1 avail=9 open=1 shut=0 in_flight=3 granted=1");
  EXPECT_EQ(say("1#5 base=2 wants=1"), "stale seq=1 avail=9 open=1 shut=0 in_flight=3");
  EXPECT_EQ(say("1#4 base=0 wants=4"), "stale seq=1 avail=9 open=1 shut=0 in_flight=3");
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=3 h1=3 o1=5");
}

TEST_P(GateContract, AStaleCallStillStates) {
  say("1#5 base=2 judge=1/9 gen=1/0");
  EXPECT_EQ(say("1#5 base=0 judge=2/8 gen=2/2 wants=1"), "stale seq=2 avail=8 open=2 shut=2 in_flight=2");
}

TEST_P(GateContract, EachInstanceHasItsOwnOrder) {
  say("1#50 base=2 judge=1/9 gen=1/0");
  EXPECT_EQ(say("2#1 base=1 wants=3"), "ok seq=1 avail=9 open=1 shut=0 in_flight=6 granted=1");
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=6 h1=2 o1=50 h2=4 o2=1");
}

// "o[inst] = op; in_flight += base - h[inst]; h[inst] = base"

TEST_P(GateContract, ACallReplacesWhatTheInstanceHeld) {
  say("1#1 base=6 judge=1/9 gen=1/0");
  EXPECT_EQ(say("1#2 base=2"), "ok seq=1 avail=9 open=1 shut=0 in_flight=2");
  EXPECT_EQ(say("1#3 base=0"), "ok seq=1 avail=9 open=1 shut=0 in_flight=0");
}

TEST_P(GateContract, ALostReplyEndsWithTheNextCall) {
  say("judge=1/9 gen=1/0");
  say("1#1 wants=4");  // The reply is lost: the instance knows of no token.
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=4 h1=4 o1=1");
  EXPECT_EQ(say("1#2 base=0"), "ok seq=1 avail=9 open=1 shut=0 in_flight=0");
  EXPECT_EQ(say("1#1 wants=4"),
            "stale seq=1 avail=9 open=1 shut=0 in_flight=0");  // Sent again by the network.
}

// "for w in wants in order: if shut < open and avail - in_flight >= w"

TEST_P(GateContract, WantsAreServedInOrderAndATooLargeOneStopsNobody) {
  say("judge=1/5 gen=1/0");
  EXPECT_EQ(say("1#1 base=1 wants=2,3,2,1"), "ok seq=1 avail=5 open=1 shut=0 in_flight=5 granted=1010");
}

TEST_P(GateContract, AClosedBucketGrantsNothingWhateverItShows) {
  for (const char* generations : {"gen=1/1", "gen=2/2"}) {
    say(std::string("judge=1/5 ") + generations);
    EXPECT_NE(say("1#1 wants=1").find("granted=0"), std::string::npos);
    erase();
  }
}

TEST_P(GateContract, TokensBeyondWhatIsAvailableOnlyMakeItLess) {
  say("1#1 base=7 judge=1/5 gen=1/0");  // A statement of more is on its way.
  EXPECT_EQ(say("2#1 wants=1"), "ok seq=1 avail=5 open=1 shut=0 in_flight=7 granted=0");
  EXPECT_EQ(say("judge=2/9 gen=1/0"), "stale seq=2 avail=9 open=1 shut=0 in_flight=7");
  EXPECT_EQ(say("2#2 wants=2,1"), "ok seq=2 avail=9 open=1 shut=0 in_flight=9 granted=10");
}

TEST_P(GateContract, ACallMayCarryAsManyWantsAsTheLimit) {
  say("judge=1/200 gen=1/0");
  Say all = parse_say("1#1");
  all.wants.assign(wants_max, Quantity{1});
  const auto reply = say_to(gate(), key_, all);
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::count(reply->granted.begin(), reply->granted.end(), true), 200);
  EXPECT_EQ(bucket(), "seq=1 avail=200 open=1 shut=0 in_flight=200 h1=200 o1=1");
}

TEST_P(GateContract, NumbersAtTheirBoundsComeBackExactly) {
  const std::string units = std::to_string(rules::sound_units_max.units);
  const std::string high = std::to_string(number_max);
  say("judge=" + high + "/" + units + " gen=" + high + "/" + std::to_string(number_max - 1));
  say("1#" + std::to_string(op_tombstone - 1) + " base=" + std::to_string(rules::sound_units_max.units - 1));
  EXPECT_EQ(bucket(),
            "seq=" + high + " avail=" + units + " open=" + high + " shut=" + std::to_string(number_max - 1) +
                " in_flight=" + std::to_string(rules::sound_units_max.units - 1) + " h1=" +
                std::to_string(rules::sound_units_max.units - 1) + " o1=" + std::to_string(op_tombstone - 1));
  EXPECT_NE(say("2#1 wants=1,1").find("granted=10"), std::string::npos);
}

// Keys, and what the jobs do

TEST_P(GateContract, EveryBucketStandsAlone) {
  const std::vector<BucketKey> others{{rules::Incarnation{Uuid{{2}}}, rules::ItemId{7}, 0},
                                      {rules::Incarnation{Uuid{{1}}}, rules::ItemId{8}, 0},
                                      {rules::Incarnation{Uuid{{1}}}, rules::ItemId{7}, 1}};
  say("1#1 base=2 judge=3/5 gen=1/0");
  for (const BucketKey& other : others) {
    EXPECT_EQ(bucket(other), "missing");
    EXPECT_EQ(say(other, "1#1 base=1 judge=1/1 gen=1/0"), "ok seq=1 avail=1 open=1 shut=0 in_flight=1");
  }
  erase();
  EXPECT_EQ(bucket(), "missing");
  for (const BucketKey& other : others)
    EXPECT_EQ(bucket(other), "seq=1 avail=1 open=1 shut=0 in_flight=1 h1=1 o1=1");
}

TEST_P(GateContract, ReapingFreesTheTokensOfTheDeadAndBarsTheirLateCalls) {
  say("1#4 base=3 judge=1/9 gen=1/0");
  say("2#1 base=2");
  reap(1);
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=2 h1=0 o1=tombstone h2=2 o2=1");
  EXPECT_EQ(say("1#5 base=3 wants=1"), "stale seq=1 avail=9 open=1 shut=0 in_flight=2");
  reap(1);
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=2 h1=0 o1=tombstone h2=2 o2=1");
}

TEST_P(GateContract, ReapingBarsAnInstanceWhoseFirstCallIsStillOnItsWay) {
  say("judge=1/9 gen=1/0");
  reap(1);
  EXPECT_EQ(say("1#1 base=3"), "stale seq=1 avail=9 open=1 shut=0 in_flight=0");
}

TEST_P(GateContract, OnlyATombstoneIsForgotten) {
  say("1#4 base=3 judge=1/9 gen=1/0");
  forget(1);
  forget(2);
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=3 h1=3 o1=4");
  reap(1);
  forget(1);
  EXPECT_EQ(bucket(), "seq=1 avail=9 open=1 shut=0 in_flight=0");
}

TEST_P(GateContract, JobsOnAMissingBucketWriteNothing) {
  reap(1);
  forget(1);
  erase();
  EXPECT_EQ(bucket(), "missing");
}

TEST_P(GateContract, AnErasedBucketIsMadeAnewByAnyNewestOrOlderStatement) {
  say("1#9 base=2 judge=8/3 gen=5/5");
  erase();
  EXPECT_EQ(say("1#10 base=2"), "not_initialised");
  EXPECT_EQ(say("1#11 base=2 judge=7/4 gen=4/3"), "ok seq=7 avail=4 open=4 shut=3 in_flight=2");
}

TEST_P(GateContract, AfterCloseNoCallbackIsCalled) {
  say("judge=1/5 gen=1/0");
  gate().close();
  gate().close();
  int called = 0;
  gate().say(key_, parse_say("1#1 wants=1"), [&](const Result<Reply>&) { ++called; });
  gate().read(key_, [&](const Result<std::optional<Bucket>>&) { ++called; });
  gate().reap(key_, rules::InstanceId{1}, [&](const Result<void>&) { ++called; });
  gate().forget(key_, rules::InstanceId{1}, [&](const Result<void>&) { ++called; });
  gate().erase(key_, [&](const Result<void>&) { ++called; });
  destroy();
  EXPECT_EQ(called, 0);
}

TEST_P(GateContract, CloseWaitsForTheCallbackThatIsRunning) {
  std::promise<void> begun;
  std::promise<void> go_on;
  std::atomic<bool> ended = false;
  std::thread caller([&] {
    gate().read(key_, [&](const Result<std::optional<Bucket>>&) {
      begun.set_value();
      awaited(go_on.get_future());
      ended = true;
    });
  });
  awaited(begun.get_future());
  bool ended_at_close = false;
  std::promise<void> closes;
  std::thread closer([&] {
    closes.set_value();
    gate().close();
    ended_at_close = ended;
  });
  awaited(closes.get_future());
  go_on.set_value();
  closer.join();
  caller.join();
  EXPECT_TRUE(ended_at_close);
}

}  // namespace gavel::gate
