#include "app/demo/sale_verdict.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "app/load/figure_text.h"
#include "base/check.h"

namespace gavel::app {
namespace {

// What the responses add up to.
struct SaleCounts {
  std::int64_t orders = 0;                        // Requests answered 201.
  std::map<std::string, std::string> users;       // Of each order id.
  std::map<std::string, std::int64_t> bought;     // Orders of each user.
  std::map<std::string, std::int64_t> otherwise;  // Of each other outcome.
  std::int64_t users_with_two = 0;
};

SaleCounts counts_of(const Sale& sale) {
  SaleCounts counts;
  for (std::size_t i = 0; i < sale.run.results.size(); ++i) {
    const SaleReply& reply = sale.run.results[i].first;
    if (reply.status != 201) {
      ++counts.otherwise[reply.outcome.empty() ? "status " + std::to_string(reply.status) : reply.outcome];
      continue;
    }
    ++counts.orders;
    counts.users[reply.order] = sale.plan.requests[i].user;
    ++counts.bought[sale.plan.requests[i].user];
  }
  counts.users_with_two =
      std::ranges::count_if(counts.bought, [](const auto& one) { return one.second > 1; });
  return counts;
}

std::string off(std::string_view what, std::int64_t is, std::int64_t expected) {
  return std::string(what) + ": " + with_commas(is) + ", expected " + with_commas(expected);
}

void check_responses(const Sale& sale, const SaleCounts& counts, std::vector<std::string>& found) {
  const std::int64_t expected = orders_expected(sale.size, sale.plan);
  const auto ids = static_cast<std::int64_t>(counts.users.size());
  if (counts.orders != expected)
    found.push_back(off("requests answered with an order", counts.orders, expected));
  if (ids != counts.orders) found.push_back(off("different order ids in the responses", ids, counts.orders));
  if (counts.users_with_two != 0) found.push_back(off("users with two orders", counts.users_with_two, 0));
  for (const auto& [outcome, count] : counts.otherwise) {
    if (outcome != "sold_out" && outcome != "limit_reached")
      found.push_back(off("requests answered " + outcome, count, 0));
  }
  for (std::size_t i = 0; i < sale.run.results.size(); ++i) {
    const SaleReply& reply = sale.run.results[i].first;
    if (reply.status == 201 && reply.user != sale.plan.requests[i].user)
      found.push_back("order " + reply.order + " belongs to user " + reply.user + ", but user " +
                      sale.plan.requests[i].user + " requested it");
  }
}

// A9: a recorded response comes again byte for byte and says so; an unrecorded refusal stays a refusal.
void check_repeats(const Sale& sale, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < sale.run.results.size(); ++i) {
    const SaleRun::Result& result = sale.run.results[i];
    if (!result.again) continue;
    const SaleReply& first = result.first;
    const SaleReply& again = *result.again;
    const std::string key = "the repeat of key " + sale.plan.requests[i].key;
    if (again.status != first.status) {
      found.push_back(key + " was answered with status " + std::to_string(again.status) +
                      ", the first request with " + std::to_string(first.status));
    } else if (first.recorded && !again.replayed) {
      found.push_back(key + " is not marked as replayed, although the first response is recorded");
    } else if (first.recorded && again.order != first.order) {
      found.push_back(key + " names order " + again.order + ", the first response " + first.order);
    } else if (first.status == 201 && again.body != first.body) {
      found.push_back(key + " has another body than the first response");
    }
  }
}

// At rest the gate shows what the judge has (B14); without one there is nothing to be seen there.
void check_gate(const Sale& sale, std::vector<std::string>& found) {
  const std::optional<std::int64_t>& left = sale.reading.left_at_gate;
  const bool gated = sale.mode == "gated";
  if (gated && !left) found.emplace_back("the gate does not show the sale's stock");
  if (!gated && left) found.emplace_back("the gate shows the stock of a sale that is not gated");
  if (gated && left && sale.reading.stock && *left != sale.reading.stock->available) {
    found.push_back(off("units left at the gate", *left, sale.reading.stock->available));
  }
}

std::string left_text(const SaleReading& reading) {
  const std::string at_gate = reading.left_at_gate ? "gate " + with_commas(*reading.left_at_gate) + ", " : "";
  return at_gate + "database " + with_commas(reading.stock->available);
}

void check_database(const Sale& sale, const SaleCounts& counts, std::vector<std::string>& found) {
  const std::int64_t expected = orders_expected(sale.size, sale.plan);
  if (!sale.reading.stock) {
    found.emplace_back("the sale's stock is not listed");
  } else {
    const StockCounts& stock = *sale.reading.stock;
    if (stock.reserved != expected)
      found.push_back(off("units reserved in the database", stock.reserved, expected));
    if (stock.available != sale.size.units - expected)
      found.push_back(off("units left in the database", stock.available, sale.size.units - expected));
    if (stock.sold != 0) found.push_back(off("units sold in the database", stock.sold, 0));
  }
  check_gate(sale, found);
  const auto found_again = static_cast<std::int64_t>(sale.reading.orders.size());
  if (found_again != counts.orders)
    found.push_back(off("orders found by their id", found_again, counts.orders));
  for (const OrderSummary& order : sale.reading.orders) {
    const auto answered = counts.users.find(order.id);
    if (order.state != "held" || answered == counts.users.end() || answered->second != order.user)
      found.push_back("order " + order.id + " is " + order.state + " and belongs to user " + order.user +
                      " in the database, unlike in the response");
  }
  if (!sale.reading.audit.clean())
    found.push_back(off("findings of verify", sale.reading.audit.findings_total, 0));
}

std::int64_t exchanges(const SaleRun& run) {
  return static_cast<std::int64_t>(run.results.size()) + run.repeats + run.statistics.busy +
         run.statistics.unknown;
}

std::int64_t took_ms(const SaleRun& run) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(run.statistics.took).count();
}

std::int64_t per_second(const SaleRun& run) {
  return exchanges(run) * 1000 / std::max<std::int64_t>(took_ms(run), 1);
}

std::string plural(std::int64_t count, std::string_view one, std::string_view more) {
  return with_commas(count) + " " + std::string(count == 1 ? one : more);
}

std::string otherwise_text(const SaleCounts& counts) {
  std::string text;
  for (const auto& [outcome, count] : counts.otherwise)
    text += (text.empty() ? "" : ", ") + with_commas(count) + " " + outcome;
  return text.empty() ? "none" : text;
}

std::string retries_text(const SaleRun& run) {
  const LoadStatistics& statistics = run.statistics;
  std::string text =
      plural(run.repeats, "request", "requests") + " sent twice with the same key, answered alike";
  if (statistics.busy + statistics.unknown + statistics.lost == 0) return text;
  return text + "; " + with_commas(statistics.busy) + " busy, " + with_commas(statistics.unknown) +
         " unknown, " + with_commas(statistics.lost) + " lost, all sent again";
}

}  // namespace

std::vector<std::string> deviations_of(const Sale& sale) {
  CHECK(sale.run.results.size() == sale.plan.requests.size());
  const SaleCounts counts = counts_of(sale);
  std::vector<std::string> found;
  check_responses(sale, counts, found);
  check_repeats(sale, found);
  check_database(sale, counts, found);
  return found;
}

std::string verdict_text(const Sale& sale, const std::vector<std::string>& deviations, ColourMode colour) {
  const SaleCounts counts = counts_of(sale);
  const SaleRun& run = sale.run;
  const LatencyHistogram& latencies = run.statistics.latencies;
  std::string text;
  const auto row = [&text](std::string_view name, const std::string& value) {
    text +=
        "  " + std::string(name) + std::string(name.size() < 22 ? 22 - name.size() : 1, ' ') + value + "\n";
  };
  row("requests", plural(sale.size.requests, "request", "requests") + " by " +
                      plural(sale.plan.buyers, "user", "users") + " for " +
                      plural(sale.size.units, "unit", "units") + ", over " +
                      plural(static_cast<std::int64_t>(sale.connections), "connection", "connections"));
  row("speed", fixed(static_cast<double>(took_ms(run)) / 1000, 2) + " s, " + with_commas(per_second(run)) +
                   " a second, p50 " + short_ms(latencies.ms(0.5)) + " ms, p99 " +
                   short_ms(latencies.ms(0.99)) + " ms");
  row("retries", retries_text(run));
  row("orders", with_commas(counts.orders) + " of " + with_commas(orders_expected(sale.size, sale.plan)));
  row("other responses", otherwise_text(counts));
  if (sale.reading.stock) row("left", left_text(sale.reading));
  if (sale.reading.stock) row("reserved", with_commas(sale.reading.stock->reserved));
  row("users with two orders", with_commas(counts.users_with_two));
  const judge::AuditReport& audit = sale.reading.audit;
  row("verify", audit.clean() ? "clean, " + with_commas(audit.flows) + " ledger entries"
                              : plural(audit.findings_total, "finding", "findings"));
  for (const std::string& deviation : deviations) row("WRONG", deviation);
  const bool right = deviations.empty();
  const std::string words =
      right ? "PASSED: every unit was sold, and none twice."
            : "FAILED: " + plural(static_cast<std::int64_t>(deviations.size()), "deviation", "deviations") +
                  ".";
  if (colour == ColourMode::plain) return text + "\n  " + words + "\n";
  return text + "\n  \033[1;" + (right ? "32" : "31") + "m" + words + "\033[0m\n";
}

std::string verdict_json(const Sale& sale, const std::vector<std::string>& deviations) {
  const SaleCounts counts = counts_of(sale);
  const SaleRun& run = sale.run;
  const SaleReading& reading = sale.reading;
  boost::json::object other;
  for (const auto& [outcome, count] : counts.otherwise) other[outcome] = count;
  boost::json::object json;
  json["event"] = "verdict";
  json["passed"] = deviations.empty();
  json["users"] = sale.size.users;
  json["units"] = sale.size.units;
  json["requests"] = sale.size.requests;
  json["seed"] = sale.size.seed;
  json["connections"] = sale.connections;
  json["took_ms"] = took_ms(run);
  json["per_second"] = per_second(run);
  json["p50_ms"] = rounded(run.statistics.latencies.ms(0.5), 3);
  json["p99_ms"] = rounded(run.statistics.latencies.ms(0.99), 3);
  json["repeats"] = run.repeats;
  json["busy"] = run.statistics.busy;
  json["unknown"] = run.statistics.unknown;
  json["lost"] = run.statistics.lost;
  json["orders"] = counts.orders;
  json["orders_expected"] = orders_expected(sale.size, sale.plan);
  json["users_with_two"] = counts.users_with_two;
  json["mode"] = sale.mode;
  if (reading.left_at_gate) json["left_at_gate"] = *reading.left_at_gate;
  if (reading.stock) json["available"] = reading.stock->available;
  if (reading.stock) json["reserved"] = reading.stock->reserved;
  json["verify_findings"] = reading.audit.findings_total;
  json["other_answers"] = std::move(other);
  json["deviations"] = boost::json::array(deviations.begin(), deviations.end());
  return json_line(json);
}

}  // namespace gavel::app
