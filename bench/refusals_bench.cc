// refusals_bench: what a refusal by the closed gate takes while an operator's audit reads the whole database.
//
//   refusals_bench [--turns 3] [--orders 100000] [--rate 1000] [--seconds 4] [--connections 64]
//
// A gated SKU is sold out by so many orders. Each turn sends orders for it by a schedule, which are all
// refused: first while nobody else asks anything, then while one audit (GET /v1/admin/verify, the work of
// `gavel verify`) follows the other. A latency counts from the scheduled time. The refusals and the audit
// have readers and threads of their own, so that on a machine with a free core the audit costs the refusals
// nothing (A20, B11). p99_of_quiet is the median of the turns' ratios. The database is audited at the end;
// the program ends with 4 where an audit finds something.
//
// With --orders 2000000 an audit takes half a minute and the making of the orders two.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "app/client/operator_client.h"
#include "app/load/load_engine.h"
#include "base/check.h"
#include "bench/figure.h"
#include "bench/load.h"
#include "bench/order_requests.h"
#include "bench/server.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {
namespace {

constexpr std::size_t making_connections = 4;  // Two calls in work, two on their way.

struct Plan {
  std::int64_t turns;
  std::int64_t orders;
  std::int64_t rate;
  Span during;
  std::int64_t connections;
};

// Audits, one after the other, on a thread of its own, from the construction until stop().
class Audits {
 public:
  explicit Audits(const Server& server) : client_(client_of(server)), thread_([this] { run(); }) {}

  // How many were done, at least one; all of them were clean.
  std::int64_t stop() {
    stopped_ = true;
    thread_.join();
    return done_;
  }

 private:
  static app::OperatorClient client_of(const Server& server) {
    auto client = app::OperatorClient::create(server.addresses());
    CHECK(client.has_value());
    return *std::move(client);
  }

  void run() {
    do {
      const auto report = client_.audit();
      CHECK(report.has_value() && report->clean());
      ++done_;
    } while (!stopped_);
  }

  app::OperatorClient client_;
  std::atomic<bool> stopped_{false};
  std::int64_t done_ = 0;  // Of the thread, until it has ended.
  std::thread thread_;
};

struct Turn {
  MeasuredLoad quiet, busy;
  std::int64_t audits = 0;

  double quiet_p99() const { return quiet.statistics.latencies.ms(0.99); }
  double busy_p99() const { return busy.statistics.latencies.ms(0.99); }
  double ratio() const { return busy_p99() / quiet_p99(); }
};

void sell_out(Server& server, const Plan& plan) {
  server.stock("few", plan.orders);
  const auto engine = open_load(server.shop(), making_connections);
  OrderRequests orders("few", static_cast<std::size_t>(plan.orders));
  orders.set_form(OrderRequests::Form::batched);
  run_load(*engine, app::OutstandingSchedule{}, orders, "reserved");
  CHECK(orders.made() == static_cast<std::size_t>(plan.orders));
}

std::vector<Turn> take_turns(Server& server, const Plan& plan) {
  const auto engine = open_load(server.shop(), static_cast<std::size_t>(plan.connections));
  OrderRequests late("few");
  const auto storm = [&](Span during) {
    return run_load(*engine, app::RateSchedule{plan.rate, during}, late, "sold_out");
  };
  storm(plan.during / 4);
  std::vector<Turn> turns;
  for (std::int64_t i = 0; i < plan.turns; ++i) {
    Turn turn{.quiet = storm(plan.during), .busy = {}};
    Audits audits(server);
    turn.busy = storm(plan.during);
    turn.audits = audits.stop();
    turns.push_back(std::move(turn));
  }
  return turns;
}

void print(const Plan& plan, const std::vector<Turn>& turns, const Audited& audit) {
  app::LatencyHistogram busy;
  std::vector<double> rates, quiet_p99s, busy_p99s, ratios;
  std::int64_t audits = 0;
  double quiet_longest = 0;
  for (const Turn& turn : turns) {
    busy.add(turn.busy.statistics.latencies);
    rates.push_back(turn.busy.per_second());
    quiet_p99s.push_back(turn.quiet_p99());
    busy_p99s.push_back(turn.busy_p99());
    ratios.push_back(turn.ratio());
    quiet_longest = std::max(quiet_longest, turn.quiet.statistics.latencies.longest_ms());
    audits += turn.audits;
  }
  Figure figure("refusals_beside_verify");
  figure.integer("turns", plan.turns)
      .integer("connections", plan.connections)
      .integer("orders", plan.orders)
      .integer("rate", plan.rate)
      .number("requests_per_second", median(rates));
  add_latencies(figure, busy)
      .number("p99_ms_median", median(busy_p99s))
      .number("quiet_p99_ms", median(quiet_p99s))
      .number("quiet_longest_ms", quiet_longest)
      .number("p99_of_quiet", median(ratios))
      .integer("audits", audits)
      .text("verify", audit.verify)
      .print();
}

int measure(const Plan& plan) {
  judge::spare_sqlite_memory_counts();  // As main() of the program does.
  CHECK(plan.turns >= 1 && plan.orders >= 1);
  Server server("gated");
  sell_out(server, plan);
  const std::vector<Turn> turns = take_turns(server, plan);
  const Audited audit = server.verify();
  print(plan, turns, audit);
  return audit.verify == "clean" ? 0 : 4;
}

}  // namespace
}  // namespace gavel::bench

int main(int count, char** arguments) {
  using gavel::bench::number_given;
  return gavel::bench::measure(
      {.turns = number_given(count, arguments, "--turns", 3),
       .orders = number_given(count, arguments, "--orders", 100'000),
       .rate = number_given(count, arguments, "--rate", 1'000),
       .during = std::chrono::seconds(number_given(count, arguments, "--seconds", 4)),
       .connections = number_given(count, arguments, "--connections", 64)});
}
