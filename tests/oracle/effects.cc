// What was answered, and what happened: I5 to I7.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/checks.h"
#include "oracle/words.h"

namespace gavel::oracle {
namespace {

using Wrong = std::optional<std::string>;

// All rows of the ledger that one request caused, in order.
struct Done {
  std::vector<std::size_t> rows;  // Indexes of Ledger::flows.
  std::set<std::pair<std::int64_t, std::int64_t>> batches;
  std::set<std::string> orders;
};
using AllDone = std::map<RequestId, Done>;

AllDone done_by(const Ledger& ledger) {
  AllDone all;
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    if (flow.key.empty()) continue;
    Done& done = all[{flow.caller, flow.key}];
    done.rows.push_back(k);
    done.batches.emplace(flow.lane, flow.n);
    if (!flow.order.empty()) done.orders.insert(flow.order);
  }
  return all;
}

// The effect of one request, asked about what it moved.
class Moved {
 public:
  Moved(const Ledger& ledger, const Done& done) : ledger_(ledger), done_(done) {}

  const Done& done() const { return done_; }

  // Units of the actions named, by SKU; of items of `activity`, if one is given.
  std::vector<Line> units(const std::set<std::string>& actions,
                          const std::optional<std::string>& activity = std::nullopt) const {
    std::vector<Line> lines;
    for (const std::size_t k : done_.rows) {
      const Flow& flow = ledger_.flows[k];
      const auto item = ledger_.items.find(flow.place.item);
      if (!actions.contains(flow.action) || item == ledger_.items.end()) continue;
      if (!activity || item->second.activity == *activity) lines.push_back({item->second.sku, flow.quantity});
    }
    return merged(lines);
  }
  // Whatever brings units may pay a shortage at once (E7).
  bool only(const std::set<std::string>& actions) const {
    return std::ranges::all_of(done_.rows, [&](std::size_t k) {
      const std::string& action = ledger_.flows[k].action;
      return action == "make_good" || actions.contains(action);
    });
  }

 private:
  const Ledger& ledger_;
  const Done& done_;
};

Wrong differs(const std::string& what, const std::vector<Line>& is, const std::vector<Line>& asked) {
  if (is == asked) return std::nullopt;
  return what + " " + text_of(is) + ", asked was " + text_of(asked);
}

Wrong wrong_sale(const Request& request, const Moved& moved) {
  const std::string action = request.at_once ? "sell" : "reserve";
  if (!moved.only({action})) return "did more than " + action;
  if (moved.done().orders.size() != 1)
    return "took units for " + std::to_string(moved.done().orders.size()) + " orders";
  return differs("took", moved.units({action}, request.activity), request.lines);
}

// What is given back of an activity that is closed moves on to the free stock.
Wrong wrong_transition(const Request& request, const Moved& moved, const Ledger& ledger) {
  if (moved.done().orders != std::set{request.order}) return "moved units of another order";
  const auto order = ledger.orders.find(request.order);
  if (order == ledger.orders.end()) return "moved units of an order that is not there";
  if (request.act == "refund") {
    const std::string action = request.restocks ? "refund" : "write_off";
    const std::string from_buyer = request.restocks ? "take_back" : "write_off_shipped";
    // What was never there is not written off: it pays what is owed, and all of it.
    const bool gives_up = !request.restocks && moved.units({"refund"}) == moved.units({"make_good"});
    if (!moved.only({action, gives_up ? "refund" : action, from_buyer, "move_out", "move_in"}))
      return "did more than " + action;
    if (request.from == "shelf" && !moved.units({from_buyer}).empty()) return "took from the buyer";
    if (request.from == "buyer" && !moved.units({"refund", "write_off"}).empty())
      return "took from the shelf";
    return request.lines.empty()
               ? std::nullopt
               : differs("refunded", moved.units({"refund", "write_off", from_buyer}), request.lines);
  }
  if (request.act == "ship") {
    // Units that turned out to be there are found, and make good what was short, all of them.
    const bool finds = moved.units({"adjust_in"}) == moved.units({"make_good"});
    if (!moved.only({"ship", finds ? "adjust_in" : "ship"})) return "did more than ship";
    return request.lines.empty() ? std::nullopt : differs("shipped", moved.units({"ship"}), request.lines);
  }
  const std::vector<Line> taken = units_of(ledger, order->second.taken);
  if (request.act == "cancel") {
    if (!moved.only({"cancel", "move_out", "move_in"})) return "did more than cancel";
    return differs("gave back", moved.units({"cancel"}), taken);
  }
  if (!moved.only({"confirm", "cancel", "move_out", "move_in"})) return "did more than confirm";
  if (Wrong wrong = differs("confirmed and gave back", moved.units({"confirm", "cancel"}), taken))
    return wrong;
  return differs("confirmed", moved.units({"confirm"}), request.lines.empty() ? taken : request.lines);
}

// A count leaves on the shelf what was counted: it corrects by what differs from what was there before it,
// and a shelf never holds less than nothing, whatever paid orders are owed.
Wrong wrong_correction(const Request& request, const Moved& moved, const Ledger& ledger) {
  if (!moved.only({"adjust_in", "adjust_out", "fall_short"})) return "did more than adjust";
  const Line& asked = request.lines.at(0);
  std::vector<Line> lines = moved.units({"adjust_in"}, "");
  for (const Line& out : moved.units({"adjust_out", "fall_short"}, ""))
    lines.push_back({out.sku, -out.quantity});
  if (request.act == "adjust") return differs("adjusted by", merged(lines), request.lines);
  std::int64_t on_hand = 0;
  for (std::size_t k = 0; k < moved.done().rows.front(); ++k) {
    const Flow& flow = ledger.flows[k];
    const auto item = ledger.items.find(flow.place.item);
    if (item == ledger.items.end() || item->second.sku != asked.sku || !item->second.activity.empty())
      continue;
    const Effect effect = effect_of(flow.action);
    on_hand += (effect.available + effect.reserved - effect.shortage) * flow.quantity;
  }
  const std::int64_t difference = asked.quantity - std::max<std::int64_t>(on_hand, 0);
  return differs("corrected by", merged(lines), {{asked.sku, difference}});
}

// An opening moves what was allotted, as far as the history knows how it was made.
Wrong wrong_activity(const Request& request, const Moved& moved, const History& history) {
  if (!moved.only({"move_out", "move_in"})) return "did more than move";
  const bool opens = request.act == "open_activity";
  const std::vector<Line> out = moved.units({"move_out"}, opens ? std::string() : request.activity);
  const std::vector<Line> in = moved.units({"move_in"}, opens ? request.activity : std::string());
  if (opens) {
    for (const auto& [id, asked] : history.asked()) {
      const Attempt* answer = asked.answer();
      if (answer == nullptr || answer->reply->outcome != "created") continue;
      const Request& made = asked.request(*answer);
      if (made.act != "create_activity" || made.activity != request.activity || made.lines.empty()) continue;
      if (Wrong wrong = differs("moved in", in, made.lines)) return wrong;
    }
  }
  return differs("moved in", in, out);
}

// Between the buckets of its own pool, and as many in as out.
Wrong wrong_respread(const Request& request, const Moved& moved) {
  if (!moved.only({"move_out", "move_in"})) return "did more than move";
  const std::vector<Line> own = moved.units({"move_out"}, request.activity);
  if (Wrong wrong = differs("moved out of all pools", moved.units({"move_out"}), own)) return wrong;
  return differs("moved in", moved.units({"move_in"}, request.activity), own);
}

// ladder: one line per act. What is wrong with the effect of `request`; it has one.
Wrong wrong_effect(const Request& request, const Moved& moved, const World& world) {
  const Ledger& ledger = world.ledger;
  const std::string& act = request.act;
  if (act == "reserve") return wrong_sale(request, moved);
  if (act == "confirm" || act == "cancel" || act == "refund" || act == "ship")
    return wrong_transition(request, moved, ledger);
  if (act == "receive") {
    return moved.only({"receive"}) ? differs("received", moved.units({"receive"}, ""), request.lines)
                                   : Wrong("did more than receive");
  }
  if (act == "adjust" || act == "count") return wrong_correction(request, moved, ledger);
  if (act == "open_activity" || act == "close_activity") return wrong_activity(request, moved, world.history);
  if (act == "put_sku" || act == "change_activity") return wrong_respread(request, moved);
  if (act == "create_activity" || act == "warm_activity" || act == "check_activity" || act == "extend")
    return "moved units";
  return std::nullopt;
}

// Whether a yes to it says that units moved.
bool moves_units(const Request& request) {
  static const std::set<std::string> acts{"reserve", "confirm", "cancel", "refund",
                                          "ship",    "receive", "adjust", "open_activity"};
  return acts.contains(request.act);
}

bool is_uuid7(const std::string& key) { return key.size() == 36 && key[8] == '-' && key[14] == '7'; }

Wrong wrong_order(const RequestId& id, const Request& request, const Reply& reply, const World& world,
                  bool changed) {
  const auto found = world.ledger.orders.find(reply.order);
  if (found == world.ledger.orders.end()) return "order " + reply.order + " is not there";
  const Order& order = found->second;
  if (is_uuid7(id.second) && reply.order != id.second)
    return "order " + reply.order + " should have the key as its id";
  if (order.user != request.user)
    return "order " + reply.order + " is of user " + order.user + ", not " + request.user;
  if (order.activity != request.activity) return "order " + reply.order + " is of another activity";
  if (changed) return std::nullopt;
  return differs("order " + reply.order + " has", units_of(world.ledger, order.taken), request.lines);
}

// Orders that were acknowledged: the earliest moment of each, and to whom.
struct Acknowledged {
  Moment at;
  std::string account;
};
std::map<std::string, Acknowledged> acknowledged(const History& history) {
  std::map<std::string, Acknowledged> orders;
  for (const auto& [id, asked] : history.asked()) {
    const Attempt* answer = asked.answer();
    if (answer == nullptr || !is_yes(*answer->reply) || asked.request(*answer).act != "reserve") continue;
    const auto order = orders.try_emplace(answer->reply->order, answer->answered, id.first).first;
    order->second.at = std::min(order->second.at, answer->answered);
  }
  return orders;
}

// An order is as its last change made it, where that one was asked for after all others were answered.
void check_changes(const World& world, Findings& findings) {
  struct Changes {
    const Attempt* last = nullptr;
    const Request* request = nullptr;
    Moment others_answered = 0;
  };
  std::map<std::string, Changes> orders;
  for (const auto& [id, asked] : world.history.asked()) {
    for (const Attempt& attempt : asked.attempts) {
      const Request& request = asked.request(attempt);
      if (request.act != "change" ||
          (attempt.reply && !is_yes(*attempt.reply) && !is_unknown(*attempt.reply)))
        continue;
      Changes& changes = orders[request.order];
      if (changes.last == nullptr || attempt.call > changes.last->call) {
        if (changes.last != nullptr)
          changes.others_answered = std::max(changes.others_answered, changes.last->answered);
        changes.last = &attempt;
        changes.request = &request;
      } else {
        changes.others_answered = std::max(changes.others_answered, attempt.answered);
      }
    }
  }
  for (const auto& [id, changes] : orders) {
    const auto order = world.ledger.orders.find(id);
    const bool fresh = changes.last->reply && is_yes(*changes.last->reply) && !changes.last->reply->replayed;
    if (order == world.ledger.orders.end() || !fresh || changes.others_answered >= changes.last->call)
      continue;
    const Wrong wrong = differs("has", units_of(world.ledger, order->second.taken), changes.request->lines);
    if (wrong) findings.add("order " + id + ", changed by " + changes.request->key + ", " + *wrong);
  }
}

}  // namespace

// Exactly one effect stands behind a yes: under the same caller and key, for that user, of these units. An
// effect whose reply was lost is what was asked, too; and nothing has an effect that nobody asked for.
void check_yes_has_effect(const World& world, Findings& findings) {
  check_changes(world, findings);
  const AllDone all = done_by(world.ledger);
  const std::set<std::string> changed = changed_orders(world.history);
  const std::map<std::string, Acknowledged> orders = acknowledged(world.history);
  for (const auto& [id, done] : all) {
    const auto asked = world.history.asked().find(id);
    if (asked != world.history.asked().end()) continue;
    findings.add(name_of(id) + " has an effect, " + name_of(world.ledger.flows[done.rows.front()]) +
                 ", and nobody asked");
  }
  for (const auto& [id, asked] : world.history.asked()) {
    const auto done = all.find(id);
    const Attempt* answer = asked.answer();
    const bool yes = answer != nullptr && is_yes(*answer->reply);
    const Request& request = answer == nullptr ? asked.requests.front() : asked.request(*answer);
    if (yes && done == all.end() && moves_units(request)) {
      findings.add(name_of(id) + " was told " + answer->reply->outcome + ", nothing was done");
    }
    if (yes && request.act == "reserve") {
      const bool other = changed.contains(answer->reply->order);
      if (const Wrong wrong = wrong_order(id, request, *answer->reply, world, other)) {
        findings.add(name_of(id) + " was told " + answer->reply->outcome + ": " + *wrong);
      }
      if (done != all.end() && !done->second.orders.contains(answer->reply->order)) {
        findings.add(name_of(id) + " took units for another order than " + answer->reply->order);
      }
    }
    if (done == all.end() || (answer == nullptr && asked.requests.size() > 1)) continue;
    if (const Wrong wrong = wrong_effect(request, Moved(world.ledger, done->second), world)) {
      findings.add(name_of(id) + " (" + request.act + ") " + *wrong);
    }
  }
  for (const auto& [id, asked] : world.history.asked()) {
    for (const Attempt& attempt : asked.attempts) {
      if (!attempt.reply || attempt.reply->outcome != "unknown_order") continue;
      const auto order = orders.find(asked.request(attempt).order);
      if (order == orders.end() || order->second.at >= attempt.call) continue;
      const bool is_stranger = id.first != order->second.account && !world.terms.operators.contains(id.first);
      if (is_stranger) continue;
      findings.add(name_of(id) + " was told that order " + order->first +
                   " is unknown, after it was acknowledged");
    }
  }
}

// A recorded no has no effect, ever; nor has a key to which every reply was a no of whatever kind.
void check_no_has_none(const World& world, Findings& findings) {
  const AllDone all = done_by(world.ledger);
  for (const auto& [id, asked] : world.history.asked()) {
    const Attempt* answer = asked.answer();
    const bool refused = answer != nullptr && !is_yes(*answer->reply);
    const bool only_refused = std::ranges::all_of(asked.attempts, [](const Attempt& attempt) {
      return attempt.reply && !is_yes(*attempt.reply) && !is_unknown(*attempt.reply);
    });
    if (!refused && !only_refused) continue;
    const std::string told = refused ? answer->reply->outcome : asked.attempts.back().reply->outcome;
    if (const auto done = all.find(id); done != all.end()) {
      findings.add(name_of(id) + " was told " + told + ", and did " +
                   name_of(world.ledger.flows[done->second.rows.front()]));
    }
    const auto order = world.ledger.orders.find(id.second);
    const bool is_its_own = asked.requests.front().act == "reserve" && is_uuid7(id.second);
    if (is_its_own && order != world.ledger.orders.end() && order->second.state != "refused") {
      const auto made = std::ranges::find(world.ledger.flows, order->first, &Flow::order);
      if (made != world.ledger.flows.end() && made->caller != id.first) continue;  // Another caller's order.
      findings.add(name_of(id) + " was told " + told + ", and its order is " + order->second.state);
    }
  }
  for (const auto& [id, recorded] : world.ledger.requests) {
    if (is_yes(Reply{.outcome = recorded.outcome}) || !all.contains(id)) continue;
    findings.add(name_of(id) + " is remembered as " + recorded.outcome + ", and did something");
  }
}

// The effect of a key stands in one transaction; no two keys made one order, and no two of them took the same
// step of one order.
void check_effects_once(const World& world, Findings& findings) {
  for (const auto& [id, done] : done_by(world.ledger)) {
    if (done.batches.size() > 1) {
      findings.add(name_of(id) + " acted in " + std::to_string(done.batches.size()) + " batches");
    }
  }
  std::map<std::pair<std::string, std::string>, std::set<RequestId>> steps;  // order, step
  for (const Flow& flow : world.ledger.flows) {
    if (flow.order.empty() || flow.key.empty()) continue;
    const bool makes = flow.action == "reserve" || flow.action == "sell";
    if (makes) steps[{flow.order, "make"}].insert({flow.caller, flow.key});
    if (flow.action == "confirm") steps[{flow.order, "confirm"}].insert({flow.caller, flow.key});
    if (flow.action == "cancel") steps[{flow.order, "cancel"}].insert({flow.caller, flow.key});
  }
  for (const auto& [id, asked] : world.history.asked()) {
    const Attempt* answer = asked.answer();
    if (answer == nullptr || !is_yes(*answer->reply)) continue;
    const std::string& act = asked.request(*answer).act;
    if (act == "reserve") steps[{answer->reply->order, "make"}].insert(id);
    if (act == "confirm" || act == "cancel") steps[{asked.request(*answer).order, act}].insert(id);
  }
  const std::set<std::string> changed = changed_orders(world.history);
  for (const auto& [step, ids] : steps) {
    if (ids.size() < 2 || changed.contains(step.first)) continue;
    findings.add("order " + step.first + ": " + std::to_string(ids.size()) + " keys " + step.second +
                 " it, among them " + name_of(*ids.begin()) + " and " + name_of(*ids.rbegin()));
  }
}

}  // namespace gavel::oracle
