// Mode `gated` on one thread: the gate turns the hopeless away, and is never believed (A1, A7, A8, A9, C9).
#include <algorithm>
#include <set>
#include <string>

#include "judge/audit/audit.h"
#include "pipeline/gated_world_test.h"

namespace gavel::pipeline {
namespace {

TEST(Gated, TheGateFollowsTheJudgeAndIsLeftWithoutTokens_A12) {
  World world;
  world.stock(4, 2);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.settle();
  EXPECT_EQ(world.available(), 3);
  EXPECT_TRUE(world.gate_shows() == "1+2" || world.gate_shows() == "2+1") << world.gate_shows();
  EXPECT_EQ(world.gate_client.unsettled(), 0U);
}

TEST(Gated, SoldOutIsSaidByAReadAndTheJudgeRests_A8) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  EXPECT_EQ(world.gate_shows(), "0 closed");
  world.ask("b", reserve("u2", 1));
  EXPECT_EQ(world.lane.waiting(), 0U);
  world.settle();
  EXPECT_EQ(to_text(world.verdicts.back()), "sold_out sku=tee");
  EXPECT_EQ(world.verdicts.back().record, rules::Record::no);
  EXPECT_EQ(world.verdicts.back().retry_after, std::chrono::seconds(5)) << "E28";
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
}

TEST(Gated, ManyThatAreTurnedAwayShareOneRead_A8) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  for (int i = 0; i < 50; ++i) world.ask("late" + std::to_string(i), reserve("u" + std::to_string(i), 1));
  EXPECT_EQ(world.gate_reads.step(), 1U);  // The first, alone …
  world.ask("last", reserve("u", 1));
  EXPECT_EQ(world.gate_reads.step(), 1U);  // … and all who came meanwhile.
  world.settle();
  EXPECT_EQ(world.verdicts.size(), 3U + 51U);
}

TEST(Gated, UnitsThatReturnAreSoldAtOnce_U3) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "sold_out unrecorded");
  EXPECT_EQ(world.tell("c", rules::Cancel{*world.verdicts[2].order}), "cancelled");
  EXPECT_EQ(world.tell("b", reserve("u2", 1)),
            "reserved");  // An unrecorded refusal is no result of its key (A9).
}

TEST(Gated, ARetryGetsItsRecordedAnswerFromBehindAClosedGate_A9) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved again");
  EXPECT_EQ(world.tell("a", reserve("u2", 1)), "key_reused");
  const std::string uuid = to_text(make_uuid7(start, world.random));
  EXPECT_EQ(world.tell("more", rules::Receive{SkuCode("tee"), Quantity{1}}), "received");
  EXPECT_EQ(world.tell(uuid, reserve("u3", 1)), "reserved");
  EXPECT_EQ(world.tell(uuid, reserve("u3", 1), "other"), "key_in_use");
}

TEST(Gated, AHoldPastItsTimeIsFreeBehindAClosedGate_C9) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.clock.advance(hold - Duration(1));
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "sold_out unrecorded");
  world.clock.advance(Duration(1));
  EXPECT_EQ(world.tell("c", reserve("u3", 1)), "reserved");
}

TEST(Gated, ASaleThatIsNotOpenSaysSo) {
  World world;
  world.stock(2);
  EXPECT_EQ(world.tell("draft", create("drop", 1)), "created");
  EXPECT_EQ(world.tell("a", reserve("u1", 1, "drop")), "not_open");
  EXPECT_EQ(world.tell("warm", rules::WarmActivity{ActivityCode("drop")}), "warmed");
  EXPECT_EQ(world.tell("check", rules::CheckActivity{ActivityCode("drop")}), "verified");
  EXPECT_EQ(world.tell("open", rules::OpenActivity{ActivityCode("drop")}), "opened");
  EXPECT_EQ(world.tell("b", reserve("u1", 1, "drop")), "reserved");
  EXPECT_EQ(world.tell("c", reserve("u2", 1, "drop")), "sold_out unrecorded");
  EXPECT_EQ(world.tell("close", rules::CloseActivity{ActivityCode("drop")}), "closed");
  EXPECT_EQ(world.tell("d", reserve("u2", 1, "drop")), "over");
  EXPECT_EQ(world.tell("e", reserve("u2", 1, "nope")), "unknown_activity");
}

TEST(Gated, AnOrderLargerThanABucketIsServedAcrossBuckets_A7) {
  World world;
  world.stock(6, 3);
  EXPECT_EQ(world.tell("a", reserve("u1", 5)), "reserved");
  EXPECT_EQ(world.tell("b", reserve("u2", 2)), "insufficient");
  EXPECT_EQ(world.tell("c", reserve("u2", 1)), "reserved");
  EXPECT_EQ(world.gate_shows(), "0 closed+0 closed+0 closed");
}

TEST(Gated, WithoutTheReadNothingIsSaid) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.gate_reads.close();
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "overloaded");
}

TEST(Gated, ALostGateSendsAllToTheJudgeUntilAVerdictBringsItBack_A24) {
  World world;
  world.stock(2);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.gate.erase({incarnation, world.row().item.id, 0}, [](const Result<void>&) {});
  EXPECT_EQ(world.gate_shows(), "?");
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "reserved");
  EXPECT_EQ(world.gate_shows(), "0 closed");
}

// Lists, traces and audits have stages of their own, so that what they take is nobody's wait (A20, B11).
TEST(Gated, ARefusalWaitsForNoOtherQuestion_A20_B11) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  Reads<judge::Reader> questions(world.reader(), {1000, 100}, Duration(1000), world.clock);
  bool answered = false;
  world.ask_question(questions, answered);
  EXPECT_EQ(questions.waiting(), 1U);
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "sold_out unrecorded");
  EXPECT_FALSE(answered);
  questions.step();
  world.settle();
  EXPECT_TRUE(answered);
}

// Whatever a request waits for at the gate, its deadline is the one it has everywhere, and nothing was done.
TEST(Gated, WhatTheGateDoesNotAnswerInTimeIsCertainlyNotDone_A13_B11) {
  World world;
  world.stock(2);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.gate.kept.emplace();
  world.ask("b", reserve("u2", 1));
  world.clock.advance(Duration(999));
  world.step();
  EXPECT_EQ(world.verdicts.size(), 3U);
  EXPECT_EQ(world.pipeline.in_flight(), 1U);
  world.clock.advance(Duration(1));
  world.step();
  EXPECT_EQ(to_text(world.verdicts.back()), "overloaded");
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  EXPECT_FALSE(world.pipeline.in_process({Caller("shop"), RequestKey("b")}));
  EXPECT_EQ(world.gate_client.waiting(), 0U);
  world.release_kept_calls();
  EXPECT_EQ(world.verdicts.size(), 4U);
  EXPECT_EQ(world.available(), 1);
  EXPECT_EQ(world.gate_shows(), "1") << "the token that came too late went back";
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "reserved");
}

TEST(Gated, ASoldOutCheckThatTakesTooLongIsCertainlyNotDone_A13_B11) {
  World world;
  world.stock(1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.ask("b", reserve("u2", 1));
  world.ask("c", reserve("u3", 1));
  world.clock.advance(Duration(1000));
  world.step();
  EXPECT_EQ(world.verdicts.size(), 5U);
  EXPECT_EQ(to_text(world.verdicts[3]), "overloaded");
  EXPECT_EQ(to_text(world.verdicts[4]), "overloaded");
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  world.settle();
  EXPECT_EQ(world.verdicts.size(), 5U) << "what the read finds later is told nobody";
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "sold_out unrecorded");
}

TEST(Gated, ALookUpThatTakesTooLongIsCertainlyNotDone_A13_B11) {
  World world;
  world.stock(1);
  world.ask("a", reserve("u1", 1));
  world.clock.advance(Duration(1000));
  world.step();
  EXPECT_EQ(to_text(world.verdicts.back()), "overloaded");
  world.settle();
  EXPECT_EQ(world.available(), 1);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
}

// Once the judge has begun nobody can tell any more whether something was done.
TEST(Gated, WhatTheJudgeDoesNotAnswerInTimeIsUnknown_A13) {
  World world;
  world.stock(1);
  world.ask("a", reserve("u1", 1));
  world.gate_reads.step();
  world.step();
  EXPECT_EQ(world.lane.waiting(), 1U);
  world.during_batch = [&] {
    world.clock.advance(Duration(5000));
    world.step();
    EXPECT_EQ(to_text(world.verdicts.back()), "outcome_unknown");
    EXPECT_TRUE(world.pipeline.in_process({Caller("shop"), RequestKey("a")}));
  };
  world.settle();
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  EXPECT_EQ(world.gate_client.unsettled(), 0U);
  EXPECT_EQ(world.verdicts.size(), 3U);
}

// Before it has, nothing was done, and the token goes back.
TEST(Gated, WhatWaitsForALaneThatHangsIsCertainlyNotDone_A13_G007) {
  World world;
  world.stock(1);
  world.ask("a", reserve("u1", 1));
  world.gate_reads.step();
  world.step();
  EXPECT_EQ(world.lane.waiting(), 1U);
  world.clock.advance(Duration(1001));
  world.step();
  EXPECT_EQ(to_text(world.verdicts.back()), "overloaded");
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  EXPECT_EQ(world.lane.waiting(), 0U);
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "reserved");
  EXPECT_EQ(world.gate_client.unsettled(), 0U);
}

// The same requests, one after the other, with and without the gate, whatever the gate does. Keys that the
// closed gate turned away are not used again: there the two may differ, for its no is no result of the key
// (A9).
class TwoWorlds {
 public:
  explicit TwoWorlds(std::uint64_t seed) : gated(true, seed), direct(false, seed), script_(seed) {
    const auto units = static_cast<std::int64_t>(script_.below(5));
    const auto buckets = static_cast<std::int32_t>(1 + script_.below(4));
    for (World* world : {&gated, &direct}) world->stock(units, buckets);
    gated.gate.faults = script_.chance(3, 4);
  }

  void one_request() {
    std::string key = "k" + std::to_string(script_.below(80));
    if (turned_away_.contains(key)) key += "." + std::to_string(gated.verdicts.size());
    const rules::Act act = draw_act();
    std::string by_gate = gated.tell(key, act);
    const std::string by_judge = direct.tell(key, act);
    if (by_gate == "sold_out unrecorded") {
      turned_away_.insert(key);
      by_gate = "sold_out";
    }
    EXPECT_EQ(by_gate, by_judge) << "request " << gated.verdicts.size() << ", key " << key;
    EXPECT_EQ(gated.available(), direct.available());
    if (script_.chance(1, 6)) {
      const Duration pause(static_cast<std::int64_t>(script_.below(40'000)));
      for (World* world : {&gated, &direct}) world->clock.advance(pause);
    }
  }

  std::size_t turned_away() const { return turned_away_.size(); }

  World gated;
  World direct;

 private:
  rules::Act draw_act() {
    const auto wanted = static_cast<std::int64_t>(1 + script_.below(3));
    const std::string user = "u" + std::to_string(script_.below(20));
    const std::uint64_t die = script_.below(10);
    const std::optional<rules::OrderId> order = gated.verdicts[script_.below(gated.verdicts.size())].order;
    if (die == 0) return rules::Receive{SkuCode("tee"), Quantity{wanted}};
    if (die == 1 && order) return rules::Cancel{*order};
    if (die == 2 && order) return rules::Confirm{*order};
    return reserve(user, wanted);
  }

  Random script_;
  std::set<std::string> turned_away_;
};

TEST(Gated, AnUnreliableGateChangesNoAnswer_A1_I18) {
  std::size_t turned_away = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TwoWorlds worlds(seed);
    for (int i = 0; i < 120; ++i) worlds.one_request();
    turned_away += worlds.turned_away();
    EXPECT_TRUE(judge::audit(worlds.gated.reader())->clean());
    if (HasFailure()) return;
  }
  EXPECT_GT(turned_away, 300U);  // Else the gate was hardly there.
}

// Bursts of 20 times the stock through an unreliable gate: every unit is sold and none twice (U4).
TEST(Gated, ABurstSellsEveryUnitWhateverTheGateDoes_U4) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(true, seed);
    const auto units = static_cast<std::int64_t>(1 + world.random.below(12));
    world.stock(units, static_cast<std::int32_t>(1 + world.random.below(4)));
    world.gate.faults = seed % 4 != 0;
    for (int i = 0; i < 20 * units; ++i) {
      world.ask("k" + std::to_string(i), reserve("u" + std::to_string(i), 1));
      if (world.random.chance(1, 5)) world.lane.step();
      if (world.random.chance(1, 5)) world.gate_reads.step();
    }
    world.settle();
    const auto sold = std::ranges::count(world.verdicts, Outcome::reserved, &Verdict::outcome);
    EXPECT_EQ(sold, units);
    EXPECT_EQ(world.available(), 0);
    EXPECT_EQ(static_cast<std::int64_t>(world.verdicts.size()), 2 + 20 * units);
    EXPECT_TRUE(judge::audit(world.reader())->clean());
    // After healing the gate equals the judge: one refresh by anyone, here by the next verdicts.
    EXPECT_EQ(world.pipeline.in_flight(), 0U);
  }
}

// A database that fails at any call, commits with lost answers among them: whoever was told "busy" or
// "unknown" asks again with his key, and in the end every unit is sold once and no token is left (A13, I9).
TEST(Gated, ADatabaseThatFailsCostsNoUnitAndNoToken_A13_U4) {
  int lost_commits = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(true, seed);
    const auto units = static_cast<std::int64_t>(2 + world.random.below(10));
    world.stock(units, static_cast<std::int32_t>(1 + world.random.below(4)));
    world.gate.faults = seed % 2 == 0;
    world.failing = true;
    std::int64_t sold = 0;
    std::vector<std::string> open;
    for (int i = 0; i < 10 * units; ++i) open.push_back("k" + std::to_string(i));
    for (int round = 0; round < 200 && !open.empty(); ++round) {
      world.failing = round < 100;
      const std::size_t before = world.verdicts.size();
      std::vector<std::string> asked;
      for (const std::string& key : open) {
        asked.push_back(key);
        world.tell(key, reserve("user-" + key, 1));
      }
      open.clear();
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const Outcome outcome = world.verdicts[before + i].outcome;
        sold += outcome == Outcome::reserved ? 1 : 0;
        const bool settled = outcome == Outcome::reserved || outcome == Outcome::sold_out;
        if (!settled) open.push_back(asked[i]);
      }
    }
    world.failing = false;
    world.gate.faults = false;
    EXPECT_TRUE(open.empty()) << open.size() << " have no answer";
    // An answer that was lost was given again to whoever asked for it, so each unit has one.
    EXPECT_EQ(sold, units);
    EXPECT_EQ(world.available(), 0);
    EXPECT_EQ(world.pipeline.in_flight(), 0U);
    EXPECT_TRUE(judge::audit(world.reader())->clean());
    lost_commits += world.lost_commits;
  }
  EXPECT_GT(lost_commits, 5) << "else hardly a commit was in doubt";
}

}  // namespace
}  // namespace gavel::pipeline
