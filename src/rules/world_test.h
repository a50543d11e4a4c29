// World: a small shop for the tests of rules/, its whole state in memory, each request a batch of its own.
//
//   World world;
//   world.sku("tee", {2, 3});                              // Two buckets.
//   EXPECT_EQ(world.ask(want("ann", "tee*2")), "reserved expires_at=12:15:00.000 order=#1");
//   EXPECT_EQ(world.stock(), "tee: 0/2/0 | 3/0/0 g1");
//
// Every batch is watched: the invariants hold, and the generations are those of their definition, counted
// here anew. Orders are named #1, #2, … in the order in which they were asked for; times are those of one
// day.
#pragma once

#include <chrono>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "rules/command.h"
#include "rules/decide.h"
#include "rules/state.h"

namespace gavel::rules {

inline constexpr Time noon{std::chrono::milliseconds{1'795'953'600'000}};  // 2026-11-29T12:00:00.000Z
inline constexpr std::chrono::milliseconds tick{1};
inline constexpr std::chrono::minutes hold_time{15};

// The id of the order that is named #number.
OrderId order_id(std::int64_t number);

// A version 7 UUID of that time as a request key, told apart by `number`.
std::string key_of(Time time, std::uint64_t number = 1);

// "tee*2 cap*1" as lines.
Lines lines_of(std::string_view text);

// A reserve act, written fluently: want("ann", "tee*2").in("sale").at_once().
struct Want {
  Reserve act;
  Want& in(std::string_view activity);
  Want& held_for(std::chrono::seconds hold);
  Want& at_once();
  operator Act() const { return act; }  // NOLINT(google-explicit-constructor): rows of tests list acts.
};
Want want(std::string_view user, std::string_view lines);

// A draft of an activity: sale("sale", "tee*5").limit(2).
struct Sale {
  CreateActivity act;
  Sale& limit(std::int64_t units);
  Sale& from(Time opens_at);
  Sale& until(Time closes_at);
  Sale& holding(std::chrono::seconds hold);
  Sale& buckets(std::int32_t count);
  operator Act() const { return act; }  // NOLINT(google-explicit-constructor): rows of tests list acts.
};
Sale sale(std::string_view code, std::string_view allotments);

inline Act confirm_of(std::int64_t order) { return Confirm{order_id(order)}; }
// Some lines of an order alone; the rest returns.
inline Act confirm_of(std::int64_t order, std::string_view lines) {
  return Confirm{order_id(order), lines_of(lines)};
}
inline Act cancel_of(std::int64_t order) { return Cancel{order_id(order)}; }
inline Act extend_of(std::int64_t order, std::optional<std::chrono::seconds> length = {}) {
  return Extend{order_id(order), length};
}
inline Act change_of(std::int64_t order, std::string_view lines) {
  return ChangeOrder{order_id(order), lines_of(lines)};
}
inline Act forget_of(std::string_view caller, std::string_view key) {
  return Forget{Caller(caller), RequestKey(key)};
}
// All that is left of the order, or some lines.
inline Act refund_of(std::int64_t order, std::string_view lines = "") {
  return Refund{order_id(order), lines_of(lines), Restock::yes};
}
inline Act write_off_of(std::int64_t order, std::string_view lines = "") {
  return Refund{order_id(order), lines_of(lines), Restock::no};
}
// The same of what lies here, or of what the buyer has.
inline Act refund_from(RefundFrom from, std::int64_t order, std::string_view lines = "",
                       Restock restock = Restock::yes) {
  return Refund{order_id(order), lines_of(lines), restock, from};
}
inline Act ship_of(std::int64_t order, std::string_view lines = "") {
  return Ship{order_id(order), lines_of(lines)};
}
inline Act expire_of(std::int64_t order) { return Expire{order_id(order)}; }
inline Act put(std::string_view sku, std::int32_t buckets = 1) { return PutSku{SkuCode(sku), buckets}; }
inline Act rebalance_of(ItemId item) { return Rebalance{item}; }
inline Act set_mode(std::string_view sku, Mode mode) { return PutSku{SkuCode(sku), std::nullopt, mode}; }
inline Act change(std::string_view code, std::optional<std::int32_t> buckets, std::optional<Mode> mode = {}) {
  return ChangeActivity{ActivityCode(code), buckets, mode};
}
inline Act warming(std::string_view code) { return WarmActivity{ActivityCode(code)}; }
inline Act checking(std::string_view code) { return CheckActivity{ActivityCode(code)}; }
inline Act receipt(std::string_view sku, std::int64_t units) {
  return Receive{SkuCode(sku), Quantity{units}};
}
inline Act adjust_of(std::string_view sku, std::int64_t difference, std::string reason = "found") {
  return Adjust{SkuCode(sku), Quantity{difference}, std::move(reason)};
}
inline Act count_of(std::string_view sku, std::int64_t counted, std::int64_t version) {
  return Count{SkuCode(sku), Quantity{counted}, version};
}
inline Act opening(std::string_view code) { return OpenActivity{ActivityCode(code)}; }
inline Act closing(std::string_view code) { return CloseActivity{ActivityCode(code)}; }

// An act of Gavel itself, without a request key.
bool is_internal(const Act& act);

class World {
 public:
  State state;
  Time now = noon;
  Policy policy;
  // How many due holds of one item a batch gets to see.
  std::size_t due_orders_max = std::numeric_limits<std::size_t>::max();
  std::vector<Flow> ledger;  // Of all batches.

  // A SKU with so many units available in each bucket.
  World& sku(std::string_view code, std::initializer_list<std::int64_t> available);
  // The same by act; the verdict has to be a yes.
  World& does(const Act& act);
  World& passes(Duration duration);

  // Decides one command as a batch; a key of its own unless one is given.
  Verdict decide_one(const Act& act);
  Verdict decide_one(std::string_view caller, std::string_view key, const Act& act);
  std::string ask(const Act& act) { return brief(decide_one(act)); }
  std::string ask_with(std::string_view key, const Act& act) { return brief(decide_one("shop", key, act)); }
  std::string ask_as(std::string_view caller, std::string_view key, const Act& act) {
    return brief(decide_one(caller, key, act));
  }

  // The parts of decide_one, for batches of several commands and for commands made by hand.
  Command command(std::string_view caller, std::string_view key, const Act& act);
  void load_due();
  void end_batch();

  // What a batch may change beyond the record of requests, as text: stock, orders, quotas, activities.
  std::string everything();
  // "tee: 2/1/0 | 3/0/0 g2", an activity's item as "tee@sale: …", a bucket that is short by two as "0/3/0-2",
  // one of which buyers have five as "0/3/0/5";
  // all items, one a line, without the argument.
  std::string stock(std::string_view name = "");
  std::string orders();  // "#1 held ann tee/0*2"; what has returned and was shipped as "… tee/0*4-1>2"
  std::string quotas();  // "ann tee@sale 1/2 by #1"

  // The verdict's text with the short names of orders and times.
  static std::string brief(const Verdict& verdict) { return brief(to_text(verdict)); }
  static std::string brief(std::string text);

  Item& item(std::string_view name);  // "tee", "tee@sale"
  Bucket& bucket(std::string_view name, std::size_t index = 0) { return item(name).buckets[index]; }
  // Makes what a test changed by hand the numbers that the next batch loads.
  void tampered();
  Order& order(std::int64_t number) { return state.orders.at(order_id(number)); }

 private:
  std::string name_of(const Item& item) const;

  std::int64_t asked_ = 0;
  std::int64_t keys_ = 0;
};

}  // namespace gavel::rules
