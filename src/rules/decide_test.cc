#include "rules/decide.h"

#include <functional>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

using Given = std::function<void(World&)>;

void nothing(World&) {}

void tee(World& w) { w.sku("tee", {2, 3}); }

void tee_and_cap(World& w) { w.sku("tee", {5}).sku("cap", {1}); }

void held(World& w) { w.sku("tee", {5}).does(want("ann", "tee*2")); }

void at_cap(World& w) {
  held(w);
  w.policy.hold_lengths_max = 1;
}

void draft(World& w) { w.sku("tee", {5}).does(sale("sale", "tee*3").limit(2)); }

void open_sale(World& w) {
  draft(w);
  w.does(opening("sale"));
}

void held_of_sale(World& w) {
  open_sale(w);
  w.does(want("ann", "tee*2").in("sale")), w.does(want("bob", "tee*1").in("sale"));
}

void all_sold(World& w) { w.sku("tee", {2}).does(want("ann", "tee*2").at_once()); }

void broken_tee(World& w) {
  tee_and_cap(w);
  w.bucket("tee").available = Quantity{-1};
  w.tampered();
}

void unseen_tee(World& w) {
  w.sku("tee", {2}).does(want("ann", "tee*1")).does(want("bob", "tee*1")).passes(minutes(15));
  w.due_orders_max = 1;
}

// The same command under the key "k", which stands for something else.
void key_of_another(World& w) {
  tee(w);
  w.ask_as("other", key_of(noon), want("ann", "tee*1"));
}

struct Row {
  Outcome outcome;
  Given given;
  Act act;
  std::string verdict;
  std::string stock;
  std::string key = "k";
};

// In order of their numbers. The stock is what it was wherever the verdict is a no.
// table: one row per outcome that decide() gives.
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {Outcome::reserved, tee, want("ann", "tee*2"), "reserved expires_at=12:15:00.000 order=#1",
       "tee: 2/0/0 | 1/2/0 g1"},
      {Outcome::sold, tee, want("ann", "tee*2").at_once(), "sold order=#1", "tee: 2/0/0 | 1/0/2 g1"},
      {Outcome::confirmed, held, confirm_of(1), "confirmed order=#1", "tee: 3/0/2 g1"},
      {Outcome::cancelled, held, cancel_of(1), "cancelled order=#1", "tee: 5/0/0 g1"},
      {Outcome::expired, [](World& w) { held(w), w.passes(minutes(15)); }, expire_of(1), "expired order=#1",
       "tee: 5/0/0 g1"},
      {Outcome::received, tee, receipt("tee", 4), "received", "tee: 5/0/0 | 4/0/0 g1"},
      {Outcome::created, nothing, put("tee", 2), "created", "tee: 0/0/0 | 0/0/0 g1"},
      {Outcome::changed, tee, put("tee", 2), "changed", "tee: 2/0/0 | 3/0/0 g1"},
      {Outcome::opened, draft, opening("sale"), "opened", "tee: 2/0/0 g1\ntee@sale: 3/0/0 g2"},
      {Outcome::closed, open_sale, closing("sale"), "closed", "tee: 5/0/0 g1\ntee@sale: 0/0/0 g2"},
      {Outcome::refunded, [](World& w) { held(w), w.does(confirm_of(1)); }, refund_of(1, "tee*1"),
       "refunded state=partly_refunded order=#1", "tee: 4/0/1 g1"},
      {Outcome::adjusted, tee, adjust_of("tee", -4), "adjusted version=4", "tee: 1/0/0 | 0/0/0 g1"},
      {Outcome::counted, held, count_of("tee", 6, 2), "counted version=3", "tee: 4/2/0 g1"},
      {Outcome::extended, held, extend_of(1, minutes(20)), "extended expires_at=12:20:00.000 order=#1",
       "tee: 3/2/0 g1"},
      {Outcome::warmed, draft, warming("sale"), "warmed", "tee: 5/0/0 g1\ntee@sale: 0/0/0 g1"},
      {Outcome::verified, [](World& w) { draft(w), w.does(warming("sale")); }, checking("sale"), "verified",
       "tee: 5/0/0 g1\ntee@sale: 0/0/0 g1"},
      {Outcome::shipped, [](World& w) { held(w), w.does(confirm_of(1)); }, ship_of(1, "tee*1"),
       "shipped state=partly_shipped order=#1", "tee: 3/0/1/1 g1"},
      {Outcome::malformed, tee, want("ann", "tee*0"),
       "malformed explanation='quantity: must be 1 to 1000000'", "tee: 2/0/0 | 3/0/0 g1"},
      {Outcome::overloaded, unseen_tee, want("cyd", "tee*2"), "overloaded", "tee: 1/1/0 g2"},
      {Outcome::key_in_use, key_of_another, want("ann", "tee*1"), "key_in_use", "tee: 2/0/0 | 2/1/0 g1",
       key_of(noon)},
      {Outcome::key_reused, [](World& w) { tee(w), w.ask_with("k", want("ann", "tee*1")); },
       want("ann", "tee*2"), "key_reused field=lines", "tee: 2/0/0 | 2/1/0 g1"},
      {Outcome::key_too_old, tee, want("ann", "tee*1"), "key_too_old", "tee: 2/0/0 | 3/0/0 g1",
       key_of(noon - hours(49))},
      {Outcome::unknown_activity, tee, want("ann", "tee*1").in("sale"), "unknown_activity",
       "tee: 2/0/0 | 3/0/0 g1"},
      {Outcome::unknown_sku, tee, want("ann", "hat*1 tee*1"), "unknown_sku sku=hat", "tee: 2/0/0 | 3/0/0 g1"},
      {Outcome::unknown_order, tee, confirm_of(7), "unknown_order", "tee: 2/0/0 | 3/0/0 g1"},
      {Outcome::already_shipped, [](World& w) { held(w), w.does(confirm_of(1)).does(ship_of(1)); },
       ship_of(1), "already_shipped order=#1", "tee: 3/0/0/2 g1"},
      {Outcome::frozen, broken_tee, want("ann", "cap*1 tee*1"), "frozen sku=tee",
       "tee: -1/0/0 g1\ncap: 1/0/0 g1"},
      {Outcome::not_open,
       [](World& w) {
         w.sku("tee", {5}).does(sale("sale", "tee*3").from(noon + seconds(1))).does(opening("sale"));
       },
       want("ann", "tee*1").in("sale"), "not_open opens_at=12:00:01.000",
       "tee: 2/0/0 g1\ntee@sale: 3/0/0 g2"},
      {Outcome::over, [](World& w) { open_sale(w), w.does(closing("sale")); },
       want("ann", "tee*1").in("sale"), "over", "tee: 5/0/0 g1\ntee@sale: 0/0/0 g2"},
      {Outcome::version_conflict, held, count_of("tee", 6, 1), "version_conflict version=2", "tee: 3/2/0 g1"},
      {Outcome::already_confirmed, [](World& w) { held(w), w.does(confirm_of(1)); }, cancel_of(1),
       "already_confirmed order=#1", "tee: 3/0/2 g1"},
      {Outcome::already_cancelled, [](World& w) { held(w), w.does(cancel_of(1)); }, confirm_of(1),
       "already_cancelled order=#1", "tee: 5/0/0 g1"},
      {Outcome::hold_expired, [](World& w) { held(w), w.passes(minutes(15)).does(expire_of(1)); },
       confirm_of(1), "hold_expired order=#1", "tee: 5/0/0 g1"},
      {Outcome::illegal_transition, open_sale, opening("sale"), "illegal_transition state=open",
       "tee: 2/0/0 g1\ntee@sale: 3/0/0 g2"},
      {Outcome::limit_reached, [](World& w) { open_sale(w), w.does(want("ann", "tee*1").in("sale")); },
       want("ann", "tee*2").in("sale"), "limit_reached sku=tee allowed=2 claimed=1 claimed_by=#1",
       "tee: 2/0/0 g1\ntee@sale: 2/1/0 g2"},
      {Outcome::hold_capped, at_cap, extend_of(1, hours(1)), "hold_capped expires_at=12:15:00.000 order=#1",
       "tee: 3/2/0 g1"},
      {Outcome::sold_out, all_sold, want("bob", "tee*1"), "sold_out sku=tee", "tee: 0/0/2 g1"},
      {Outcome::insufficient, tee_and_cap, want("ann", "cap*2 tee*1"), "insufficient sku=cap available=1",
       "tee: 5/0/0 g1\ncap: 1/0/0 g1"},
  };
  return all;
}

TEST(DecideTest, OneRowPerOutcomeInOrderOfPrecedence) {
  Outcome last{};
  for (const Row& row : rows()) {
    SCOPED_TRACE(word(row.outcome));
    EXPECT_LT(last, row.outcome) << "the rows are in order, each outcome once";
    last = row.outcome;
    World world;
    row.given(world);
    const Verdict verdict = world.decide_one("shop", row.key, row.act);
    EXPECT_EQ(verdict.outcome, row.outcome);
    EXPECT_EQ(World::brief(verdict), row.verdict);
    EXPECT_EQ(world.stock(), row.stock);
    EXPECT_EQ(verdict.at, world.now);
    EXPECT_EQ(verdict.record, traits(row.outcome).recorded ? Record::fresh : Record::no);
  }
}

TEST(DecideTest, EveryOutcomeIsGivenByTheJudgeOrBelongsToTheEntrance) {
  const std::set<Outcome> of_the_entrance = {
      Outcome::key_missing,     Outcome::unauthenticated, Outcome::forbidden,
      Outcome::rate_limited,    Outcome::not_ready,       Outcome::key_in_flight,
      Outcome::unknown_request, Outcome::outcome_unknown, Outcome::mismatch};
  std::set<Outcome> seen = of_the_entrance;
  for (const Row& row : rows()) seen.insert(row.outcome);
  for (const OutcomeTraits& outcome : all_outcomes())
    EXPECT_TRUE(seen.contains(outcome.outcome)) << outcome.word;
}

TEST(DecideTest, ARefusalChangesNothingButTheRecordOfItself) {
  for (const Row& row : rows()) {
    if (traits(row.outcome).act || row.outcome == Outcome::overloaded) continue;
    SCOPED_TRACE(word(row.outcome));
    World world;
    row.given(world);
    const std::string before = world.everything();
    const std::size_t records = world.state.requests.size() + world.state.orders_as_requests.size();
    world.ask_with(row.key, row.act);
    EXPECT_EQ(world.everything(), before);
    const std::size_t made = world.state.requests.size() + world.state.orders_as_requests.size() - records;
    EXPECT_EQ(made, traits(row.outcome).recorded ? 1U : 0U);
  }
}

TEST(DecideTest, AskedAgainEveryActAndEveryRecordedRefusalAnswersTheSameAndDoesNothing_A9) {
  for (const Row& row : rows()) {
    if (!traits(row.outcome).recorded || is_internal(row.act)) continue;
    SCOPED_TRACE(word(row.outcome));
    World world;
    row.given(world);
    Verdict first = world.decide_one("shop", row.key, row.act);
    const std::string before = world.everything();
    world.passes(hours(3));
    const Verdict again = world.decide_one("shop", row.key, row.act);
    EXPECT_EQ(again.record, Record::replayed);
    first.record = Record::replayed;
    EXPECT_EQ(again, first);
    EXPECT_EQ(world.everything(), before);
  }
}

// Two refusals that hold at once, the one with the lower number first.
struct Pair {
  Outcome lower;
  Outcome higher;
  Given given;
  Act act;
  std::string key = "k";
};

// A world in which the key "k" is recorded for another request before `given` goes on.
Given with_k(Given given) {
  return [given = std::move(given)](World& w) {
    w.ask_with("k", put("mug"));
    given(w);
  };
}

// An order, made under a plain key, whose id is that of the key asked with.
void order_under_old_key(World& w) {
  tee(w);
  w.load_due();
  Command command = w.command("shop", "plain", want("ann", "tee*1"));
  command.new_order_id = OrderId{*parse_uuid(key_of(noon - hours(49)))};
  EXPECT_EQ(decide(w.state, command, w.now, w.policy).outcome, Outcome::reserved);
  w.end_batch();
}

void draft_of_broken_tee(World& w) {
  draft(w);
  w.bucket("tee@sale").sold = Quantity{-1};
  w.tampered();
}

void sold_out_sale_at_limit(World& w) {
  w.sku("tee", {5}).does(sale("sale", "tee*2").limit(1)).does(opening("sale"));
  w.does(want("ann", "tee*1").in("sale")).does(want("bob", "tee*1").in("sale"));
}

void short_of_both(World& w) {
  w.sku("cap", {1}).sku("tee", {1}).does(want("ann", "tee*1")).does(sale("sale", "cap*5 tee*1"));
}

// table: the pairs in order of their numbers.
const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {Outcome::malformed, Outcome::key_reused, with_k(tee), want("ann", "tee*0")},
      {Outcome::malformed, Outcome::key_too_old, tee, want("ann", "tee*0"), key_of(noon - hours(49))},
      {Outcome::malformed, Outcome::unknown_activity, nothing, want("ann", "tee*0").in("sale")},
      {Outcome::malformed, Outcome::unknown_sku, nothing, receipt("tee", 0)},
      {Outcome::key_in_use, Outcome::key_reused, key_of_another, want("bob", "tee*1"), key_of(noon)},
      {Outcome::key_in_use, Outcome::key_too_old, order_under_old_key, want("ann", "tee*1"),
       key_of(noon - hours(49))},
      {Outcome::key_in_use, Outcome::unknown_activity, key_of_another, want("ann", "tee*1").in("sale"),
       key_of(noon)},
      {Outcome::key_reused, Outcome::unknown_activity, with_k(tee), want("ann", "tee*1").in("sale")},
      {Outcome::key_reused, Outcome::unknown_order, with_k(tee), confirm_of(9)},
      {Outcome::key_reused, Outcome::sold_out, with_k(all_sold), want("ann", "tee*1")},
      {Outcome::key_too_old, Outcome::unknown_activity, tee, want("ann", "tee*1").in("sale"),
       key_of(noon - hours(49))},
      {Outcome::key_too_old, Outcome::unknown_sku, nothing, want("ann", "tee*1"), key_of(noon - hours(49))},
      {Outcome::key_too_old, Outcome::unknown_order, nothing, cancel_of(1), key_of(noon - hours(49))},
      {Outcome::unknown_activity, Outcome::unknown_sku, nothing, want("ann", "tee*1").in("sale")},
      {Outcome::unknown_sku, Outcome::frozen, broken_tee, want("ann", "hat*1 tee*1")},
      {Outcome::unknown_sku, Outcome::not_open, draft, want("ann", "cap*1").in("sale")},
      {Outcome::unknown_sku, Outcome::illegal_transition, draft, sale("sale", "hat*1")},
      {Outcome::unknown_sku, Outcome::frozen,
       [](World& w) {
         held(w), w.does(confirm_of(1)), w.sku("cap", {1});
         w.bucket("tee").sold = Quantity{-1}, w.tampered();
       },
       refund_of(1, "cap*1 tee*1")},
      {Outcome::unknown_sku, Outcome::already_confirmed,
       [](World& w) { held(w), w.does(confirm_of(1)), w.sku("cap", {1}); }, confirm_of(1, "cap*1")},
      {Outcome::unknown_sku, Outcome::illegal_transition, [](World& w) { held(w), w.sku("cap", {1}); },
       refund_of(1, "cap*1")},
      {Outcome::frozen, Outcome::insufficient,
       [](World& w) { held(w), w.does(confirm_of(1)), w.bucket("tee").sold = Quantity{-1}, w.tampered(); },
       refund_of(1, "tee*3")},
      {Outcome::unknown_sku, Outcome::version_conflict, nothing, count_of("tee", 1, 9)},
      {Outcome::frozen, Outcome::version_conflict, broken_tee, count_of("tee", 1, 9)},
      {Outcome::frozen, Outcome::insufficient, broken_tee, adjust_of("tee", -9)},
      {Outcome::version_conflict, Outcome::insufficient, held, count_of("tee", 1, 9)},
      {Outcome::already_confirmed, Outcome::insufficient, [](World& w) { held(w), w.does(confirm_of(1)); },
       confirm_of(1, "tee*3")},
      {Outcome::illegal_transition, Outcome::insufficient, held, refund_of(1, "tee*3")},
      {Outcome::frozen, Outcome::not_open, draft_of_broken_tee, want("ann", "tee*1").in("sale")},
      {Outcome::frozen, Outcome::sold_out, broken_tee, want("ann", "tee*1")},
      {Outcome::frozen, Outcome::over,
       [](World& w) { draft_of_broken_tee(w), w.state.activities.begin()->second.closes_at = noon; },
       opening("sale")},
      {Outcome::frozen, Outcome::hold_expired,
       [](World& w) {
         held(w), w.passes(minutes(15)), w.bucket("tee").reserved = Quantity{-1}, w.tampered();
       },
       confirm_of(1)},
      {Outcome::frozen, Outcome::illegal_transition,
       [](World& w) {
         open_sale(w), w.does(closing("sale")), w.bucket("tee").sold = Quantity{-1}, w.tampered();
       },
       closing("sale")},
      {Outcome::frozen, Outcome::hold_capped,
       [](World& w) { at_cap(w), w.bucket("tee").reserved = Quantity{-1}, w.tampered(); },
       extend_of(1, hours(1))},
      {Outcome::unknown_sku, Outcome::frozen,
       [](World& w) { held(w), w.bucket("tee").reserved = Quantity{-1}, w.tampered(); },
       change_of(1, "hat*1")},
      {Outcome::unknown_sku, Outcome::already_confirmed, [](World& w) { held(w), w.does(confirm_of(1)); },
       change_of(1, "hat*1")},
      {Outcome::frozen, Outcome::over,
       [](World& w) {
         held_of_sale(w), w.does(closing("sale")), w.bucket("tee@sale").sold = Quantity{-1}, w.tampered();
       },
       change_of(1, "tee*9")},
      {Outcome::over, Outcome::limit_reached, [](World& w) { held_of_sale(w), w.does(closing("sale")); },
       change_of(1, "tee*9")},
      {Outcome::already_cancelled, Outcome::sold_out,
       [](World& w) { held(w), w.does(cancel_of(1)), w.does(want("bob", "tee*5")); }, change_of(1, "tee*9")},
      {Outcome::already_confirmed, Outcome::hold_capped, [](World& w) { at_cap(w), w.does(confirm_of(1)); },
       extend_of(1, hours(1))},
      {Outcome::hold_expired, Outcome::hold_capped,
       [](World& w) { at_cap(w), w.passes(minutes(15)).does(expire_of(1)); }, extend_of(1, hours(1))},
      {Outcome::limit_reached, Outcome::sold_out, held_of_sale, change_of(1, "tee*9")},
      {Outcome::not_open, Outcome::limit_reached, draft, want("ann", "tee*9").in("sale")},
      {Outcome::not_open, Outcome::sold_out, draft, want("ann", "tee*1").in("sale")},
      {Outcome::over, Outcome::limit_reached, [](World& w) { open_sale(w), w.does(closing("sale")); },
       want("ann", "tee*9").in("sale")},
      {Outcome::over, Outcome::sold_out,
       [](World& w) { all_sold(w), w.does(sale("sale", "tee*1").until(noon)); }, opening("sale")},
      {Outcome::illegal_transition, Outcome::sold_out,
       [](World& w) { w.sku("tee", {5}).does(sale("sale", "tee*5")).does(opening("sale")); },
       opening("sale")},
      {Outcome::limit_reached, Outcome::sold_out, sold_out_sale_at_limit, want("ann", "tee*1").in("sale")},
      {Outcome::limit_reached, Outcome::insufficient, open_sale, want("ann", "tee*9").in("sale")},
      {Outcome::sold_out, Outcome::insufficient, short_of_both, want("bob", "cap*5 tee*1")},
      {Outcome::sold_out, Outcome::insufficient, short_of_both, opening("sale")},
  };
  return all;
}

TEST(DecideTest, WhereTwoRefusalsHoldAtOnceTheLowerNumberIsGiven) {
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(std::string(word(pair.lower)) + " before " + std::string(word(pair.higher)));
    EXPECT_LT(pair.lower, pair.higher);
    World world;
    pair.given(world);
    const std::string before = world.everything();
    EXPECT_EQ(word(world.decide_one("shop", pair.key, pair.act).outcome), word(pair.lower));
    EXPECT_EQ(world.everything(), before);
  }
}

TEST(DecideTest, AGenerationRisesWithStockThatReturnsAndMarksItsRowAlone) {
  constexpr Quantity huge{std::numeric_limits<std::int64_t>::max()};
  struct Step {
    std::vector<Quantity> before, after;
    bool rises;
  };
  const Step steps[] = {
      {{no_units, no_units}, {no_units, Quantity{1}}, true},
      {{no_units}, {no_units}, false},
      {{Quantity{1}}, {Quantity{2}}, false},
      {{Quantity{1}, no_units}, {no_units, Quantity{1}}, false},
      {{Quantity{1}}, {no_units}, false},
      {{huge, huge}, {huge, huge}, false},  // Untouched by this batch; such numbers cannot even be added.
  };
  for (const RowState row_state : {RowState::clean, RowState::inserted}) {
    State state;
    for (const Step& row : steps) {
      Item item{.id = ItemId{state.counters.next_item++}, .sku = SkuId{1}, .buckets = {}, .loaded = {}};
      for (const Quantity units : row.before) item.loaded.push_back(Bucket{units, no_units, no_units, 0});
      for (const Quantity units : row.after) item.buckets.push_back(Bucket{units, no_units, no_units, 0});
      item.row_state = row_state;
      state.items.emplace(item.id, item);
    }
    raise_generations(state);
    for (const auto& [id, item] : state.items) {
      const bool rises = steps[static_cast<std::size_t>(id.value - 1)].rises;
      EXPECT_EQ(item.generation, rises ? 2 : 1) << id.value;
      EXPECT_EQ(item.row_state, rises && row_state == RowState::clean ? RowState::updated : row_state)
          << id.value;
    }
  }
}

TEST(DecideDeathTest, OnlyTheReleaseOfDueHoldsCarriesNoKey) {
  World world;
  Command command = world.command("gavel", "", expire_of(1));
  EXPECT_EQ(World::brief(decide(world.state, command, noon, world.policy)), "unknown_order");
  command.act = cancel_of(1);
  EXPECT_DEATH(decide(world.state, command, noon, world.policy), "CHECK failed");
}

}  // namespace
}  // namespace gavel::rules
