// Refresh over a gate in memory (A15, A16): drift is told with its direction and repaired, and nothing else
// is.
#include "jobs/refresh.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gate/memory_gate.h"
#include "gate/statements.h"
#include "gate/testing/gate_wrapper.h"
#include "judge/judge.h"
#include "judge/memory/store.h"

namespace gavel::jobs {
namespace {

using gate::BucketKey;
using gate::Drift;
using rules::Quantity;
using rules::SkuCode;

constexpr rules::Incarnation incarnation{Uuid{{5}}};

// The memory gate, which may keep its answers to itself for a while, or not answer.
class SlowGate final : public gate::GateWrapper {
 public:
  explicit SlowGate(gate::Gate& inner) : GateWrapper(inner) {}

  void read(const BucketKey& key, ReadCallback done) override {
    if (lost) return done(fail(ErrorCode::unavailable, "no reply in time"));
    if (slow) return kept_.emplace_back(key, std::move(done)), void();
    GateWrapper::read(key, std::move(done));
  }

  void answer() {
    for (auto& [key, done] : std::exchange(kept_, {})) GateWrapper::read(key, std::move(done));
  }

  bool slow = false;
  bool lost = false;

 private:
  std::vector<std::pair<BucketKey, ReadCallback>> kept_;
};

class RefreshWorld {
 public:
  // SKUs s1, s2 …, each with a free item of so many units in two buckets; all of them gated and at the gate.
  explicit RefreshWorld(const std::vector<std::int64_t>& units) {
    for (const std::int64_t count : units) {
      const std::string sku = "s" + std::to_string(gated.size() + 1);
      does(rules::PutSku{SkuCode(sku), 2});
      if (count > 0) does(rules::Receive{SkuCode(sku), Quantity{count}});
      gated.push_back(item(gated.size() + 1).id);
      state(gated.back());
    }
  }

  void does(rules::Act act) {
    const rules::RequestKey key("k" + std::to_string(++asked_));
    const auto verdicts = judge_.apply(
        std::vector{rules::Command{rules::Caller("operator"), key, rules::OrderId{}, std::move(act)}});
    ASSERT_TRUE(verdicts.has_value() && traits(verdicts->at(0).outcome).act);
  }

  rules::Item item(std::size_t number) {
    return reader_->stock(SkuCode("s" + std::to_string(number))).value()->at(0).item;
  }

  // What a refresh of this very moment would state.
  void state(rules::ItemId id) {
    const auto then = reader_->item_history(id, {});
    for (const gate::PendingStatement& owed : gate::statements_of_refresh(*then->item))
      say(id, owed.bucket, owed.statement);
  }

  void say(rules::ItemId id, rules::BucketNo bucket, const gate::Statement& statement) {
    gate.say({incarnation, id, bucket}, gate::to_state(statement), [](const Result<gate::Reply>&) {});
  }

  void erase(rules::ItemId id, rules::BucketNo bucket) {
    gate.erase({incarnation, id, bucket}, [](const Result<void>&) {});
  }

  std::string shown(rules::ItemId id, rules::BucketNo bucket) {
    std::string text;
    gate.read({incarnation, id, bucket}, [&](const auto& seen) { text = gate::to_text(*seen); });
    return text;
  }

  // "more", or "passed" at the end of a pass.
  std::string step() {
    const auto step = refresh.step();
    if (!step) return step.error().message;
    return *step == Refresh::Step::more ? "more" : "passed";
  }

  // How many buckets had drifted in each direction so far: "too_much 1".
  std::string drifts() {
    std::string all;
    const std::string text = metrics.text();
    for (const Drift drift :
         {Drift::missing, Drift::too_little, Drift::too_much, Drift::closed, Drift::beyond}) {
      const std::string name =
          "gavel_jobs_refresh_drift_total{direction=\"" + std::string(word(drift)) + "\"} ";
      const std::size_t at = text.find(name);
      const std::string count = text.substr(at + name.size(), text.find('\n', at) - at - name.size());
      if (count != "0") all += (all.empty() ? "" : ", ") + std::string(word(drift)) + " " + count;
    }
    return all;
  }

  std::vector<rules::ItemId> gated;
  gate::MemoryGate memory_gate;
  SlowGate gate{memory_gate};
  MetricsRegistry metrics;

 private:
  VirtualClock clock_{*parse_time("2026-01-01T00:00:00Z")};
  std::unique_ptr<Log> log_ = Log::silent();
  std::shared_ptr<judge::MemoryDatabase> database_ = judge::make_memory_database();
  std::unique_ptr<judge::Store> store_ = judge::open_memory_store(database_, clock_);
  std::unique_ptr<judge::Reader> reader_ = judge::open_memory_reader(database_, clock_);
  judge::Judge judge_{*store_, *log_, Random(1), [](Duration) {}, rules::Policy{}, judge::JudgeLimits{}};
  int asked_ = 0;

 public:
  Refresh refresh{*reader_, gate, incarnation, [this] { return gated; }, *log_, metrics};
};

TEST(Refresh, AGateThatShowsWhatTheJudgeHasIsLeftAsItIs) {
  RefreshWorld world({7, 0});
  const std::string before = world.shown(world.gated[0], 0) + world.shown(world.gated[1], 1);
  EXPECT_EQ(world.step(), "passed");
  EXPECT_EQ(world.shown(world.gated[0], 0) + world.shown(world.gated[1], 1), before);
  EXPECT_EQ(world.drifts(), "");
}

// Each kind of drift in the first of two buckets, by its direction; afterwards the gate shows what the judge
// has.
TEST(Refresh, DriftIsToldWithItsDirectionAndRepaired_A15_A17) {
  using Spoil = void (*)(RefreshWorld&, rules::ItemId);
  struct Row {
    std::string direction;
    std::int64_t units;
    Spoil spoil;
  };
  // The item has seq 1 and 4 units in the first bucket, 3 in the second, generation 2; empty: 0 and 0, 1.
  const Row rows[] = {
      {"missing 1", 7, [](RefreshWorld& w, rules::ItemId id) { w.erase(id, 0); }},
      {"too_little 1", 7,
       [](RefreshWorld& w, rules::ItemId id) { w.say(id, 0, {gate::Position{1, Quantity{2}}, 2, 1}); }},
      {"too_much 1", 7,
       [](RefreshWorld& w, rules::ItemId id) { w.say(id, 0, {gate::Position{1, Quantity{9}}, 2, 1}); }},
      {"too_much 1", 0,
       [](RefreshWorld& w, rules::ItemId id) { w.say(id, 0, {gate::Position{0, Quantity{1}}, 1, 1}); }},
      {"closed 1", 7, [](RefreshWorld& w, rules::ItemId id) { w.say(id, 0, {std::nullopt, 2, 2}); }},
      {"beyond 1", 7,
       [](RefreshWorld& w, rules::ItemId id) { w.say(id, 0, {gate::Position{2, Quantity{4}}, 2, 1}); }},
      {"beyond 1", 7, [](RefreshWorld& w, rules::ItemId id) { w.say(id, 0, {std::nullopt, 3, 1}); }},
  };
  for (const Row& row : rows) {
    RefreshWorld world({row.units});
    const rules::ItemId id = world.gated[0];
    const std::string sound = world.shown(id, 0);
    row.spoil(world, id);
    EXPECT_NE(world.shown(id, 0), sound) << row.direction;
    EXPECT_EQ(world.step(), "passed");
    EXPECT_EQ(world.drifts(), row.direction);
    EXPECT_EQ(world.shown(id, 0), sound) << row.direction;
    world.step();
    EXPECT_EQ(world.drifts(), row.direction) << "a second pass finds nothing";
  }
}

TEST(Refresh, ABucketThatLagsIsBroughtOnAndHasNotDrifted) {
  RefreshWorld world({7});
  world.does(rules::Receive{SkuCode("s1"), Quantity{5}});
  EXPECT_EQ(world.shown(world.gated[0], 0), "seq=1 avail=4 open=2 shut=1 in_flight=0");
  EXPECT_EQ(world.step(), "passed");
  EXPECT_EQ(world.shown(world.gated[0], 0), "seq=2 avail=6 open=2 shut=1 in_flight=0");
  EXPECT_EQ(world.drifts(), "");
}

TEST(Refresh, AnItemThatIsGatedNoLongerIsLeftAlone) {
  RefreshWorld world({7});
  const rules::ItemId id = world.gated[0];
  world.gate.slow = true;
  EXPECT_EQ(world.step(), "more");
  world.erase(id, 0);
  world.gated.clear();
  world.gate.answer();
  EXPECT_EQ(world.step(), "passed");
  EXPECT_EQ(world.shown(id, 0), "");  // The gate is slow still …
  world.gate.slow = false;
  EXPECT_EQ(world.shown(id, 0), "missing");
  EXPECT_EQ(world.drifts(), "");
}

TEST(Refresh, WorksInBoundedStepsThroughEveryItem_B9) {
  RefreshWorld world(std::vector<std::int64_t>(2 * refresh_items_max + 1, 3));
  for (const rules::ItemId id : world.gated) world.erase(id, 1);
  EXPECT_EQ(world.step(), "more");
  EXPECT_EQ(world.drifts(), "missing " + std::to_string(refresh_items_max));
  EXPECT_EQ(world.step(), "more");
  EXPECT_EQ(world.step(), "passed");
  EXPECT_EQ(world.drifts(), "missing " + std::to_string(world.gated.size()));
}

TEST(Refresh, AGateThatDoesNotAnswerIsAskedAgainByTheNextPass) {
  RefreshWorld world({7});
  world.erase(world.gated[0], 0);
  world.gate.lost = true;
  EXPECT_EQ(world.step(), "passed");
  EXPECT_EQ(world.drifts(), "");
  world.gate.lost = false;
  EXPECT_EQ(world.step(), "passed");
  EXPECT_EQ(world.drifts(), "missing 1");
}

}  // namespace
}  // namespace gavel::jobs
