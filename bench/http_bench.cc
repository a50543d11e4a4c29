// http_bench: single orders over HTTP, beside an empty answer of the same HTTP layer.
//
//   http_bench [--turns 3] [--seconds 2] [--connections 64] [--rate 0]
//
// One service (SQLite, default settings) and the load share this process and its machine. Each turn asks for
// GET /healthz and then for orders, both in a closed loop over the same kept-alive connections. /healthz
// stands for an empty handler: its request is read, routed, answered and written by the code that an order
// passes through, without a body, a key, the pipeline or the judge. After the turns comes an open loop at
// `rate` orders a second (0: half of what the closed loop reached), measured from the scheduled time. CPU
// time is that of all threads, the load's included. Last come calls of 1,000 orders each, over 4 connections.
// A second service, in mode gated, is then asked for a SKU that is sold out, in turns with its empty answer:
// what the hopeless cost. Each database is audited at the end; the program ends with 4 where that finds
// something.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "bench/figure.h"
#include "bench/load.h"
#include "bench/server.h"
#include "bench/shop.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {
namespace {

void ask_health(std::string& to) { to += "GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n"; }

constexpr std::size_t batch = 1000;
constexpr std::size_t batch_connections = 4;  // Two calls in work, two on their way.

class OrderRequests {
 public:
  explicit OrderRequests(std::string sku) : sku_(std::move(sku)) {}

  void single(std::string& to) {
    const std::string body = "{" + order() + "}";
    to += "POST /v1/orders HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nIdempotency-Key: ";
    to += key() + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    ++made_;
  }
  void many(std::string& to) {
    std::string body;
    for (std::size_t i = 0; i < batch; ++i) {
      body += (i == 0 ? R"([{"request_id":")" : R"(,{"request_id":")") + key() + R"(","act":"reserve",)";
      body += order() + "}";
    }
    body += "]";
    to += "POST /v1/batch HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ";
    to += std::to_string(body.size()) + "\r\n\r\n" + body;
    made_ += batch;
  }
  std::size_t made() const { return made_; }

 private:
  std::string key() { return to_text(make_uuid7(clock_.now(), random_)); }
  std::string order() {
    return R"("user":"u)" + std::to_string(random_.below(1'000'000'000'000)) + R"(","lines":[{"sku":")" +
           sku_ + R"(","quantity":1}])";
  }

  const std::string sku_;
  const RealClock clock_;
  Random random_{1};
  std::size_t made_ = 0;
};

// Answers of another status than the expected one would make a figure of something else.
void expect_all(const LoadResult& result, unsigned status) {
  for (const auto& [seen, count] : result.statuses) CHECK(seen == status);
}

// Empty answers and single orders in turns, over the same connections.
struct Turns {
  std::vector<double> empty_rates, order_rates, ratios, empty_cpu_us, order_cpu_us;
  Spans empty_latencies, order_latencies;
};

void add_turn(Load& load, Span during, OrderRequests& requests, unsigned status, Turns& turns) {
  const LoadResult empty = load.closed_loop(during, ask_health);
  const LoadResult orders = load.closed_loop(during, [&](std::string& to) { requests.single(to); });
  expect_all(empty, 200);
  expect_all(orders, status);
  turns.empty_rates.push_back(empty.rate());
  turns.order_rates.push_back(orders.rate());
  turns.empty_cpu_us.push_back(empty.cpu_us());
  turns.order_cpu_us.push_back(orders.cpu_us());
  turns.ratios.push_back(orders.rate() / empty.rate());
  turns.empty_latencies.add(empty.latencies);
  turns.order_latencies.add(orders.latencies);
}

struct Plan {
  std::int64_t turns;
  Span during;
  std::int64_t connections;
  double rate;
};

Turns take_turns(Load& load, const Plan& plan, OrderRequests& requests, unsigned status) {
  Turns warm_up;
  add_turn(load, plan.during / 4, requests, status, warm_up);
  Turns turns;
  for (std::int64_t turn = 0; turn < plan.turns; ++turn) {
    add_turn(load, plan.during, requests, status, turns);
  }
  return turns;
}

void print_turns(const std::string& name, const Plan& plan, const Turns& turns, const Audited& audit) {
  Figure(name)
      .integer("connections", plan.connections)
      .integer("turns", plan.turns)
      .number("orders_per_second", median(turns.order_rates))
      .number("of_empty", median(turns.ratios))
      .number("cpu_us_per_order", median(turns.order_cpu_us))
      .spans(turns.order_latencies)
      .text("verify", audit.verify)
      .print();
}

// What is for sale, in mode direct. Says whether the audit was clean.
bool measure_sale(Plan plan) {
  Server server("direct");
  OrderRequests requests("tee");
  Turns turns;
  LoadResult scheduled, batches;
  {
    Load load(server.port(), static_cast<std::size_t>(plan.connections));
    turns = take_turns(load, plan, requests, 201);
    if (plan.rate <= 0) plan.rate = median(turns.order_rates) / 2;
    scheduled = load.open_loop(plan.during, plan.rate, [&](std::string& to) { requests.single(to); });
    expect_all(scheduled, 201);
  }
  {
    Load load(server.port(), batch_connections);
    batches = load.closed_loop(plan.during, [&](std::string& to) { requests.many(to); });
    expect_all(batches, 200);
  }
  const Audited audit = server.verify();
  CHECK(audit.orders == static_cast<std::int64_t>(requests.made()));  // Elements of a batch included.
  Figure("http_empty")
      .integer("connections", plan.connections)
      .integer("turns", plan.turns)
      .number("requests_per_second", median(turns.empty_rates))
      .number("cpu_us_per_request", median(turns.empty_cpu_us))
      .spans(turns.empty_latencies)
      .text("verify", audit.verify)
      .print();
  print_turns("http_orders", plan, turns, audit);
  Figure("http_orders_scheduled")
      .integer("connections", plan.connections)
      .number("rate", plan.rate)
      .number("orders_per_second", scheduled.rate())
      .spans(scheduled.latencies)
      .text("verify", audit.verify)
      .print();
  Figure("http_batch")
      .integer("connections", static_cast<std::int64_t>(batch_connections))
      .integer("batch", static_cast<std::int64_t>(batch))
      .number("orders_per_second", batches.rate() * static_cast<double>(batch))
      .number("cpu_us_per_order", batches.cpu_us() / static_cast<double>(batch))
      .spans(batches.latencies)
      .text("verify", audit.verify)
      .print();
  return audit.verify == "clean";
}

// What is sold out, in mode gated: the closed gate's no, confirmed by reads.
bool measure_sold_out(const Plan& plan) {
  Server server("gated");
  OrderRequests requests("gone");
  Turns turns;
  {
    Load load(server.port(), static_cast<std::size_t>(plan.connections));
    turns = take_turns(load, plan, requests, 409);
  }
  const Audited audit = server.verify();
  CHECK(audit.orders < plan.connections);  // None but the judge's own refusals, before the gate knew.
  print_turns("http_sold_out", plan, turns, audit);
  return audit.verify == "clean";
}

int measure(const Plan& plan) {
  judge::spare_sqlite_memory_counts();  // As main() of the program does.
  const bool sale_clean = measure_sale(plan);
  const bool sold_out_clean = measure_sold_out(plan);
  return sale_clean && sold_out_clean ? 0 : 4;
}

}  // namespace
}  // namespace gavel::bench

int main(int count, char** arguments) {
  using gavel::bench::number_given;
  return gavel::bench::measure(
      {.turns = number_given(count, arguments, "--turns", 3),
       .during = std::chrono::seconds(number_given(count, arguments, "--seconds", 2)),
       .connections = number_given(count, arguments, "--connections", 64),
       .rate = static_cast<double>(number_given(count, arguments, "--rate", 0))});
}
