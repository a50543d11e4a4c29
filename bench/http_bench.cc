// http_bench: single orders over HTTP, beside an empty answer of the same HTTP layer.
//
//   http_bench [--turns 3] [--seconds 2] [--connections 64] [--rate 0]
//
// One service (SQLite, default settings) and the load share this process and its machine. Each turn asks for
// GET /healthz and then for orders, both in a closed loop over the same kept-alive connections. /healthz
// stands for an empty handler: its request is read, routed, answered and written by the code that an order
// passes through, without a body, a key, the pipeline or the judge. After the turns comes an open loop at
// `rate` orders a second (0: half of what the closed loop reached), measured from the scheduled time. CPU
// time is that of all threads, the load's included, which is told apart as load_cpu_us. Last come calls of
// 1,000 orders each, over 4 connections. A second service, in mode gated, is then asked for a SKU that is
// sold out, in turns with its empty answer: what the hopeless cost. Each database is audited at the end; the
// program ends with 4 where that finds something.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "bench/figure.h"
#include "bench/load.h"
#include "bench/order_requests.h"
#include "bench/server.h"
#include "bench/shop.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {
namespace {

class EmptyRequests final : public app::Traffic {
 public:
  std::optional<app::HttpRequest> next() override {
    return app::HttpRequest{.method = "GET", .target = "/healthz"};
  }
  void on_response(const app::HttpRequest&, const app::HttpResponse&, const std::string&) override {}
};

constexpr std::size_t batch = OrderRequests::batch;
constexpr std::size_t batch_connections = 4;  // Two calls in work, two on their way.

// Empty answers and single orders in turns, over the same connections.
struct Turns {
  std::vector<double> empty_rates, order_rates, ratios, empty_cpu_us, order_cpu_us, empty_load_us,
      order_load_us;
  app::LatencyHistogram empty_latencies, order_latencies;
};

// `code` is the word in the response to an order.
void add_turn(app::LoadEngine& engine, Span during, OrderRequests& requests, const std::string& code,
              Turns& turns) {
  EmptyRequests empty_requests;
  const MeasuredLoad empty = run_load(engine, app::OutstandingSchedule{during}, empty_requests, "200");
  const MeasuredLoad orders = run_load(engine, app::OutstandingSchedule{during}, requests, code);
  turns.empty_rates.push_back(empty.per_second());
  turns.order_rates.push_back(orders.per_second());
  turns.empty_cpu_us.push_back(empty.cpu_us());
  turns.order_cpu_us.push_back(orders.cpu_us());
  turns.empty_load_us.push_back(empty.load_cpu_us());
  turns.order_load_us.push_back(orders.load_cpu_us());
  turns.ratios.push_back(orders.per_second() / empty.per_second());
  turns.empty_latencies.add(empty.statistics.latencies);
  turns.order_latencies.add(orders.statistics.latencies);
}

struct Plan {
  std::int64_t turns;
  Span during;
  std::int64_t connections;
  std::int64_t rate;
};

Turns take_turns(app::LoadEngine& engine, const Plan& plan, OrderRequests& requests,
                 const std::string& code) {
  Turns warm_up;
  add_turn(engine, plan.during / 4, requests, code, warm_up);
  Turns turns;
  for (std::int64_t turn = 0; turn < plan.turns; ++turn) {
    add_turn(engine, plan.during, requests, code, turns);
  }
  return turns;
}

void print_turns(const std::string& name, const Plan& plan, const Turns& turns, const Audited& audit) {
  Figure figure(name);
  figure.integer("connections", plan.connections)
      .integer("turns", plan.turns)
      .number("orders_per_second", median(turns.order_rates))
      .number("of_empty", median(turns.ratios))
      .number("cpu_us_per_order", median(turns.order_cpu_us))
      .number("load_cpu_us_per_order", median(turns.order_load_us));
  add_latencies(figure, turns.order_latencies).text("verify", audit.verify).print();
}

void print_empty(const Plan& plan, const Turns& turns, const Audited& audit) {
  Figure figure("http_empty");
  figure.integer("connections", plan.connections)
      .integer("turns", plan.turns)
      .number("requests_per_second", median(turns.empty_rates))
      .number("cpu_us_per_request", median(turns.empty_cpu_us))
      .number("load_cpu_us_per_request", median(turns.empty_load_us));
  add_latencies(figure, turns.empty_latencies).text("verify", audit.verify).print();
}

// What is for sale, in mode direct. Says whether the audit was clean.
bool measure_sale(Plan plan) {
  Server server("direct");
  OrderRequests requests("tee");
  Turns turns;
  MeasuredLoad scheduled, batches;
  {
    const auto engine = open_load(server.shop(), static_cast<std::size_t>(plan.connections));
    turns = take_turns(*engine, plan, requests, "reserved");
    if (plan.rate <= 0) plan.rate = std::llround(median(turns.order_rates) / 2);
    scheduled = run_load(*engine, app::RateSchedule{plan.rate, plan.during}, requests, "reserved");
  }
  {
    const auto engine = open_load(server.shop(), batch_connections);
    requests.set_form(OrderRequests::Form::batched);
    batches = run_load(*engine, app::OutstandingSchedule{plan.during}, requests, "reserved");
  }
  const Audited audit = server.verify();
  CHECK(audit.orders == static_cast<std::int64_t>(requests.made()));  // Elements of a batch included.
  print_empty(plan, turns, audit);
  print_turns("http_orders", plan, turns, audit);
  Figure by_rate("http_orders_scheduled");
  by_rate.integer("connections", plan.connections)
      .integer("rate", plan.rate)
      .number("orders_per_second", scheduled.per_second());
  add_latencies(by_rate, scheduled.statistics.latencies).text("verify", audit.verify).print();
  Figure by_batch("http_batch");
  by_batch.integer("connections", static_cast<std::int64_t>(batch_connections))
      .integer("batch", static_cast<std::int64_t>(batch))
      .number("orders_per_second", batches.per_second() * static_cast<double>(batch))
      .number("cpu_us_per_order", batches.cpu_us() / static_cast<double>(batch));
  add_latencies(by_batch, batches.statistics.latencies).text("verify", audit.verify).print();
  return audit.verify == "clean";
}

// What is sold out, in mode gated: the closed gate's no, confirmed by reads.
bool measure_sold_out(const Plan& plan) {
  Server server("gated");
  OrderRequests requests("gone");
  Turns turns;
  {
    const auto engine = open_load(server.shop(), static_cast<std::size_t>(plan.connections));
    turns = take_turns(*engine, plan, requests, "sold_out");
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
       .rate = number_given(count, arguments, "--rate", 0)});
}
