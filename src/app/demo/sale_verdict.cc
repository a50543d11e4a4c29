#include "app/demo/sale_verdict.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "app/cli/subcommand.h"
#include "base/json_text.h"

namespace gavel::app {
namespace {

// What the answers add up to.
struct Tally {
  std::int64_t orders = 0;                        // Requests answered 201.
  std::map<std::string, std::string> users;       // Of each order id.
  std::map<std::string, std::int64_t> bought;     // Orders of each user.
  std::map<std::string, std::int64_t> otherwise;  // Of each other outcome.
  std::int64_t users_with_two = 0;
};

Tally tally_of(const Sale& sale) {
  Tally tally;
  for (std::size_t i = 0; i < sale.run.results.size(); ++i) {
    const SaleReply& reply = sale.run.results[i].first;
    if (reply.status != 201) {
      ++tally.otherwise[reply.outcome.empty() ? "status " + std::to_string(reply.status) : reply.outcome];
      continue;
    }
    ++tally.orders;
    tally.users[reply.order] = sale.plan.requests[i].user;
    ++tally.bought[sale.plan.requests[i].user];
  }
  tally.users_with_two = std::ranges::count_if(tally.bought, [](const auto& one) { return one.second > 1; });
  return tally;
}

std::string off(std::string_view what, std::int64_t is, std::int64_t must_be) {
  return std::string(what) + ": " + with_commas(is) + ", and it must be " + with_commas(must_be);
}

void check_answers(const Sale& sale, const Tally& tally, std::vector<std::string>& found) {
  const std::int64_t expected = orders_expected(sale.size, sale.plan);
  const auto ids = static_cast<std::int64_t>(tally.users.size());
  if (tally.orders != expected)
    found.push_back(off("requests that were answered with an order", tally.orders, expected));
  if (ids != tally.orders) found.push_back(off("different order ids in the answers", ids, tally.orders));
  if (tally.users_with_two != 0) found.push_back(off("users with two orders", tally.users_with_two, 0));
  for (const auto& [outcome, count] : tally.otherwise) {
    if (outcome != "sold_out" && outcome != "limit_reached")
      found.push_back(off("requests answered " + outcome, count, 0));
  }
  for (std::size_t i = 0; i < sale.run.results.size(); ++i) {
    const SaleReply& reply = sale.run.results[i].first;
    if (reply.status == 201 && reply.user != sale.plan.requests[i].user)
      found.push_back("order " + reply.order + " is of user " + reply.user + ", asked for by " +
                      sale.plan.requests[i].user);
  }
}

// A9: a recorded answer comes again byte for byte and says so; an unrecorded refusal stays a refusal.
void check_repeats(const Sale& sale, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < sale.run.results.size(); ++i) {
    const SaleRun::Result& result = sale.run.results[i];
    if (!result.again) continue;
    const SaleReply& first = result.first;
    const SaleReply& again = *result.again;
    const std::string key = "the repeat of key " + sale.plan.requests[i].key;
    if (again.status != first.status) {
      found.push_back(key + " was answered " + std::to_string(again.status) + ", at first " +
                      std::to_string(first.status));
    } else if (first.recorded && !again.replayed) {
      found.push_back(key + " was not marked as replayed, though its first answer is recorded");
    } else if (first.recorded && again.order != first.order) {
      found.push_back(key + " names order " + again.order + ", at first " + first.order);
    } else if (first.status == 201 && again.body != first.body) {
      found.push_back(key + " has another body than at first");
    }
  }
}

// At rest the gate shows what the judge has (B14); without one there is nothing to be seen there.
void check_gate(const Sale& sale, std::vector<std::string>& found) {
  const std::optional<std::int64_t>& left = sale.seen.left_at_gate;
  const bool gated = sale.mode == "gated";
  if (gated && !left) found.emplace_back("the gate does not show the stock of the sale");
  if (!gated && left) found.emplace_back("the gate shows the stock of a sale that is not gated");
  if (gated && left && sale.seen.stock && *left != sale.seen.stock->available) {
    found.push_back(off("units left at the gate", *left, sale.seen.stock->available));
  }
}

std::string left_text(const SaleSeen& seen) {
  const std::string at_gate = seen.left_at_gate ? "gate " + with_commas(*seen.left_at_gate) + ", " : "";
  return at_gate + "database " + with_commas(seen.stock->available);
}

void check_database(const Sale& sale, const Tally& tally, std::vector<std::string>& found) {
  const std::int64_t expected = orders_expected(sale.size, sale.plan);
  if (!sale.seen.stock) {
    found.emplace_back("the stock of the sale is not listed");
  } else {
    const SaleSeen::Stock& stock = *sale.seen.stock;
    if (stock.reserved != expected)
      found.push_back(off("units reserved in the database", stock.reserved, expected));
    if (stock.available != sale.size.units - expected)
      found.push_back(off("units left in the database", stock.available, sale.size.units - expected));
    if (stock.sold != 0) found.push_back(off("units sold in the database", stock.sold, 0));
  }
  check_gate(sale, found);
  const auto seen = static_cast<std::int64_t>(sale.seen.orders.size());
  if (seen != tally.orders) found.push_back(off("orders found again by their id", seen, tally.orders));
  for (const SaleSeen::Order& order : sale.seen.orders) {
    const auto answered = tally.users.find(order.id);
    if (order.state != "held" || answered == tally.users.end() || answered->second != order.user)
      found.push_back("order " + order.id + " is " + order.state + " and of user " + order.user +
                      " in the database, which is not what was answered");
  }
  if (!sale.seen.audit.clean()) found.push_back(off("findings of verify", sale.seen.audit.findings_total, 0));
}

std::int64_t exchanges(const SaleRun& run) {
  return static_cast<std::int64_t>(run.results.size()) + run.repeats + run.busy + run.unknown;
}

std::int64_t per_second(const SaleRun& run) {
  return exchanges(run) * 1000 / std::max<std::int64_t>(run.took.count(), 1);
}

// 412 ms as "0.41 s".
std::string seconds_text(Duration took) {
  const std::int64_t hundredths = took.count() / 10;
  const std::string part = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (part.size() == 1 ? "0" : "") + part + " s";
}

std::string plural(std::int64_t count, std::string_view one, std::string_view more) {
  return with_commas(count) + " " + std::string(count == 1 ? one : more);
}

std::string otherwise_text(const Tally& tally) {
  std::string text;
  for (const auto& [outcome, count] : tally.otherwise)
    text += (text.empty() ? "" : ", ") + with_commas(count) + " " + outcome;
  return text.empty() ? "none" : text;
}

std::string patience_text(const SaleRun& run) {
  std::string text =
      plural(run.repeats, "request", "requests") + " sent twice with the same key, answered alike";
  if (run.busy + run.unknown + run.lost == 0) return text;
  return text + "; " + with_commas(run.busy) + " told to come later, " + with_commas(run.unknown) +
         " unknown, " + with_commas(run.lost) + " lost, all asked again";
}

}  // namespace

std::vector<std::string> deviations_of(const Sale& sale) {
  const Tally tally = tally_of(sale);
  std::vector<std::string> found;
  check_answers(sale, tally, found);
  check_repeats(sale, found);
  check_database(sale, tally, found);
  return found;
}

Duration percentile(std::vector<Duration> values, int percent) {
  if (values.empty()) return Duration(0);
  std::ranges::sort(values);
  const std::size_t rank = (values.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

std::string verdict_text(const Sale& sale, const std::vector<std::string>& deviations, Ink ink) {
  const Tally tally = tally_of(sale);
  const SaleRun& run = sale.run;
  std::string text;
  const auto row = [&text](std::string_view name, const std::string& value) {
    text +=
        "  " + std::string(name) + std::string(name.size() < 22 ? 22 - name.size() : 1, ' ') + value + "\n";
  };
  row("requests", plural(sale.size.requests, "request", "requests") + " by " +
                      plural(sale.plan.buyers, "user", "users") + " for " +
                      plural(sale.size.units, "unit", "units") + ", over " +
                      plural(static_cast<std::int64_t>(sale.connections), "connection", "connections"));
  row("speed", seconds_text(run.took) + ", " + with_commas(per_second(run)) + " a second, p50 " +
                   std::to_string(percentile(run.latencies, 50).count()) + " ms, p99 " +
                   std::to_string(percentile(run.latencies, 99).count()) + " ms");
  row("retries", patience_text(run));
  row("orders", with_commas(tally.orders) + " of " + with_commas(orders_expected(sale.size, sale.plan)));
  row("other answers", otherwise_text(tally));
  if (sale.seen.stock) row("left", left_text(sale.seen));
  if (sale.seen.stock) row("reserved", with_commas(sale.seen.stock->reserved));
  row("users with two orders", with_commas(tally.users_with_two));
  row("verify", sale.seen.audit.clean() ? "clean, " + with_commas(sale.seen.audit.flows) + " ledger entries"
                                        : plural(sale.seen.audit.findings_total, "finding", "findings"));
  for (const std::string& deviation : deviations) row("WRONG", deviation);
  const bool right = deviations.empty();
  const std::string words =
      right ? "PASSED: every unit was sold, and none twice."
            : "FAILED: " + plural(static_cast<std::int64_t>(deviations.size()), "deviation", "deviations") +
                  ".";
  if (ink == Ink::plain) return text + "\n  " + words + "\n";
  return text + "\n  \033[1;" + (right ? "32" : "31") + "m" + words + "\033[0m\n";
}

std::string verdict_json(const Sale& sale, const std::vector<std::string>& deviations) {
  const Tally tally = tally_of(sale);
  const SaleRun& run = sale.run;
  std::string text = std::string(R"({"event":"verdict","passed":)") + (deviations.empty() ? "true" : "false");
  const auto number = [&text](std::string_view name, std::int64_t value) {
    text += ",\"" + std::string(name) + "\":" + std::to_string(value);
  };
  number("users", sale.size.users);
  number("units", sale.size.units);
  number("requests", sale.size.requests);
  text += ",\"seed\":" + std::to_string(sale.size.seed);
  number("connections", static_cast<std::int64_t>(sale.connections));
  number("took_ms", run.took.count());
  number("per_second", per_second(run));
  number("p50_ms", percentile(run.latencies, 50).count());
  number("p99_ms", percentile(run.latencies, 99).count());
  number("repeats", run.repeats);
  number("busy", run.busy);
  number("unknown", run.unknown);
  number("lost", run.lost);
  number("orders", tally.orders);
  number("orders_expected", orders_expected(sale.size, sale.plan));
  number("users_with_two", tally.users_with_two);
  text += R"(,"mode":")" + sale.mode + "\"";
  if (sale.seen.left_at_gate) number("left_at_gate", *sale.seen.left_at_gate);
  if (sale.seen.stock) number("available", sale.seen.stock->available);
  if (sale.seen.stock) number("reserved", sale.seen.stock->reserved);
  number("verify_findings", sale.seen.audit.findings_total);
  text += R"(,"other_answers":{)";
  for (const auto& [outcome, count] : tally.otherwise) {
    text += text.ends_with('{') ? "" : ",";
    append_json_text(text, outcome);
    text += ":" + std::to_string(count);
  }
  text += R"(},"deviations":[)";
  for (const std::string& deviation : deviations) {
    text += text.ends_with('[') ? "" : ",";
    append_json_text(text, deviation);
  }
  return text + "]}";
}

}  // namespace gavel::app
