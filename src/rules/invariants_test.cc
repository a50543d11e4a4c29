// One noun: the invariants.
#include "rules/invariants.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Of one batch before it is stored: ann's order #1 was held before and is paid in it, bob's #2 is made in it,
// an activity with a limit was opened and drawn from, and of dan's #4, sold before, one unit is refunded.
World batch() {
  World world;
  world.sku("tee", {5, 5}).does(want("ann", "tee*2")).does(sale("sale", "tee*3").limit(2));
  world.sku("cap", {3}).does(want("dan", "cap*3").at_once());
  const Act acts[] = {confirm_of(1), want("bob", "tee*1"), opening("sale"), want("cyd", "tee*2").in("sale"),
                      refund_of(2, "cap*1")};
  for (const Act& act : acts) {
    const std::string key = "b" + std::to_string(world.state.flows.size());
    const Verdict verdict = decide(world.state, world.command("shop", key, act), world.now, world.policy);
    EXPECT_TRUE(traits(verdict.outcome).act) << World::brief(verdict);
  }
  return world;
}

Flow& flow(World& w, Action action) { return *std::ranges::find(w.state.flows, action, &Flow::action); }

struct Doctored {
  std::string broken;
  std::function<void(World&)> by;
};

// table: one row per thing that an invariant watches.
const std::vector<Doctored>& doctored() {
  static const std::vector<Doctored> all = {
      {"nothing_negative: bucket 1/0 has a negative number",
       [](World& w) { w.bucket("tee").available = Quantity{-1}; }},
      {"nothing_negative: bucket 1/1 has a negative number",
       [](World& w) { w.bucket("tee", 1).reserved = Quantity{-1}; }},
      {"nothing_negative: bucket 2/0 has a negative number",
       [](World& w) { w.bucket("tee@sale").sold = Quantity{-1}; }},
      {"nothing_negative: bucket 1/0 has a flow that goes below zero",
       [](World& w) { flow(w, Action::reserve).after = Quantity{-1}; }},
      {"nothing_negative: bucket 1/1 has a negative number",
       [](World& w) { w.bucket("tee", 1).shortage = Quantity{-1}; }},
      {"shortage_is_owed: item 1 is short and has units available",
       [](World& w) { w.bucket("tee").shortage = Quantity{1}; }},
      {"shortage_is_owed: item 1 is short of more units than its orders have",
       [](World& w) {
         for (Bucket& bucket : w.item("tee").buckets) bucket = {no_units, {1}, no_units, bucket.seq, {2}};
       }},
      {"flows_explain_buckets: item 1 has other buckets than were loaded",
       [](World& w) { w.item("tee").buckets.pop_back(); }},
      {"flows_explain_buckets: item 1 has other buckets than were loaded",
       [](World& w) { w.item("tee").retired = 2; }},
      {"flows_explain_buckets: item 1 has other buckets than were loaded",
       [](World& w) { w.item("tee").retired = -1; }},
      {"flows_explain_buckets: a flow names a bucket that is not loaded",
       [](World& w) { flow(w, Action::reserve).bucket = 2; }},
      {"flows_explain_buckets: a flow names a bucket that is not loaded",
       [](World& w) { flow(w, Action::move_in).item = ItemId{99}; }},
      {"flows_explain_buckets: bucket 1/0 has a flow of zero units",
       [](World& w) { flow(w, Action::reserve).quantity = no_units; }},
      {"flows_explain_buckets: bucket 1/0 has a gap in seq",
       [](World& w) { ++flow(w, Action::reserve).seq; }},
      {"flows_explain_buckets: bucket 1/0 has a flow with a wrong `before`",
       [](World& w) { flow(w, Action::reserve).before += Quantity{1}; }},
      {"flows_explain_buckets: bucket 1/0 has a flow with a wrong `after`",
       [](World& w) { flow(w, Action::reserve).after += Quantity{1}; }},
      {"flows_explain_buckets: bucket 1/0 does not match its flows",
       [](World& w) { w.bucket("tee").available += Quantity{1}; }},
      {"flows_explain_buckets: bucket 1/1 does not match its flows",
       [](World& w) { w.bucket("tee", 1).sold -= Quantity{1}; }},
      {"flows_explain_buckets: bucket 2/1 does not match its flows",
       [](World& w) { ++w.bucket("tee@sale", 1).seq; }},
      {"flows_explain_buckets: bucket 4/0 does not match its flows",
       [](World& w) {
         Item item = w.item("tee");
         item.id = ItemId{4};
         item.loaded = item.buckets = {Bucket{Quantity{4}, no_units, no_units, 1}};
         item.row_state = RowState::inserted;
         w.state.items.emplace(item.id, item);
       }},
      {"moves_sum_to_zero: the moves of SKU number 1 sum to -3",
       [](World& w) {
         for (Flow& row : w.state.flows) {
           if (row.action == Action::move_in) row.action = Action::receive;
         }
       }},
      {"moves_sum_to_zero: the moves of SKU number 1 sum to -3",
       [](World& w) { w.item("tee@sale").sku = SkuId{2}; }},
      {"quota_within_limit: user cyd claims 3 of 2",
       [](World& w) { w.state.quotas.begin()->second.claimed = Quantity{3}; }},
      {"quota_within_limit: user cyd claims -1 of 2",
       [](World& w) { w.state.quotas.begin()->second.claimed = Quantity{-1}; }},
      {"orders_match_flows: order #1 is cancelled, its flows say otherwise",
       [](World& w) { w.order(1).state = OrderState::cancelled; }},
      {"orders_match_flows: order #1 is paid, its flows say otherwise",
       [](World& w) { w.order(1).row_state = RowState::clean; }},
      {"orders_match_flows: order #3 is paid, its flows say otherwise",
       [](World& w) { w.order(3).state = OrderState::paid; }},
      {"orders_go_forward: order #3 is changed and was never loaded",
       [](World& w) { w.order(3).row_state = RowState::updated; }},
      {"orders_match_flows: order #3 is held, its flows say otherwise",
       [](World& w) { w.order(3).taken[0].quantity += Quantity{1}; }},
      {"orders_match_flows: order #3 is held, its flows say otherwise",
       [](World& w) { w.order(3).taken[0].bucket = 1 - w.order(3).taken[0].bucket; }},
      {"orders_match_flows: order #3 is held, its flows say otherwise",
       [](World& w) { w.order(3).taken.clear(); }},
      {"orders_match_flows: a flow names order #3, which is not loaded",
       [](World& w) { w.state.orders.erase(order_id(3)); }},
      {"orders_match_flows: order #1 is paid, its flows say otherwise",
       [](World& w) { flow(w, Action::confirm).order.reset(); }},
      {"orders_match_flows: order #2 is partly_refunded, its flows say otherwise",
       [](World& w) { flow(w, Action::refund).order.reset(); }},
      {"orders_match_flows: order #2 is partly_refunded, its flows say otherwise",
       [](World& w) { w.order(2).returned[0].quantity += Quantity{1}; }},
      {"orders_match_flows: order #2 is partly_refunded, its flows say otherwise",
       [](World& w) { w.order(2).returned.clear(); }},
      {"orders_match_flows: order #2 is partly_refunded, its flows say otherwise",
       [](World& w) { w.order(2).taken[0].quantity -= Quantity{1}; }},
      {"orders_match_flows: order #2 is cancelled, its flows say otherwise",
       [](World& w) { w.order(2).state = OrderState::cancelled; }},
      {"orders_go_forward: order #2 has other units than its state says",
       [](World& w) {
         for (const Quantity units : {Quantity{2}, Quantity{-2}}) {
           w.order(2).returned.push_back({w.item("cap").id, 0, units});
         }
       }},
      {"orders_go_forward: order #2 has other units than its state says",
       [](World& w) { w.order(2).state = OrderState::refunded; }},
      {"orders_go_forward: order #1 is changed without a new revision",
       [](World& w) { w.order(1).revision = w.order(1).loaded->revision; }},
      {"orders_go_forward: order #2 went from refunded to partly_refunded",
       [](World& w) {
         w.order(2).loaded->state = OrderState::refunded;  // Units of which are sold as well.
       }},
  };
  return all;
}

TEST(InvariantsTest, EachNamesWhatIsWrong) {
  World sound = batch();
  EXPECT_EQ(first_broken(sound.state), std::nullopt);
  std::set<std::string> named;
  for (const Doctored& row : doctored()) {
    World world = batch();
    row.by(world);
    EXPECT_EQ(World::brief(first_broken(world.state).value_or("nothing")), row.broken);
    named.insert(row.broken.substr(0, row.broken.find(':')));
  }
  for (const Invariant& invariant : batch_invariants())
    EXPECT_TRUE(named.contains(std::string(invariant.name)));
  EXPECT_EQ(batch_invariants().size(), named.size());
}

TEST(InvariantsTest, EachCanBeAskedAloneOfAnyState) {
  for (const Doctored& row : doctored()) {
    World world = batch();
    row.by(world);
    bool broken = false;
    for (const Invariant& invariant : batch_invariants()) broken |= invariant.broken(world.state).has_value();
    EXPECT_TRUE(broken) << row.broken;
  }
}

TEST(InvariantsTest, WhatNobodyTouchedIsNotJudged_B9) {
  World world;
  world.sku("tee", {5}).does(sale("sale", "tee*3").limit(2)).does(opening("sale"));
  world.does(want("ann", "tee*1").in("sale"));
  world.bucket("tee").available = Quantity{-5};
  world.state.quotas.begin()->second.claimed = Quantity{9};
  world.order(1).taken[0].quantity = Quantity{7};
  world.tampered();
  EXPECT_EQ(first_broken(world.state), std::nullopt);
}

// A tiny shop under random commands, one seed.
class RandomShop {
 public:
  explicit RandomShop(std::uint64_t seed) : random_(seed) {
    world_.due_orders_max = 1 + pick(4);
    for (const char* code : {"tee", "cap"}) {
      std::vector<std::int64_t> stock(1 + pick(3));
      for (std::int64_t& units : stock) units = static_cast<std::int64_t>(pick(4));
      if (stock.size() == 1) world_.sku(code, {stock[0]});
      if (stock.size() == 2) world_.sku(code, {stock[0], stock[1]});
      if (stock.size() == 3) world_.sku(code, {stock[0], stock[1], stock[2]});
    }
  }

  // One batch: every verdict of it is checked against the stock as it was, and its end by World.
  void batch() {
    world_.passes(seconds(pick(20)));
    world_.load_due();
    for (std::size_t i = 1 + pick(6); i > 0; --i) one();
    world_.end_batch();
  }

  // The ledger alone rebuilds every number, each order's units are where it says, and claims are what holds
  // and sales carry (C3, I13).
  void expect_whole() {
    std::map<std::pair<ItemId, BucketNo>, Bucket> rebuilt;
    std::int64_t received = 0;
    for (const Flow& flow : world_.ledger) {
      Bucket& bucket = rebuilt[{flow.item, flow.bucket}];
      EXPECT_EQ(flow.seq, ++bucket.seq);
      const Effect effect = effect_of(flow.action);
      bucket.available.units += effect.available * flow.quantity.units;
      bucket.reserved.units += effect.reserved * flow.quantity.units;
      bucket.sold.units += effect.sold * flow.quantity.units;
      received += flow.action == Action::receive ? flow.quantity.units : 0;
      received += flow.action == Action::adjust_in ? flow.quantity.units : 0;
      const bool leaves = flow.action == Action::write_off || flow.action == Action::adjust_out;
      received -= leaves || flow.action == Action::fall_short ? flow.quantity.units : 0;
      bucket.shortage.units += effect.shortage * flow.quantity.units;
    }
    std::map<std::pair<ItemId, BucketNo>, Bucket> of_orders;
    std::map<QuotaKey, Quantity> claims;
    for (const auto& [id, order] : world_.state.orders) {
      const bool held = order.state == OrderState::held;
      for (const Allocation& part : order.kept()) {
        Bucket& bucket = of_orders[{part.item, part.bucket}];
        (held ? bucket.reserved : bucket.sold) += part.quantity;
      }
    }
    // What was refunded stays claimed (B3); what a hold gave back does not.
    for (const Flow& flow : world_.ledger) {
      if (!flow.order) continue;
      const Order& order = world_.state.orders.at(*flow.order);
      const QuotaKey key{order.activity, world_.state.item(flow.item).sku, order.user};
      if (!world_.state.quotas.contains(key)) continue;
      if (flow.action == Action::reserve || flow.action == Action::sell) claims[key] += flow.quantity;
      if (flow.action == Action::cancel || flow.action == Action::expire) claims[key] -= flow.quantity;
    }
    Quantity total;
    for (const auto& [id, item] : world_.state.items) {
      total += item.total() - item.shortage();
      EXPECT_TRUE(item.shortage() == no_units || item.available() == no_units);
      const Activity* activity = world_.state.find_activity(item.activity);
      EXPECT_TRUE(activity == nullptr || activity->state == ActivityState::open ||
                  item.available() == no_units);
      for (std::size_t i = 0; i < item.buckets.size(); ++i) {
        const std::pair bucket{id, static_cast<BucketNo>(i)};
        EXPECT_EQ(item.buckets[i], rebuilt[bucket]);
        EXPECT_EQ(item.buckets[i].reserved, of_orders[bucket].reserved);
        EXPECT_EQ(item.buckets[i].sold, of_orders[bucket].sold);
      }
    }
    EXPECT_EQ(total, Quantity{received}) << "no unit is made or lost";
    for (const auto& [key, quota] : world_.state.quotas) EXPECT_EQ(quota.claimed, claims[key]);
  }

  const std::map<Outcome, int>& counts() const { return counts_; }

 private:
  std::size_t pick(std::size_t bound) { return random_.below(bound); }
  std::string pick_of(std::initializer_list<const char*> words) { return words.begin()[pick(words.size())]; }

  Act act() {
    const auto order = static_cast<std::int64_t>(1 + pick(static_cast<std::size_t>(reserves_) + 1));
    switch (pick(26)) {
      case 0:
        return receipt(pick_of({"tee", "cap", "hat"}), static_cast<std::int64_t>(pick(4)));
      case 1:
        return sale(pick_of({"a", "b", "c", "d"}), pick_of({"tee*1", "tee*2 cap*1", "cap*3"})).limit(2);
      case 2:
        return sale(pick_of({"a", "b", "c", "d"}), pick_of({"tee*3", "cap*1"})).buckets(2);
      case 3:
        return opening(pick_of({"a", "b", "c", "d"}));
      case 4:
        return random_.chance(1, 4) ? closing(pick_of({"a", "b", "c", "d"})) : opening("a");
      case 5:
      case 6:
        return confirm_of(order);
      case 7:
      case 8:
        return cancel_of(order);
      case 9:
        return expire_of(order);
      case 10:
        return confirm_of(order, pick_of({"tee*1", "cap*1", "cap*1 tee*1", "tee*9"}));
      case 11:
        return refund_of(order, pick_of({"", "tee*1", "cap*1", "tee*2"}));
      case 13:
        return adjust_of(pick_of({"tee", "cap"}), static_cast<std::int64_t>(pick(7)) - 3);
      case 14:
        return count_of(pick_of({"tee", "cap"}), static_cast<std::int64_t>(pick(6)),
                        static_cast<std::int64_t>(pick(20)));
      case 12:
        return write_off_of(order, pick_of({"", "tee*1", "cap*1", "cap*1 tee*1"}));
      case 15:
        if (random_.chance(1, 3)) extended_ = std::max<std::int64_t>(1, reserves_);
        return extend_of(extended_, seconds(pick(3) * 120 + 1 + pick(20)));
      case 16:
      case 17:
      case 18:
        return change_of(order, pick_of({"tee*1", "tee*2", "tee*3", "cap*1", "cap*1 tee*1", "cap*2 tee*4"}));
      default:
        return reserve();
    }
  }

  Act reserve() {
    Want result = want(pick_of({"ann", "bob", "cyd"}),
                       pick_of({"tee*1", "tee*2", "tee*5", "cap*1", "cap*1 tee*1", "cap*2 tee*2", "hat*1"}));
    result.held_for(seconds(1 + pick(40)));
    if (random_.chance(1, 4)) result.at_once();
    if (random_.chance(1, 2)) result.in(pick_of({"a", "b", "c", "d"}));
    return result;
  }

  std::string key() {
    if (random_.chance(1, 10)) return "again-" + std::to_string(pick(20));
    if (random_.chance(1, 3)) return key_of(world_.now, ++keys_);
    return "key-" + std::to_string(++keys_);
  }

  void one() {
    const Act act = this->act();
    reserves_ += std::holds_alternative<Reserve>(act);
    const bool internal = is_internal(act);
    const Command command = world_.command("shop", internal ? "" : key(), act);
    const std::size_t flows = world_.state.flows.size();
    const Verdict verdict = decide(world_.state, command, world_.now, world_.policy);
    ++counts_[verdict.outcome];
    EXPECT_TRUE(verdict.record != Record::replayed || world_.state.flows.size() == flows);
    if (const auto* asked = std::get_if<Reserve>(&act); asked && verdict.record != Record::replayed) {
      expect_justified(*asked, verdict);
    }
    if (const auto* asked = std::get_if<ChangeOrder>(&act); asked && verdict.record != Record::replayed) {
      if (verdict.outcome == Outcome::changed) expect_holds(*verdict.order, asked->lines);
    }
  }

  // Of each SKU what the lines say, and of others nothing.
  void expect_holds(OrderId order, const Lines& lines) {
    std::map<SkuId, Quantity> sums;
    for (const Allocation& part : world_.state.orders.at(order).taken) {
      sums[world_.state.item(part.item).sku] += part.quantity;
    }
    EXPECT_EQ(sums.size(), lines.size());
    for (const Line& line : lines) {
      EXPECT_EQ(sums[world_.state.find_sku(line.sku)->id], line.quantity);
    }
  }

  // A refusal for lack of stock is given where stock lacks, counting holds that are past their time (C9, U3);
  // an order holds what was asked for.
  void expect_justified(const Reserve& asked, const Verdict& verdict) {
    if (verdict.outcome == Outcome::reserved || verdict.outcome == Outcome::sold) {
      expect_holds(*verdict.order, asked.lines);
    }
    if (verdict.outcome != Outcome::sold_out && verdict.outcome != Outcome::insufficient) return;
    const Item& item =
        world_.item(verdict.detail.sku->text() + (asked.activity ? "@" + asked.activity->text() : ""));
    Quantity wanted;
    for (const Line& line : asked.lines) wanted += line.sku == *verdict.detail.sku ? line.quantity : no_units;
    Quantity due;
    for (const auto& [id, order] : world_.state.orders) {
      if (order.state != OrderState::held || *order.expires_at > world_.now) continue;
      for (const Allocation& part : order.taken) due += part.item == item.id ? part.quantity : no_units;
    }
    EXPECT_LT(item.available() + due, wanted);
    EXPECT_EQ(item.available(), verdict.detail.available.value_or(no_units));
  }

  Random random_;
  World world_;
  std::map<Outcome, int> counts_;
  std::int64_t reserves_ = 0;
  std::int64_t extended_ = 1;
  std::uint64_t keys_ = 0;
};

TEST(InvariantsTest, TheyHoldAfterEachOfThousandsOfRandomBatchesAndNothingIsLost_C3_I1_I13) {
  std::map<Outcome, int> counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomShop shop(seed);
    for (int i = 0; i < 60; ++i) shop.batch();
    shop.expect_whole();
    for (const auto& [outcome, count] : shop.counts()) counts[outcome] += count;
    if (testing::Test::HasFailure()) break;
  }
  // The walk comes by everything that it could: none of its tests was empty.
  using enum Outcome;
  for (const Outcome outcome : {reserved,          sold,         confirmed,
                                cancelled,         expired,      received,
                                created,           opened,       closed,
                                refunded,          adjusted,     counted,
                                changed,           extended,     version_conflict,
                                malformed,         overloaded,   key_reused,
                                unknown_activity,  unknown_sku,  unknown_order,
                                not_open,          over,         already_confirmed,
                                already_cancelled, hold_expired, illegal_transition,
                                limit_reached,     hold_capped,  sold_out,
                                insufficient}) {
    EXPECT_GE(counts[outcome], 20) << word(outcome);
  }
}

}  // namespace
}  // namespace gavel::rules
