// What operators do about the gate while it turns people away: modes, buckets, warming and checking.
#include <string>

#include "judge/audit/audit.h"
#include "pipeline/gated_world_test.h"

namespace gavel::pipeline {
namespace {

// A7: the gate denies at the probes what the judge has elsewhere. It is sold, and the buckets even out, here
// and at the gate.
TEST(Gated, WhatTheProbesDeniedIsSoldAndTheBucketsEvenOut_A7) {
  World world;
  world.stock(8, 8);
  const auto taken = [&](int i) { return "t" + std::to_string(i); };
  for (int i = 0; world.available() > 4; ++i) world.tell(taken(i), reserve(taken(i), 1));
  // Respread over one bucket, and over four; then one order takes three of the four whole.
  EXPECT_EQ(world.tell("one", rules::PutSku{SkuCode("tee"), 1}), "changed");
  EXPECT_EQ(world.tell("two", rules::PutSku{SkuCode("tee"), 4}), "changed");
  EXPECT_EQ(world.gate_shows(), "1+1+1+1+0+0+0+0");
  world.tell("more", rules::Receive{SkuCode("tee"), Quantity{12}});
  world.clock.advance(Duration(1'000));  // A sale before may have asked for a rebalance within this second.
  EXPECT_EQ(world.tell("most", reserve("big", 12)), "reserved");
  EXPECT_EQ(world.available(), 4);
  world.settle();
  EXPECT_EQ(world.gate_shows(), "1+1+1+1+0+0+0+0");
  EXPECT_TRUE(judge::audit(world.reader())->clean());
}

// One bucket is full and the others are empty, as after a cancellation: whoever has his home elsewhere is
// sold a unit all the same, and at most one rebalance a second is asked for.
TEST(Gated, ARebalanceFollowsASaleThatTheGateDenied_A7) {
  World world;
  world.stock(6, 6);
  EXPECT_EQ(world.tell("all", reserve("big", 6)), "reserved");
  EXPECT_EQ(world.tell("fewer", rules::PutSku{SkuCode("tee"), 1}), "changed");
  EXPECT_EQ(world.tell("one-more", rules::Receive{SkuCode("tee"), Quantity{1}}), "received");
  EXPECT_EQ(world.tell("back", rules::Cancel{*world.verdicts[2].order}), "cancelled");
  EXPECT_EQ(world.gate_shows(), "2+1+1+1+1+1");
  world.clock.advance(std::chrono::seconds(1));  // A rebalance was asked for when all were sold.
  EXPECT_EQ(world.tell("three", reserve("u1", 3)), "reserved");
  EXPECT_EQ(world.gate_shows(), "4+0+0+0+0+0") << "what lay in buckets out of use has moved";
  EXPECT_EQ(world.tell("a", reserve("u2", 4)), "reserved");
  EXPECT_EQ(world.available(), 0);
  EXPECT_EQ(world.gate_client.unsettled(), 0U);
  EXPECT_TRUE(judge::audit(world.reader())->clean());
}

// A mode is obeyed from the commit on, and the gate keeps nothing of an item that is gated no longer (D1).
TEST(Gated, AModeIsObeyedWhileUnitsAreSold_D1) {
  World world(false);
  world.stock(4, 2);
  const int told = world.told;
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  EXPECT_EQ(world.gate.calls, 0);
  EXPECT_EQ(world.told, told) << "while nothing is gated the gate's side hears of no sale";
  EXPECT_TRUE(world.gate_client.gated_items().empty());
  EXPECT_EQ(world.tell("on", rules::PutSku{SkuCode("tee"), {}, Mode::gated}), "changed");
  EXPECT_EQ(world.gate_shows(), "?+?") << "a cold item has no keys";
  EXPECT_EQ(world.tell("b", reserve("u2", 1)), "reserved");
  EXPECT_EQ(world.gate_shows().find('?'), std::string::npos);
  EXPECT_EQ(world.gate_client.gated_items().size(), 1U);
  world.ask("c", reserve("u3", 1));  // With a token, at the judge.
  EXPECT_EQ(world.tell("off", rules::PutSku{SkuCode("tee"), {}, Mode::direct}), "changed");
  EXPECT_EQ(world.gate_shows(), "?+?");
  EXPECT_TRUE(world.gate_client.gated_items().empty());
  EXPECT_EQ(world.gate_client.unsettled(), 0U);
  EXPECT_EQ(world.tell("d", reserve("u4", 1)), "reserved");
  EXPECT_EQ(world.tell("e", reserve("u5", 1)), "sold_out") << "recorded, as without a gate";
  EXPECT_EQ(world.gate_shows(), "?+?");
  EXPECT_EQ(world.tell("on-again", rules::PutSku{SkuCode("tee"), {}, Mode::gated}), "changed");
  EXPECT_EQ(world.tell("f", reserve("u6", 1)), "sold_out unrecorded");
  EXPECT_EQ(world.gate_shows(), "0 closed+0 closed");
}

TEST(Gated, AnActivityMayBeGatedAloneOrNotBeGatedAlone_D1) {
  World gated;
  gated.stock(4);
  EXPECT_EQ(gated.tell("direct", create("drop", 1, Mode::direct)), "created");
  EXPECT_EQ(gated.tell("open", rules::OpenActivity{ActivityCode("drop")}), "opened");
  EXPECT_EQ(gated.tell("a", reserve("u1", 1, "drop")), "reserved");
  EXPECT_EQ(gated.tell("b", reserve("u2", 1, "drop")), "sold_out");
  EXPECT_EQ(gated.tell("change", rules::ChangeActivity{ActivityCode("drop"), {}, Mode::service}), "changed");
  EXPECT_EQ(gated.tell("c", reserve("u3", 1, "drop")), "sold_out unrecorded");
}

// A gate that fails at once is not asked for ever, and nobody waits for it (A10).
TEST(Gated, AGateThatGivesNoReplyRestsAndTheJudgeGoesOn_A10) {
  World world;
  world.stock(4);
  EXPECT_EQ(world.tell("a", reserve("u1", 1)), "reserved");
  world.gate.silent = true;
  const int before = world.gate.calls;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(world.tell("k" + std::to_string(i), reserve("v" + std::to_string(i), 1)), "reserved");
  }
  EXPECT_EQ(world.tell("late", reserve("u2", 1)), "sold_out") << "by the judge";
  EXPECT_LE(world.gate.calls - before, 8);
  world.gate.silent = false;
  EXPECT_EQ(world.tell("later", reserve("u3", 1)), "sold_out unrecorded");
  EXPECT_EQ(world.gate_shows(), "0 closed");
}

// An act that the gate holds up is under the deadline of all others, and may be tried again.
TEST(Gated, AWarmingThatTakesTooLongIsCertainlyNotDone_B12_B11) {
  World world;
  world.stock(4, 2);
  EXPECT_EQ(world.tell("draft", create("drop", 2)), "created");
  const rules::Act warm = rules::WarmActivity{ActivityCode("drop")};
  world.gate.kept.emplace();
  world.ask("warm", warm);
  world.settle();
  EXPECT_EQ(world.pipeline.in_flight(), 1U);
  world.clock.advance(Duration(1000));
  world.step();
  EXPECT_EQ(to_text(world.verdicts.back()), "overloaded");
  EXPECT_EQ(world.pipeline.in_flight(), 0U);
  world.release_kept_calls();
  EXPECT_EQ(world.tell("warm", warm), "warmed");
}

// A28: what its key had answered is deleted by then, so that the gate's word would be a second answer.
TEST(Gated, AKeyThatIsTooOldIsNotComparedAtTheGate_A28_B13) {
  World world;
  world.stock(4, 2);
  EXPECT_EQ(world.tell("draft", create("drop", 2)), "created");
  const rules::Act check = rules::CheckActivity{ActivityCode("drop")};
  Random random(1);
  const std::string old = to_text(make_uuid7(world.clock.now() - std::chrono::hours(49), random));
  const std::string young = to_text(make_uuid7(world.clock.now() - std::chrono::hours(47), random));
  EXPECT_EQ(world.tell("warm", rules::WarmActivity{ActivityCode("drop")}), "warmed");
  world.gate.erase({incarnation, world.row("drop").item.id, 1}, [](const Result<void>&) {});
  EXPECT_EQ(world.tell(young, check), "mismatch");
  EXPECT_EQ(world.tell(old, check), "key_too_old");
}

// B12: a gate that does not answer, and one that shows what the judge never said.
TEST(Gated, WarmAndCheckAnswerForTheGate_B12_B13) {
  World world;
  world.stock(4, 2);
  EXPECT_EQ(world.tell("draft", create("drop", 2)), "created");
  const rules::ItemId item = world.row("drop").item.id;
  const auto act = [&](const std::string& key, rules::Act one) { return world.tell(key, std::move(one)); };
  const rules::Act warm = rules::WarmActivity{ActivityCode("drop")};
  const rules::Act check = rules::CheckActivity{ActivityCode("drop")};
  const rules::Act open = rules::OpenActivity{ActivityCode("drop")};
  world.gate.silent = true;
  EXPECT_EQ(act("w1", warm), "not_ready");
  world.gate.silent = false;
  EXPECT_EQ(act("w1", warm), "warmed");
  world.gate.silent = true;
  EXPECT_EQ(act("c1", check), "not_ready");
  world.gate.silent = false;
  world.gate.erase({incarnation, item, 1}, [](const Result<void>&) {});
  EXPECT_EQ(act("c1", check), "mismatch");
  EXPECT_EQ(to_text(world.verdicts.back()), "mismatch sku=tee available=0 bucket=1");
  EXPECT_EQ(act("w2", warm), "warmed");
  EXPECT_EQ(act("c2", check), "verified");
  world.gate.say({incarnation, item, 0}, gate::to_state({gate::Position{9, Quantity{3}}, 4, 4}),
                 [](const Result<gate::Reply>&) {});
  EXPECT_EQ(act("c2", check), "verified again") << "its answer stands, whatever the gate shows";
  EXPECT_EQ(act("o1", open), "mismatch");
  EXPECT_EQ(to_text(world.verdicts.back()), "mismatch sku=tee available=0 bucket=0 at_gate=3");
  EXPECT_EQ(act("w3", warm), "warmed") << "it erases what is beyond";
  EXPECT_EQ(act("c3", check), "verified");
  EXPECT_EQ(act("o1", open), "opened");
  EXPECT_EQ(act("a", reserve("u1", 2, "drop")), "reserved");
  EXPECT_EQ(act("b", reserve("u2", 1, "drop")), "sold_out unrecorded");
  EXPECT_EQ(act("w4", warm), "illegal_transition");
}

}  // namespace
}  // namespace gavel::pipeline
