// The life of an order: I10 to I12.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "oracle/checks.h"
#include "oracle/words.h"

namespace gavel::oracle {
namespace {

// What the ledger says of one order: units by action, and when.
struct Story {
  std::map<std::string, std::int64_t> units;
  std::map<Place, std::map<std::string, std::int64_t>> parts;
  std::map<std::string, std::int64_t> first_at;  // By action.
  std::string out_of_turn;                       // The first row that moves what is not there, in words.

  std::int64_t of(const std::string& action) const {
    const auto found = units.find(action);
    return found == units.end() ? 0 : found->second;
  }
  std::string text() const {
    std::string all;
    for (const auto& [action, count] : units)
      all += (all.empty() ? "" : ", ") + action + " " + std::to_string(count);
    return all.empty() ? "nothing" : all;
  }
};

std::map<std::string, Story> stories_of(const Ledger& ledger) {
  std::map<std::string, Story> stories;
  std::map<std::pair<std::string, Place>, Bucket> with;  // What is with the order at this position.
  for (const Flow& flow : ledger.flows) {
    if (flow.order.empty()) continue;
    Story& story = stories[flow.order];
    story.units[flow.action] += flow.quantity;
    story.parts[flow.place][flow.action] += flow.quantity;
    story.first_at.try_emplace(flow.action, flow.at);
    const Effect effect = effect_of(flow.action);
    Bucket& held = with[{flow.order, flow.place}];
    held.reserved += effect.reserved * flow.quantity;
    held.sold += effect.sold * flow.quantity;
    held.shipped += effect.shipped * flow.quantity;
    if (story.out_of_turn.empty() && (held.reserved < 0 || held.sold < 0 || held.shipped < 0)) {
      story.out_of_turn = name_of(flow) + ", " + flow.action + " of " + std::to_string(flow.quantity);
    }
  }
  return stories;
}

// ladder: the state that these rows lead to, one line each; "?" if they lead nowhere.
std::string state_after(const Story& story) {
  const std::int64_t held = story.of("reserve");
  const std::int64_t paid = story.of("confirm") + story.of("sell");
  const std::int64_t back = story.of("cancel");
  const std::int64_t late = story.of("expire");
  const std::int64_t from_buyer = story.of("take_back") + story.of("write_off_shipped");
  const std::int64_t refunded = story.of("refund") + story.of("write_off") + from_buyer;
  const std::int64_t shipped = story.of("ship") - from_buyer;
  if (held + story.of("sell") == 0) return story.units.empty() ? "refused" : "?";
  if (story.of("sell") > 0 && held + back + late + story.of("confirm") > 0) return "?";
  if (paid > 0) {
    if (late > 0 || (held > 0 && story.of("confirm") + back != held) || refunded > paid) return "?";
    if (refunded == paid) return "refunded";
    if (shipped > 0) return shipped == paid - refunded ? "shipped" : "partly_shipped";
    return refunded > 0 ? "partly_refunded" : "paid";
  }
  if (refunded > 0 || story.of("ship") > 0) return "?";
  if (late > 0) return late + back == held ? "expired" : "?";
  if (back == held) return "cancelled";
  return back < held ? "held" : "?";
}

// The states that an answer about an order is true in.
const std::set<std::string>& states_of(const std::string& outcome) {
  static const std::set<std::string> paid{"paid", "partly_refunded", "refunded", "partly_shipped", "shipped"};
  static const std::set<std::string> cancelled{"cancelled"};
  static const std::set<std::string> expired{"expired"};
  static const std::set<std::string> refunded{"partly_refunded", "refunded", "partly_shipped", "shipped"};
  static const std::set<std::string> shipped{"partly_shipped", "shipped", "partly_refunded", "refunded"};
  static const std::set<std::string> none;
  static const std::map<std::string, const std::set<std::string>&> states{
      {"confirmed", paid},          {"already_confirmed", paid},      {"sold", paid},
      {"cancelled", cancelled},     {"already_cancelled", cancelled}, {"hold_expired", expired},
      {"expired", expired},         {"refunded", refunded},           {"shipped", shipped},
      {"already_shipped", shipped},
  };
  const auto found = states.find(outcome);
  return found == states.end() ? none : found->second;
}

// What is left in a sale that is closed, or comes back to it, moves on to the free stock in the same
// transaction.
void check_closed_sales(const Ledger& ledger, Findings& findings) {
  for (const auto& [place, bucket] : ledger.buckets) {
    const auto item = ledger.items.find(place.item);
    if (item == ledger.items.end() || bucket.available == 0) continue;
    const auto activity = ledger.activities.find(item->second.activity);
    if (activity == ledger.activities.end() || activity->second.state != "closed") continue;
    findings.add(activity->first + " is closed, and " + std::to_string(bucket.available) + " of " +
                 item->second.sku + " are left in " + name_of(place));
  }
}

// A hold was made longer, never shorter, and not beyond its cap (E4).
void check_extensions(const Ledger& ledger, Findings& findings) {
  for (const auto& [id, order] : ledger.orders) {
    if (!order.first_expires_at || !order.expires_at) continue;
    const std::int64_t first = *order.first_expires_at - order.created_at;
    const std::int64_t cap = order.created_at + std::min(hold_lengths_max * first, hold_ms_max);
    if (*order.expires_at < *order.first_expires_at)
      findings.add("order " + id + " was extended to an earlier end");
    if (*order.expires_at > cap) {
      findings.add("order " + id + " was extended " + std::to_string(*order.expires_at - cap) +
                   " ms beyond its cap");
    }
  }
}

// A sale gives units away in its hours alone, [opens_at, closes_at).
void check_hours(const Ledger& ledger, Findings& findings) {
  for (const Flow& flow : ledger.flows) {
    if (flow.action != "reserve" && flow.action != "sell") continue;
    const auto item = ledger.items.find(flow.place.item);
    if (item == ledger.items.end()) continue;
    const auto sale = ledger.activities.find(item->second.activity);
    if (sale == ledger.activities.end()) continue;
    const auto& [name, row] = *sale;
    if (row.opens_at && flow.at < *row.opens_at) {
      findings.add("order " + flow.order + ": " + flow.action + " in " + name + " " +
                   std::to_string(*row.opens_at - flow.at) + " ms before it opens");
    }
    if (row.closes_at && flow.at >= *row.closes_at) {
      findings.add("order " + flow.order + ": " + flow.action + " in " + name + " " +
                   std::to_string(flow.at - *row.closes_at) + " ms after it closed");
    }
  }
}

}  // namespace

// The rows of an order lead to its state along the arrows, each from what the one before left; and all that
// answers said of it is true of that state, which they cannot leave again.
void check_states(const World& world, Findings& findings) {
  check_closed_sales(world.ledger, findings);
  std::map<std::string, Story> stories = stories_of(world.ledger);
  for (const auto& [id, order] : world.ledger.orders) {
    const Story& story = stories[id];
    const std::string led_to = state_after(story);
    if (led_to != order.state)
      findings.add("order " + id + " is " + order.state + ", its rows are " + story.text());
    if (!story.out_of_turn.empty())
      findings.add("order " + id + ": " + story.out_of_turn + " of what it does not have");
  }
  for (const auto& [id, story] : stories) {
    if (!world.ledger.orders.contains(id))
      findings.add("order " + id + " has rows (" + story.text() + ") and is not there");
  }
  for (const auto& [id, asked] : world.history.asked()) {
    const Attempt* answer = asked.answer();
    if (answer == nullptr) continue;
    const std::string& meant = asked.request(*answer).order;
    const std::set<std::string>& states = states_of(answer->reply->outcome);
    const auto order = world.ledger.orders.find(meant.empty() ? answer->reply->order : meant);
    if (states.empty() || order == world.ledger.orders.end() || states.contains(order->second.state))
      continue;
    findings.add(name_of(id) + " was told " + answer->reply->outcome + ", order " + order->first + " is " +
                 order->second.state);
  }
}

// Per bucket of an order: what was reserved went one way, once. A release by the clock excludes any other
// end; what was taken and has returned is what the rows say.
void check_releases_once(const World& world, Findings& findings) {
  const std::set<std::string> changed = changed_orders(world.history);
  for (const auto& [id, story] : stories_of(world.ledger)) {
    if (story.of("expire") > 0 && story.of("confirm") > 0) {
      findings.add("order " + id + " was released and confirmed: " + story.text());
    }
    if (story.of("expire") > 0 && story.of("cancel") > 0 && !changed.contains(id)) {
      findings.add("order " + id + " was released twice: " + story.text());
    }
    for (const auto& [place, units] : story.parts) {
      const auto of = [&](const char* action) {
        return units.contains(action) ? units.at(action) : std::int64_t{0};
      };
      if (of("cancel") + of("expire") + of("confirm") > of("reserve")) {
        findings.add("order " + id + " gave more of " + name_of(place) + " than it held");
      }
      const std::int64_t refunded =
          of("refund") + of("write_off") + of("take_back") + of("write_off_shipped");
      if (refunded > of("confirm") + of("sell")) {
        findings.add("order " + id + " returned more of " + name_of(place) + " than it had paid");
      }
    }
    const auto row = world.ledger.orders.find(id);
    if (row == world.ledger.orders.end()) continue;
    std::map<Place, std::int64_t> with;
    for (const Part& part : row->second.taken) with[part.place] += part.quantity;
    for (const Part& part : row->second.returned) with[part.place] -= part.quantity;
    const bool ended = row->second.state == "cancelled" || row->second.state == "expired";
    for (const auto& [place, units] : story.parts) {
      const auto of = [&](const char* action) {
        return units.contains(action) ? units.at(action) : std::int64_t{0};
      };
      const std::int64_t left = of("reserve") + of("sell") - of("cancel") - of("expire") - of("refund") -
                                of("write_off") - of("take_back") - of("write_off_shipped");
      if (!ended && left != with[place]) {
        findings.add("order " + id + " has " + std::to_string(with[place]) + " of " + name_of(place) +
                     ", its rows leave " + std::to_string(left));
      }
    }
  }
}

// By the judge's clock: paid or cancelled before the hold's end, released at it or later.
void check_in_time(const World& world, Findings& findings) {
  check_extensions(world.ledger, findings);
  check_hours(world.ledger, findings);
  const std::set<std::string> changed = changed_orders(world.history);
  for (const auto& [id, story] : stories_of(world.ledger)) {
    const auto row = world.ledger.orders.find(id);
    if (row == world.ledger.orders.end() || !row->second.expires_at) continue;
    const std::int64_t end = *row->second.expires_at;
    for (const auto& [action, at] : story.first_at) {
      const bool settles = action == "confirm" || (action == "cancel" && !changed.contains(id));
      if (settles && at >= end) {
        findings.add("order " + id + ": " + action + " " + std::to_string(at - end) + " ms after its time");
      }
      if (action == "expire" && at < end) {
        findings.add("order " + id + " expired " + std::to_string(end - at) + " ms before its time");
      }
    }
  }
}

// Whoever makes an order is its account, and nobody else acts upon it: no other account but the operators'.
// The service itself, which has no key, releases what is due.
void check_accounts(const World& world, Findings& findings) {
  std::set<std::string> begun;
  for (const Flow& flow : world.ledger.flows) {
    const auto order = world.ledger.orders.find(flow.order);
    if (flow.order.empty() || flow.key.empty() || order == world.ledger.orders.end()) continue;
    const bool makes = begun.insert(flow.order).second;
    const std::string& account = order->second.account;
    if (flow.caller == account || (!makes && world.terms.operators.contains(flow.caller))) continue;
    findings.add("order " + flow.order + " of account " + account + ": " + flow.action + " by " +
                 flow.caller + ", key " + flow.key);
  }
}

}  // namespace gavel::oracle
