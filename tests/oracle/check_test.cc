// Each check finds what it is there for, and is silent on a shop in which nothing is wrong. A check that no
// row here trips is a defect, and fails the last test.
// One noun: the checks.
#include "oracle/check.h"

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/sound_test.h"

namespace gavel::oracle {
namespace {

struct Break {
  const char* check;
  const char* what;
  std::function<void(Scribe&)> act;
};
std::ostream& operator<<(std::ostream& out, const Break& row) { return out << row.check << ", " << row.what; }

Flow& flow(Scribe& shop, const std::string& key, const std::string& action) {
  return *std::ranges::find_if(shop.ledger.flows,
                               [&](const Flow& f) { return f.key == key && f.action == action; });
}

// Takes the place of what was answered to an attempt of `key`, and keeps its moments.
void answer(Scribe& shop, const std::string& key, std::size_t attempt,
            const std::function<void(Reply&)>& change) {
  const RequestId id{"shop", key};
  const Attempt& noted = shop.history.asked().at(id).attempts.at(attempt);
  Reply reply = noted.reply.value_or(Reply{});
  change(reply);
  shop.history.end({id, attempt}, noted.answered == never ? noted.call + 1 : noted.answered, reply);
}

void erase_flows(Scribe& shop, const std::function<bool(const Flow&)>& which) {
  std::erase_if(shop.ledger.flows, which);
}

Reply unrecorded(const std::string& outcome, const std::string& sku) {
  return Reply{.outcome = outcome, .sku = sku, .text = outcome};
}

// table: a row for each way to break the shop.
const std::vector<Break>& breaks() {
  static const std::vector<Break> rows{
      {"I1", "a row that is not what its flows say",
       [](Scribe& s) { ++s.ledger.buckets.at({1, 0}).available; }},
      {"I1", "a seq that is ahead of the flows", [](Scribe& s) { ++s.ledger.buckets.at({1, 0}).seq; }},
      {"I1", "a held order without its units", [](Scribe& s) { s.ledger.orders.at("H").taken.clear(); }},
      {"I1", "a sold unit that no order has", [](Scribe& s) { s.ledger.orders.erase("A"); }},
      {"I1", "units of a bucket that is not there", [](Scribe& s) { s.ledger.buckets.erase({3, 0}); }},
      {"I2", "more taken than was there",
       [](Scribe& s) {
         s.batch();
         s.post({3, 0}, "adjust_out", 1);
       }},
      {"I2", "a row below zero", [](Scribe& s) { s.ledger.buckets.at({1, 1}).reserved = -1; }},
      {"I2", "an item that is short and has units left",
       [](Scribe& s) {
         s.batch();
         s.post({1, 0}, "fall_short", 1);
       }},
      {"I2", "an item that is short of more than its orders have",
       [](Scribe& s) {
         s.item(9, "pen", "", 1);
         s.batch();
         s.post({9, 0}, "fall_short", 1);
       }},
      {"I2", "a payment of what was not short",
       [](Scribe& s) {
         s.batch();
         s.post({1, 0}, "make_good", 1);
       }},
      {"I3", "a move that loses a unit on its way",
       [](Scribe& s) { flow(s, "open", "move_in").quantity = 4; }},
      {"I4", "a gap in a chain", [](Scribe& s) { ++flow(s, "back", "refund").seq; }},
      {"I4", "a before that is not the after in front",
       [](Scribe& s) { ++flow(s, "back", "refund").before; }},
      {"I4", "an after where the action does not lead", [](Scribe& s) { ++flow(s, "back", "refund").after; }},
      {"I4", "a word that is no action", [](Scribe& s) { flow(s, "back", "refund").action = "gift"; }},
      {"I4", "a row that is gone",
       [](Scribe& s) { erase_flows(s, [](const Flow& f) { return f.key == "back"; }); }},
      {"I5", "a yes without an effect",
       [](Scribe& s) { erase_flows(s, [](const Flow& f) { return f.key == "x"; }); }},
      {"I5", "an order that is gone", [](Scribe& s) { s.ledger.orders.erase("X"); }},
      {"I5", "an order of somebody else", [](Scribe& s) { s.ledger.orders.at("X").user = "mallory"; }},
      {"I5", "an order of another activity", [](Scribe& s) { s.ledger.orders.at("A").activity = ""; }},
      {"I5", "an order with other units", [](Scribe& s) { s.ledger.orders.at("X").taken[0].quantity = 2; }},
      {"I5", "fewer units than were asked for", [](Scribe& s) { flow(s, "x", "reserve").quantity = 2; }},
      {"I5", "units of the wrong pool", [](Scribe& s) { flow(s, "a", "reserve").place = {1, 0}; }},
      {"I5", "a UUIDv7 key that is not its order's id",
       [](Scribe& s) { answer(s, uuid_key, 0, [](Reply& r) { r.order = "X"; }); }},
      {"I5", "a receipt of more than came", [](Scribe& s) { flow(s, "in-mug", "receive").quantity = 3; }},
      {"I5", "a confirmation of another order", [](Scribe& s) { flow(s, "pay", "confirm").order = "X"; }},
      {"I5", "a part that is not the one asked for",
       [](Scribe& s) { flow(s, "part", "confirm").quantity = 2; }},
      {"I5", "a cancellation of a part", [](Scribe& s) { s.ledger.orders.at("X").taken[0].quantity = 3; }},
      {"I5", "a refund of more than was asked", [](Scribe& s) { flow(s, "back", "refund").quantity = 2; }},
      {"I5", "a refund that writes off", [](Scribe& s) { flow(s, "back", "refund").action = "write_off"; }},
      {"I5", "an adjustment by another number",
       [](Scribe& s) { flow(s, "lost", "adjust_out").quantity = 1; }},
      {"I5", "a count that leaves another number",
       [](Scribe& s) { flow(s, "found", "adjust_in").quantity = 5; }},
      {"I5", "an opening that does not arrive", [](Scribe& s) { flow(s, "open", "move_in").place = {3, 0}; }},
      {"I5", "an opening that moves less than was allotted",
       [](Scribe& s) {
         Request create = asks("create", "create_activity");
         create.activity = "sale";
         create.lines = {{"tee", 6}};
         s.ask(create, told("created"));
       }},
      {"I5", "an order that is not as it was changed",
       [](Scribe& s) {
         Request change = upon("more", "change", "H");
         change.lines = {{"tee", 2}};
         s.ask(change, told("changed", "H"));
       }},
      {"I5", "an effect that nobody asked for",
       [](Scribe& s) {
         s.batch();
         s.post({3, 0}, "receive", 1, "", "ghost");
       }},
      {"I5", "an effect under another caller", [](Scribe& s) { flow(s, "x", "reserve").caller = "mallory"; }},
      {"I5", "an order that is unknown after it was acknowledged",
       [](Scribe& s) { s.ask(upon("where", "cancel", "X"), told("unknown_order")); }},
      {"I19", "an act upon an order of another account",
       [](Scribe& s) { s.ledger.orders.at("A").account = "kiosk"; }},
      {"I19", "an order of an operator that another account made",
       [](Scribe& s) {
         s.terms.operators = {"shop"};
         s.ledger.orders.at("A").account = "kiosk";
       }},
      {"I6", "a refusal that did something",
       [](Scribe& s) {
         s.batch();
         s.post({1, 0}, "receive", 1, "", "b");
       }},
      {"I6", "a busy signal that did something",
       [](Scribe& s) {
         s.batch();
         s.post({1, 0}, "receive", 1, "", "busy");
       }},
      {"I6", "a refused key with an order",
       [](Scribe& s) { s.ledger.orders[gone_key] = Order{"held", "dot", "", {}, {}, {}, {}}; }},
      {"I6", "a no that is remembered of something done",
       [](Scribe& s) { s.ledger.requests.at({"shop", "x"}).outcome = "sold_out"; }},
      {"I7", "one key in two batches",
       [](Scribe& s) {
         ++flow(s, "x", "reserve").n;
         s.post({1, 0}, "reserve", 1, "X", "x");
       }},
      {"I7", "two keys for one order",
       [](Scribe& s) { s.ask(wants("x2", "eve", {{"tee", 1}}), told("reserved", "X")); }},
      {"I7", "an order that is paid twice",
       [](Scribe& s) { s.ask(upon("pay3", "confirm", "A"), told("confirmed", "A")); }},
      {"I7", "an order that is cancelled twice",
       [](Scribe& s) { s.ask(upon("no2", "cancel", "X"), told("cancelled", "X")); }},
      {"I8", "a replay with another text",
       [](Scribe& s) { answer(s, "pay", 1, [](Reply& r) { r.text = "other"; }); }},
      {"I8", "a refusal that became a yes",
       [](Scribe& s) { s.ask(wants("b", "fay", {{"tee", 11}}), replay(told("reserved", "B"))); }},
      {"I8", "two first answers",
       [](Scribe& s) { answer(s, "pay", 1, [](Reply& r) { r.replayed = false; }); }},
      {"I8", "a replay of nothing",
       [](Scribe& s) { answer(s, "x", 0, [](Reply& r) { r.replayed = true; }); }},
      {"I8", "an answer that nothing remembers", [](Scribe& s) { s.ledger.requests.erase({"shop", "b"}); }},
      {"I8", "an answer that is remembered otherwise",
       [](Scribe& s) { s.ledger.requests.at({"shop", "b"}).outcome = "sold_out"; }},
      {"I9", "another answer after the first",
       [](Scribe& s) { s.ask(wants("x", "eve", {{"tee", 1}}), unrecorded("over", "")); }},
      {"I9", "a no after the effect, of which nobody was told",
       [](Scribe& s) {
         s.history.begin(wants("q", "quin", {{"tee", 1}}), ++s.now);
         s.batch();
         s.post({1, 0}, "reserve", 1, "Q", "q");
         s.ledger.flows.back().committed = ++s.now;
         s.ledger.orders["Q"] = Order{"held", "quin", "", {{{1, 0}, 1}}, {}, s.now + 1000, {}};
         s.ask(wants("q", "quin", {{"tee", 1}}), unrecorded("over", ""));
       }},
      {"I9", "certainly not done, and it was",
       [](Scribe& s) {
         const AttemptId busy = s.history.begin(wants("q", "quin", {{"tee", 1}}), ++s.now);
         s.batch();
         s.post({1, 0}, "reserve", 1, "Q", "q");
         s.ledger.flows.back().committed = ++s.now;
         s.ledger.orders["Q"] = Order{"held", "quin", "", {{{1, 0}, 1}}, {}, s.now + 1000, {}};
         s.history.end(busy, ++s.now, Reply{.outcome = "overloaded"});
         s.ask(wants("q", "quin", {{"tee", 1}}), replay(told("reserved", "Q")));
       }},
      {"I9", "a key that is said to be reused and is not",
       [](Scribe& s) { s.ask(wants("r", "ria", {{"tee", 1}}), unrecorded("key_reused", "")); }},
      {"I10", "a state that its rows do not lead to",
       [](Scribe& s) { s.ledger.orders.at("X").state = "held"; }},
      {"I10", "a state that is none", [](Scribe& s) { s.ledger.orders.at("X").state = "lost"; }},
      {"I10", "paid before it was held",
       [](Scribe& s) { std::swap(flow(s, "x", "reserve"), flow(s, "no", "cancel")); }},
      {"I10", "an answer that is not true",
       [](Scribe& s) { s.ask(upon("no3", "cancel", "A"), told("already_cancelled", "A")); }},
      {"I10", "rows of an order that is not there", [](Scribe& s) { s.ledger.orders.erase("L"); }},
      {"I10", "units that are left in a closed sale",
       [](Scribe& s) {
         s.ledger.activities.at("sale").state = "closed";
         s.batch();
         s.post({2, 0}, "cancel", 3, "H");
       }},
      {"I11", "released by the clock after it was paid",
       [](Scribe& s) {
         s.batch();
         s.post({2, 0}, "expire", 1, "A");
       }},
      {"I11", "released twice",
       [](Scribe& s) {
         s.batch();
         s.post({1, 0}, "expire", 1, "X");
       }},
      {"I11", "refunded more than was paid", [](Scribe& s) { flow(s, "broke", "write_off").quantity = 3; }},
      {"I11", "a hold that has more than its rows",
       [](Scribe& s) { s.ledger.orders.at("H").taken[0].quantity = 4; }},
      {"I12", "paid after its time", [](Scribe& s) { flow(s, "pay", "confirm").at = 999999; }},
      {"I12", "cancelled after its time", [](Scribe& s) { flow(s, "no", "cancel").at = 999999; }},
      {"I12", "released before its time",
       [](Scribe& s) { std::ranges::find(s.ledger.flows, "expire", &Flow::action)->at = 20; }},
      {"I12", "sold before its sale opens",
       [](Scribe& s) {
         for (auto& [name, sale] : s.ledger.activities) sale.opens_at = 999999;
       }},
      {"I12", "sold when its sale was over",
       [](Scribe& s) {
         for (auto& [name, sale] : s.ledger.activities) sale.closes_at = 1;
       }},
      {"I12", "extended beyond its cap",
       [](Scribe& s) {
         Order& order = s.ledger.orders.at("H");
         order.created_at = *order.expires_at - 1000;
         order.first_expires_at = order.created_at + 300;
       }},
      {"I12", "extended to an earlier end",
       [](Scribe& s) {
         Order& order = s.ledger.orders.at("H");
         order.created_at = *order.expires_at - 1000;
         order.first_expires_at = *order.expires_at + 1;
       }},
      {"I13", "more than the limit", [](Scribe& s) { s.ledger.activities.at("sale").limit = 2; }},
      {"I13", "a claim that is not what the ledger says", [](Scribe& s) { s.ledger.quotas[0].claimed = 3; }},
      {"I14", "a reading that was never so",
       [](Scribe& s) {
         s.history.read({.call = 1, .answered = s.now + 9, .sku = "tee", .activity = "", .available = 99});
       }},
      {"I14", "a reading that was so too early",
       [](Scribe& s) {
         s.history.read(
             {.call = s.now + 1, .answered = s.now + 2, .sku = "mug", .activity = "", .available = 2});
       }},
      {"I15", "a batch with fewer rows than it says", [](Scribe& s) { ++s.ledger.batches[1].flows; }},
      {"I15", "a batch that is missing",
       [](Scribe& s) { s.ledger.batches.erase(s.ledger.batches.begin() + 2); }},
      {"I15", "a row out of its place", [](Scribe& s) { ++flow(s, "open", "move_in").i; }},
      {"I15", "rows of a batch that is aborted", [](Scribe& s) { s.ledger.batches[1].aborted = true; }},
      {"U1", "sold out while there are some",
       [](Scribe& s) { s.ask(wants("u", "uli", {{"tee", 1}}), unrecorded("sold_out", "tee")); }},
      {"U1", "too few while there are enough",
       [](Scribe& s) {
         Reply reply = unrecorded("insufficient", "tee");
         reply.available = 10;
         s.ask(wants("u", "uli", {{"tee", 8}}), reply);
       }},
      {"U1", "a number that was never left",
       [](Scribe& s) { answer(s, "b", 0, [](Reply& r) { r.available = 7; }); }},
      {"U1", "a limit that is not reached",
       [](Scribe& s) {
         Reply reply = told("limit_reached");
         reply.sku = "tee";
         reply.allowed = 4;
         reply.claimed = 3;
         s.ask(wants("u", "gus", {{"tee", 1}}, "sale"), reply);
       }},
      {"U3", "sold out although units came back and that was told",
       [](Scribe& s) {
         const Place ink{9, 0};
         s.item(9, "ink", "", 1);
         s.batch();
         s.post(ink, "receive", 1, "", "ink");
         s.ask({.caller = "shop", .key = "ink", .act = "receive", .lines = {{"ink", 1}}}, told("received"));
         s.batch();
         s.post(ink, "reserve", 1, "I", "i");
         s.ledger.orders["I"] = Order{"cancelled", "ian", "", {{ink, 1}}, {}, s.now + 1000, s.now};
         s.ask(wants("i", "ian", {{"ink", 1}}), told("reserved", "I"));
         s.batch();
         s.post(ink, "cancel", 1, "I", "i-no");
         s.ask(upon("i-no", "cancel", "I"), told("cancelled", "I"));
         s.ask(wants("u", "uli", {{"ink", 1}}), unrecorded("sold_out", "ink"));
       }},
      {"U3", "sold out long after a hold was due",
       [](Scribe& s) {
         const Place ink{9, 0};
         s.item(9, "ink", "", 1);
         s.batch();
         s.post(ink, "receive", 1, "", "ink");
         s.ask({.caller = "shop", .key = "ink", .act = "receive", .lines = {{"ink", 1}}}, told("received"));
         s.batch();
         s.post(ink, "reserve", 1, "I", "i");
         s.ledger.orders["I"] = Order{"expired", "ian", "", {{ink, 1}}, {}, s.now + 1000, s.now};
         s.ask(wants("i", "ian", {{"ink", 1}}), told("reserved", "I"));
         s.now += 3010;  // The hold's second, the two of the promise, and a little.
         s.batch();
         s.post(ink, "expire", 1, "I");
         s.ask(wants("u", "uli", {{"ink", 1}}), unrecorded("sold_out", "ink"));
       }},
      {"resolved", "a key with nothing but a lost reply",
       [](Scribe& s) { s.history.begin(wants("z", "zoe", {{"tee", 1}}), ++s.now); }},
      {"resolved", "a key with nothing but an unknown outcome",
       [](Scribe& s) { s.ask(wants("z", "zoe", {{"tee", 1}}), Reply{.outcome = "outcome_unknown"}); }},
  };
  return rows;
}

std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Oracles, AreSilentOnASoundShop) { EXPECT_EQ(all(sound().found()), ""); }

class EachBreak : public ::testing::TestWithParam<Break> {};

TEST_P(EachBreak, IsFound) {
  Scribe shop = sound();
  GetParam().act(shop);
  const std::vector<std::string> found = shop.found();
  const bool named = std::ranges::any_of(
      found, [](const std::string& line) { return line.starts_with(std::string(GetParam().check) + ": "); });
  EXPECT_TRUE(named) << all(found);
}

INSTANTIATE_TEST_SUITE_P(Oracles, EachBreak, ::testing::ValuesIn(breaks()));

TEST(Oracles, HaveABreakEach) {
  std::set<std::string> broken;
  for (const Break& row : breaks()) broken.insert(row.check);
  for (const Check& each : checks()) EXPECT_TRUE(broken.contains(std::string(each.name))) << each.name;
  EXPECT_EQ(broken.size(), checks().size());
}

// A hold that is past its time is free for whoever asks for that item, and says nothing of another.
TEST(Oracles, APromisedReleaseIsOfItsOwnItem) {
  Scribe shop;
  const Place ink{1, 0};
  const Place mug{2, 0};
  shop.item(1, "ink", "", 1);
  shop.item(2, "mug", "", 1);
  shop.batch();
  shop.post(ink, "receive", 1, "", "ink");
  shop.ask({.caller = "shop", .key = "ink", .act = "receive", .lines = {{"ink", 1}}}, told("received"));
  shop.batch();
  shop.post(ink, "reserve", 1, "I", "i");
  shop.ledger.orders["I"] = Order{"expired", "ian", "", {{ink, 1}}, {}, shop.now + 100, shop.now};
  shop.ask(wants("i", "ian", {{"ink", 1}}), told("reserved", "I"));
  shop.now += 2200;  // Past its time and the promise, and still not released.
  const AttemptId other = shop.history.begin(wants("m", "mia", {{"mug", 1}}), ++shop.now);
  shop.history.end(other, ++shop.now, unrecorded("sold_out", "mug"));
  EXPECT_EQ(all(shop.found()).find("key shop/m"), std::string::npos);
  shop.history.begin(wants("u", "uli", {{"ink", 1}}), ++shop.now);
  shop.history.end({{"shop", "u"}, 0}, ++shop.now, unrecorded("sold_out", "ink"));
  const AttemptId more = shop.history.begin(
      {.caller = "shop", .key = "more", .act = "receive", .lines = {{"mug", 1}}}, ++shop.now);
  shop.batch();
  shop.post(mug, "receive", 1, "", "more");
  shop.ledger.requests[more.id] = IdempotencyRecord{"received", ""};
  shop.history.end(more, ++shop.now, told("received"));
  shop.batch();
  shop.post(ink, "expire", 1, "I");
  const std::string found = all(shop.found());
  EXPECT_NE(found.find("key shop/u"), std::string::npos) << found;
  EXPECT_EQ(found.find("key shop/m"), std::string::npos) << found;
}

// What a shop may do besides, and no check may call wrong.
TEST(Oracles, AllowWhatIsAllowed) {
  Scribe shop = sound();
  // A refusal that was not recorded is no answer: the same key buys later.
  shop.ask(wants("again", "amy", {{"mug", 1}}), unrecorded("sold_out", "mug"));
  shop.batch();
  shop.post({3, 0}, "receive", 1, "", "more");
  shop.ask({.caller = "shop", .key = "more", .act = "receive", .lines = {{"mug", 1}}}, told("received"));
  shop.batch();
  shop.post({3, 0}, "reserve", 1, "G", "again");
  shop.ledger.orders["G"] = Order{"held", "amy", "", {{{3, 0}, 1}}, {}, shop.now + 1000, {}};
  shop.ask(wants("again", "amy", {{"mug", 1}}), told("reserved", "G"));
  // The key with another content is refused.
  shop.ask(wants("again", "amy", {{"mug", 2}}), unrecorded("key_reused", ""));
  // An unknown outcome that was done after all.
  shop.history.begin(wants("maybe", "mia", {{"tee", 1}}), ++shop.now);
  shop.batch();
  shop.post({1, 0}, "reserve", 1, "P", "maybe");
  shop.ledger.orders["P"] = Order{"held", "mia", "", {{{1, 0}, 1}}, {}, shop.now + 1000, {}};
  shop.ask(wants("maybe", "mia", {{"tee", 1}}), Reply{.outcome = "outcome_unknown"});
  shop.ask(wants("maybe", "mia", {{"tee", 1}}), replay(told("reserved", "P")));
  // A refusal while the only unit was being bought: its position is not known better than that.
  const AttemptId slow = shop.history.begin(wants("slow", "sue", {{"tee", 9}}), ++shop.now);
  const AttemptId quick = shop.history.begin(wants("quick", "quy", {{"tee", 9}}), ++shop.now);
  shop.history.end(
      quick, ++shop.now,
      Reply{.outcome = "insufficient", .recorded = true, .sku = "tee", .available = 0, .text = "i"});
  shop.ledger.requests[quick.id] = IdempotencyRecord{"insufficient", ""};
  shop.batch();
  shop.post({1, 0}, "reserve", shop.ledger.buckets.at({1, 0}).available, "S", "slow");
  const std::int64_t first = shop.ledger.flows.back().quantity;
  shop.post({1, 1}, "reserve", 9 - first, "S", "slow");
  shop.ledger.orders["S"] =
      Order{"held", "sue", "", {{{1, 0}, first}, {{1, 1}, 9 - first}}, {}, shop.now + 1000, {}};
  shop.ledger.requests[slow.id] = IdempotencyRecord{"reserved", "S"};
  shop.history.end(slow, ++shop.now, told("reserved", "S"));
  EXPECT_EQ(all(shop.found()), "");
}

// The two units of order A leave for their buyer, and one comes back from there.
Scribe shop_that_ships() {
  Scribe shop = sound();
  shop.batch();
  shop.post({2, 0}, "ship", 2, "A", "gone");
  shop.ask(upon("gone", "ship", "A"), told("shipped", "A"));
  shop.batch();
  shop.post({2, 0}, "take_back", 1, "A", "home");
  Request home = upon("home", "refund", "A");
  home.lines = {{"tee", 1}};
  home.from = "buyer";
  shop.ask(home, told("refunded", "A"));
  Order& order = shop.ledger.orders.at("A");
  order.state = "shipped";
  order.returned = {{{2, 0}, 1}};
  order.shipped = {{{2, 0}, 1}};
  return shop;
}

// table: a row for each way to break it (E22).
TEST(Oracles, KnowWhatIsShipped_E22) {
  EXPECT_EQ(all(shop_that_ships().found()), "");
  const Break rows[] = {
      {"I1", "a shipped unit that no order has", [](Scribe& s) { s.ledger.orders.at("A").shipped.clear(); }},
      {"I1", "a row with other shipped units", [](Scribe& s) { ++s.ledger.buckets.at({2, 0}).shipped; }},
      {"I2", "more shipped than was paid", [](Scribe& s) { flow(s, "gone", "ship").quantity = 9; }},
      {"I5", "shipped what was not asked for", [](Scribe& s) { flow(s, "gone", "ship").order = "X"; }},
      {"I5", "taken from the shelf in place of the buyer",
       [](Scribe& s) { flow(s, "home", "take_back").action = "refund"; }},
      {"I5", "written off in place of restocked",
       [](Scribe& s) { flow(s, "home", "take_back").action = "write_off_shipped"; }},
      {"I10", "shipped, and told to be paid", [](Scribe& s) { s.ledger.orders.at("A").state = "paid"; }},
      {"I10", "shipped in part, it says",
       [](Scribe& s) { s.ledger.orders.at("A").state = "partly_shipped"; }},
  };
  for (const Break& row : rows) {
    Scribe shop = shop_that_ships();
    row.act(shop);
    const std::string found = all(shop.found());
    EXPECT_NE(("\n" + found).find("\n" + std::string(row.check) + ": "), std::string::npos)
        << row << ": " << found;
  }
}

// After the time for which requests are remembered their answers may be gone, and their keys are too old;
// before it, or where nothing is forgotten, neither (A28).
TEST(Oracles, WhatIsOldMayBeForgottenAndNothingElse) {
  constexpr Moment kept = 10'000;
  const auto shop_after = [](Moment pause, std::optional<Moment> remembers) {
    Scribe shop = sound();
    shop.terms.kept = remembers;
    shop.ask({.caller = "shop", .key = "r", .act = "receive", .lines = {{"mug", 1}}}, told("received"));
    shop.batch();
    shop.post({3, 0}, "receive", 1, "", "r");
    shop.now += pause;
    shop.ask({.caller = "shop", .key = "r", .act = "receive", .lines = {{"mug", 1}}},
             unrecorded("key_too_old", ""));
    shop.ledger.requests.erase({"shop", "r"});
    shop.terms.ends = shop.now;
    return all(shop.found());
  };
  EXPECT_EQ(shop_after(kept, kept), "");
  for (const std::string& found : {shop_after(kept / 2, kept), shop_after(kept, std::nullopt)}) {
    EXPECT_NE(found.find("I8: key shop/r was told received, which nothing remembers"), std::string::npos)
        << found;
    EXPECT_NE(found.find("I9: key shop/r had its answer, received, and was told key_too_old later"),
              std::string::npos)
        << found;
  }
}

}  // namespace
}  // namespace gavel::oracle
