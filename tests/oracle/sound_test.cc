#include "oracle/sound_test.h"

#include <utility>

namespace gavel::oracle {
namespace {

constexpr Place tee0{1, 0};
constexpr Place tee1{1, 1};
constexpr Place sale{2, 0};
constexpr Place mug{3, 0};

void make_order(Scribe& shop, const std::string& id, const std::string& state, const std::string& user,
                const std::string& activity, std::vector<Part> taken) {
  shop.ledger.orders[id] = Order{state, user, activity, std::move(taken), {}, shop.now + 1000, shop.now};
}

Request moves(const std::string& key, const std::string& act) {
  Request request = asks(key, act);
  request.activity = "sale";
  return request;
}

Request of_stock(const std::string& key, const std::string& act, std::int64_t quantity) {
  Request request = asks(key, act);
  request.lines = {{act == "receive" && key == "in-mug" ? "mug" : "tee", quantity}};
  return request;
}

void open(Scribe& shop) {
  shop.item(1, "tee", "", 2);
  shop.item(2, "tee", "sale", 1);
  shop.item(3, "mug", "", 1);
  shop.ledger.activities["sale"] = Activity{"open", 4, {}, {}};
  shop.batch();
  shop.post(tee0, "receive", 8, "", "in");
  shop.post(tee1, "receive", 7, "", "in");
  shop.ask(of_stock("in", "receive", 15), told("received"));
  shop.batch();
  shop.post(mug, "receive", 2, "", "in-mug");
  shop.ask(of_stock("in-mug", "receive", 2), told("received"));
  shop.batch();
  shop.post(tee0, "move_out", 5, "", "open");
  shop.post(sale, "move_in", 5, "", "open");
  shop.ask(moves("open", "open_activity"), told("opened"));
}

void sell(Scribe& shop) {
  // Two of the sale, confirmed; the answer was lost once.
  shop.history.begin(wants("a", "ann", {{"tee", 2}}, "sale"), ++shop.now);
  shop.batch();
  shop.post(sale, "reserve", 2, "A", "a");
  make_order(shop, "A", "paid", "ann", "sale", {{sale, 2}});
  shop.ask(wants("a", "ann", {{"tee", 2}}, "sale"), replay(told("reserved", "A")));
  shop.ask(wants("a2", "ann", {{"tee", 3}}, "sale"), Reply{.outcome = "limit_reached",
                                                           .recorded = true,
                                                           .sku = "tee",
                                                           .allowed = 4,
                                                           .claimed = 2,
                                                           .text = "l"});
  shop.batch();
  shop.post(sale, "confirm", 2, "A", "pay");
  shop.ask(upon("pay", "confirm", "A"), told("confirmed", "A"));
  shop.ask(upon("pay", "confirm", "A"), replay(told("confirmed", "A")));
  shop.ask(upon("pay2", "confirm", "A"), told("already_confirmed", "A"));
  // One over two buckets, paid in part and refunded in part; the key is a UUIDv7.
  shop.batch();
  shop.post(tee0, "reserve", 3, uuid_key, uuid_key);
  shop.post(tee1, "reserve", 2, uuid_key, uuid_key);
  make_order(shop, uuid_key, "partly_refunded", "bob", "", {{tee0, 3}, {tee1, 2}});
  shop.ask(wants(uuid_key, "bob", {{"tee", 5}}), told("reserved", uuid_key));
  shop.batch();
  shop.post(tee0, "confirm", 3, uuid_key, "part");
  shop.post(tee1, "cancel", 2, uuid_key, "part");
  Request part = upon("part", "confirm", uuid_key);
  part.lines = {{"tee", 3}};
  shop.ask(part, told("confirmed", uuid_key));
  shop.batch();
  shop.post(tee0, "refund", 1, uuid_key, "back");
  Request back = upon("back", "refund", uuid_key);
  back.lines = {{"tee", 1}};
  shop.ask(back, told("refunded", uuid_key));
  shop.ledger.orders.at(uuid_key).returned = {{tee1, 2}, {tee0, 1}};
}

void end(Scribe& shop) {
  // Both mugs sold at once and written off; nothing is left for the next.
  shop.batch();
  shop.post(mug, "sell", 2, "M", "m");
  Request mugs = wants("m", "cid", {{"mug", 2}});
  mugs.at_once = true;
  make_order(shop, "M", "refunded", "cid", "", {{mug, 2}});
  shop.ledger.orders.at("M").expires_at.reset();
  shop.ask(mugs, told("sold", "M"));
  shop.ask(wants(gone_key, "dot", {{"mug", 1}}),
           Reply{.outcome = "sold_out", .recorded = true, .sku = "mug", .text = "s"});
  shop.batch();
  shop.post(mug, "write_off", 2, "M", "broke");
  Request broke = upon("broke", "refund", "M");
  broke.restocks = false;
  shop.ask(broke, told("refunded", "M"));
  shop.ledger.orders.at("M").returned = {{mug, 2}};
  // One cancelled, one that ran out.
  shop.batch();
  shop.post(tee0, "reserve", 1, "X", "x");
  make_order(shop, "X", "cancelled", "eve", "", {{tee0, 1}});
  shop.ask(wants("x", "eve", {{"tee", 1}}), told("reserved", "X"));
  shop.batch();
  shop.post(tee0, "cancel", 1, "X", "no");
  shop.ask(upon("no", "cancel", "X"), told("cancelled", "X"));
  shop.batch();
  shop.post(sale, "reserve", 1, "L", "l");
  make_order(shop, "L", "expired", "ann", "sale", {{sale, 1}});
  shop.ask(wants("l", "ann", {{"tee", 1}}, "sale"), told("reserved", "L"));
  shop.now = *shop.ledger.orders.at("L").expires_at + 100;
  shop.batch();
  shop.post(sale, "expire", 1, "L");
  shop.ask(upon("late", "confirm", "L"), told("hold_expired", "L"));
  shop.ledger.quotas = {{"sale", "tee", "ann", 2}};
  // Corrections.
  shop.batch();
  shop.post(tee1, "adjust_out", 2, "", "lost");
  shop.ask(of_stock("lost", "adjust", -2), told("adjusted"));
  shop.batch();
  shop.post(tee0, "adjust_in", 4, "", "found");
  shop.ask(of_stock("found", "count", 10), told("counted"));
}

}  // namespace

Scribe sound() {
  Scribe shop;
  open(shop);
  sell(shop);
  end(shop);
  shop.history.read({.call = shop.now + 1,
                     .answered = shop.now + 2,
                     .sku = "tee",
                     .activity = "",
                     .available = 10,
                     .reserved = 0,
                     .sold = 2});
  shop.ask(wants("b", "fay", {{"tee", 11}}),
           Reply{.outcome = "insufficient", .recorded = true, .sku = "tee", .available = 10, .text = "i"});
  // An order that is still held.
  shop.batch();
  shop.post(sale, "reserve", 3, "H", "h");
  make_order(shop, "H", "held", "gus", "sale", {{sale, 3}});
  shop.ledger.orders.at("H").settled_at.reset();
  shop.ask(wants("h", "gus", {{"tee", 3}}, "sale"), told("reserved", "H"));
  shop.ledger.quotas.push_back({"sale", "tee", "gus", 3});
  shop.ask(wants("busy", "hal", {{"tee", 1}}), Reply{.outcome = "overloaded", .text = "o"});
  shop.ask(wants("busy", "hal", {{"tee", 1}}), Reply{.outcome = "unknown_activity", .text = "u"});
  return shop;
}

}  // namespace gavel::oracle
