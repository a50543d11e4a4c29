// Modes, and the life of an activity in front of its opening (B12, D1).
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using enum Mode;

TEST(ModesTest, TheActivitysGoesBeforeTheSkusAndBothBeforeTheServices_D1) {
  struct Row {
    Mode activity, sku, of_service, holds;
  };
  const Row rows[] = {
      {service, service, direct, direct}, {service, service, gated, gated}, {service, gated, direct, gated},
      {service, direct, gated, direct},   {gated, direct, direct, gated},   {direct, gated, gated, direct},
  };
  for (const Row& row : rows) EXPECT_EQ(effective(row.activity, row.sku, row.of_service), row.holds);
  for (const Mode mode : {service, direct, gated}) EXPECT_EQ(parse_mode(word(mode)), mode);
  EXPECT_EQ(parse_mode("queued"), std::nullopt);
}

TEST(ModesTest, ASkusModeIsSetAndStaysWhereItIsLeftOut_D1) {
  World world;
  const auto mode = [&] { return world.state.skus.at(SkuCode("tee")).mode; };
  world.does(put("tee", 2));
  EXPECT_EQ(mode(), service);
  EXPECT_EQ(world.ask(set_mode("tee", gated)), "changed");
  EXPECT_EQ(mode(), gated);
  world.does(put("tee", 3));
  EXPECT_EQ(mode(), gated);
  world.does(set_mode("tee", service));
  EXPECT_EQ(mode(), service);
  EXPECT_EQ(world.item("tee").in_use(), 3U);
  world.does(set_mode("cap", direct));
  EXPECT_EQ(world.state.skus.at(SkuCode("cap")).mode, direct);
  EXPECT_EQ(world.state.skus.at(SkuCode("cap")).bucket_count, 1);
}

Act gated_sale() {
  CreateActivity act = sale("sale", "tee*2").act;
  act.mode = gated;
  return act;
}

// Each act in each state in front of the opening, of an activity that is gated and of one that is not; and
// what a change makes of the state.
TEST(ModesTest, EveryActInEveryState_B12) {
  struct Row {
    std::string state;
    std::function<void(World&)> bring;
    std::string warm, check, open_gated, open_direct, close, change;
  };
  const Row rows[] = {
      {"none", [](World&) {}, "unknown_activity", "unknown_activity", "unknown_activity", "unknown_activity",
       "unknown_activity", "unknown_activity"},
      {"draft", [](World&) {}, "warmed", "illegal_transition state=draft", "illegal_transition state=draft",
       "opened", "closed", "changed state=draft"},
      {"warmed", [](World& w) { w.does(warming("sale")); }, "warmed", "verified",
       "illegal_transition state=warmed", "opened", "closed", "changed state=draft"},
      {"verified", [](World& w) { w.does(warming("sale")).does(checking("sale")); }, "warmed", "verified",
       "opened", "opened", "closed", "changed state=draft"},
      {"open", [](World& w) { w.does(warming("sale")).does(checking("sale")).does(opening("sale")); },
       "illegal_transition state=open", "illegal_transition state=open", "illegal_transition state=open",
       "illegal_transition state=open", "closed", "changed state=open"},
      {"closed", [](World& w) { w.does(closing("sale")); }, "illegal_transition state=closed",
       "illegal_transition state=closed", "illegal_transition state=closed",
       "illegal_transition state=closed", "illegal_transition state=closed",
       "illegal_transition state=closed"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.state);
    const auto answer = [&](const Act& made, const Act& act) {
      World world;
      world.sku("tee", {5});
      if (row.state != "none") world.does(made);
      row.bring(world);
      return world.ask(act);
    };
    const Act direct_sale = sale("sale", "tee*2").act;
    EXPECT_EQ(answer(gated_sale(), warming("sale")), row.warm);
    EXPECT_EQ(answer(gated_sale(), checking("sale")), row.check);
    EXPECT_EQ(answer(gated_sale(), opening("sale")), row.open_gated);
    EXPECT_EQ(answer(direct_sale, opening("sale")), row.open_direct);
    EXPECT_EQ(answer(gated_sale(), closing("sale")), row.close);
    EXPECT_EQ(answer(gated_sale(), change("sale", std::nullopt, gated)), row.change);
  }
}

TEST(ModesTest, WhoeverMakesAnActivityGatedMustVerifyIt_B12_D1) {
  const std::string unverified = "illegal_transition state=draft";
  World by_service;
  by_service.policy.mode = gated;
  by_service.sku("tee", {5}).does(sale("sale", "tee*2"));
  EXPECT_EQ(by_service.ask(opening("sale")), unverified);
  World by_sku;
  by_sku.sku("tee", {5}).does(set_mode("tee", gated)).does(sale("sale", "tee*2"));
  EXPECT_EQ(by_sku.ask(opening("sale")), unverified);
  by_sku.does(change("sale", std::nullopt, direct));
  EXPECT_EQ(by_sku.ask(opening("sale")), "opened");
}

TEST(ModesTest, AChangeMakesAVerifiedActivityADraftAgain_B12) {
  World world;
  world.sku("tee", {5}).does(gated_sale()).does(warming("sale")).does(checking("sale"));
  world.does(change("sale", 2));
  EXPECT_EQ(world.ask(opening("sale")), "illegal_transition state=draft");
  world.does(warming("sale")).does(checking("sale")).does(opening("sale"));
  world.does(change("sale", std::nullopt, direct));
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale").at_once()), "sold order=#1") << "open it stays open";
}

TEST(ModesTest, AVerifiedActivityPastItsEndIsOver_B131) {
  World world;
  CreateActivity act = std::get<CreateActivity>(gated_sale());
  act.closes_at = noon + std::chrono::hours(1);
  world.sku("tee", {5}).does(act).does(warming("sale")).does(checking("sale"));
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "not_open");
  world.passes(std::chrono::hours(1));
  EXPECT_EQ(world.ask(opening("sale")), "over");
  EXPECT_EQ(world.ask(want("ann", "tee*1").in("sale")), "over");
}

}  // namespace
}  // namespace gavel::rules
