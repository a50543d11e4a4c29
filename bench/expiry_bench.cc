// expiry_bench: every hold of a sale expires in the same second, while new orders come (E20, C9).
//
//   expiry_bench [--turns 3] [--holds 100000] [--rate 500] [--connections 16]
//
// All units of a SKU are held. Orders come by a schedule, half of them for that SKU and half for another,
// from the moment at which the holds begin to expire until all are released; the same schedule before, on a
// quiet service, is what they are compared with. Every order must be answered 201: the first ones find no
// unit that was released, and take those of holds that have just expired. The release is measured from the
// end of the second in which the holds expired, and C9 bounds it by holds / 20,000 a second; afterwards every
// unit of the SKU is free or with one of these orders. Each turn has a service of its own, and its database
// is audited at the end; the program ends with 4 where that finds something. p99_of_quiet is the median of
// the turns' ratios. A turn in which the machine itself stood still is told by machine_pause_ms, the longest
// of such pauses (bench/machine_watch.h).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/client/http_client.h"
#include "app/load/load_engine.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/uuid.h"
#include "bench/figure.h"
#include "bench/load.h"
#include "bench/machine_watch.h"
#include "bench/server.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {
namespace {

constexpr std::int64_t batch = 1'000;
constexpr double released_a_second_least = 20'000;
constexpr Span quiet_for = std::chrono::seconds(4);
constexpr Span release_within_most = std::chrono::minutes(2);  // Longer than that is no release.
constexpr std::chrono::seconds holds_within{6};                // The holds are made long before they expire.

struct Plan {
  std::int64_t turns;
  std::int64_t holds;
  std::int64_t rate;
  std::int64_t connections;

  double bound() const { return static_cast<double>(holds) / released_a_second_least; }  // In seconds.
};

class Requests {
 public:
  // One order of one unit.
  app::HttpRequest order(const char* sku) {
    return {.method = "POST", .target = "/v1/orders", .body = "{" + content(sku) + "}", .key = key()};
  }

  // A call that holds `count` units for so long.
  app::HttpRequest holds(const char* sku, std::int64_t count, std::chrono::seconds hold) {
    app::HttpRequest request{.method = "POST", .target = "/v1/batch"};
    for (std::int64_t i = 0; i < count; ++i) {
      request.body += (i == 0 ? R"([{"request_id":")" : R"(,{"request_id":")") + key();
      request.body += R"(","act":"reserve",)" + content(sku) + R"(,"hold_seconds":)";
      request.body += std::to_string(hold.count()) + "}";
    }
    request.body += "]";
    return request;
  }

 private:
  std::string key() { return to_text(make_uuid7(clock_.now(), random_)); }
  std::string content(const char* sku) {
    return R"("user":"u)" + std::to_string(random_.below(1'000'000'000'000)) + R"(","lines":[{"sku":")" +
           sku + R"(","quantity":1}])";
  }

  const RealClock clock_;
  Random random_{1};
};

// Orders for tee, or by turns for the SKU whose units are all held; none once `over` is stopped.
class Orders final : public app::Traffic {
 public:
  enum class Skus : std::uint8_t { tee, held_and_tee };
  Orders(Requests& requests, Skus skus, std::stop_token over = {})
      : requests_(requests), skus_(skus), over_(std::move(over)) {}

  std::optional<app::HttpRequest> next() override {
    if (over_.stop_requested()) return std::nullopt;
    if (skus_ == Skus::tee) return requests_.order("tee");
    is_held_ = !is_held_;
    of_held_ += is_held_ ? 1 : 0;
    return requests_.order(is_held_ ? "held" : "tee");
  }
  void on_response(const app::HttpRequest&, const app::HttpResponse&, const std::string&) override {}

  std::int64_t of_held() const { return of_held_; }

 private:
  Requests& requests_;
  const Skus skus_;
  const std::stop_token over_;
  bool is_held_ = false;
  std::int64_t of_held_ = 0;
};

std::int64_t count_of(const std::string& text, std::string_view word) {
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

// Holds every unit so that all expire within one second; the beginning of that second.
Time hold_all(const Server& server, Requests& requests, std::int64_t holds) {
  const RealClock clock;
  auto client = app::HttpClient::create(server.shop());
  CHECK(client.has_value());
  const Time expire = std::chrono::ceil<std::chrono::seconds>(clock.now()) + holds_within;
  for (std::int64_t made = 0; made < holds; made += batch) {
    // Rounded up, so that what is held later expires within the same second.
    const auto hold = std::chrono::ceil<std::chrono::seconds>(expire - clock.now());
    CHECK(hold.count() > 1);
    const auto answer =
        client->ask(requests.holds("held", std::min(batch, holds - made), hold), Duration(10'000));
    CHECK(answer.has_value() && answer->status == 200);
    CHECK(count_of(answer->body, R"("code":"reserved")") == std::min(batch, holds - made));
  }
  return expire;
}

void wait_until(Time when) {
  const RealClock clock;
  while (clock.now() < when) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// When the last of the holds was released, after `expire`.
Span watch_release(judge::Reader& reader, Time expire) {
  const Time all_due = expire + std::chrono::seconds(1);
  wait_until(all_due);
  for (;;) {
    const auto due = reader.due(1);
    CHECK(due.has_value());
    // Younger holds of the load are not due before the default of 15 minutes.
    if (due->holds.empty()) return due->now - all_due;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// What every hold's release and these orders leave of the SKU whose units were all held.
void expect_taken(judge::Reader& reader, std::int64_t reserved, std::int64_t available) {
  const auto rows = reader.stock(rules::SkuCode("held"));
  CHECK(rows.has_value() && rows->has_value());
  for (const judge::StockRow& row : **rows) {
    for (const rules::Bucket& bucket : row.item.buckets) {
      reserved -= bucket.reserved.units;
      available -= bucket.available.units;
    }
  }
  CHECK(reserved == 0 && available == 0);
}

struct Turn {
  MeasuredLoad quiet, busy;
  Span released{0};
  Span machine_pause{0};
  std::string verify;

  double ratio() const { return busy.statistics.latencies.ms(0.99) / quiet.statistics.latencies.ms(0.99); }
};

Turn take_turn(const Plan& plan, MachineWatch& machine) {
  Server server("direct");
  server.stock("held", plan.holds);
  Requests requests;
  Turn result;
  {
    const auto engine = open_load(server.shop(), static_cast<std::size_t>(plan.connections));
    Orders quiet_orders(requests, Orders::Skus::tee);
    run_load(*engine, app::RateSchedule{plan.rate, quiet_for / 4}, quiet_orders, "reserved");
    machine.take_longest();
    result.quiet = run_load(*engine, app::RateSchedule{plan.rate, quiet_for}, quiet_orders, "reserved");
    result.machine_pause = machine.take_longest();
    const Time expire = hold_all(server, requests, plan.holds);
    const auto reader = server.open_reader();
    std::stop_source released;
    std::thread watch([&] {
      result.released = watch_release(*reader, expire);
      released.request_stop();
    });
    // Some of them are due then, and more become due than are asked for.
    wait_until(expire + Duration(50));
    machine.take_longest();
    Orders orders(requests, Orders::Skus::held_and_tee, released.get_token());
    result.busy = run_load(*engine, app::RateSchedule{plan.rate, release_within_most}, orders, "reserved");
    result.machine_pause = std::max(result.machine_pause, machine.take_longest());
    watch.join();
    expect_taken(*reader, orders.of_held(), plan.holds - orders.of_held());
  }
  result.verify = server.verify().verify;
  return result;
}

void print(const Plan& plan, const std::vector<Turn>& turns, bool machine_is_watched) {
  app::LatencyHistogram quiet, busy;
  std::vector<double> rates, ratios;
  Span released{0}, machine_pause{0};
  std::string verify = "clean";
  for (const Turn& turn : turns) {
    quiet.add(turn.quiet.statistics.latencies);
    busy.add(turn.busy.statistics.latencies);
    rates.push_back(turn.busy.per_second());
    ratios.push_back(turn.ratio());
    released = std::max(released, turn.released);
    machine_pause = std::max(machine_pause, turn.machine_pause);
    if (turn.verify != "clean") verify = turn.verify;
  }
  Figure figure("mass_expiry");
  figure.integer("turns", plan.turns)
      .integer("holds", plan.holds)
      .integer("connections", plan.connections)
      .number("orders_per_second", median(rates));
  add_latencies(figure, busy)
      .number("quiet_p99_ms", quiet.ms(0.99))
      .number("p99_of_quiet", median(ratios))
      .number("p99_of_quiet_most", std::ranges::max(ratios))
      .number("released_within_s", std::chrono::duration<double>(released).count())
      .number("bound_s", plan.bound());
  if (machine_is_watched)
    figure.number("machine_pause_ms", std::chrono::duration<double, std::milli>(machine_pause).count());
  figure.text("verify", verify).print();
}

int measure(const Plan& plan) {
  judge::spare_sqlite_memory_counts();  // As main() of the program does.
  CHECK(plan.turns >= 1);
  MachineWatch machine;
  std::vector<Turn> turns;
  for (std::int64_t i = 0; i < plan.turns; ++i) turns.push_back(take_turn(plan, machine));
  print(plan, turns, machine.works());
  const bool clean = std::ranges::all_of(turns, [](const Turn& turn) { return turn.verify == "clean"; });
  return clean ? 0 : 4;
}

}  // namespace
}  // namespace gavel::bench

int main(int count, char** arguments) {
  using gavel::bench::number_given;
  return gavel::bench::measure({.turns = number_given(count, arguments, "--turns", 3),
                                .holds = number_given(count, arguments, "--holds", 100'000),
                                .rate = number_given(count, arguments, "--rate", 500),
                                .connections = number_given(count, arguments, "--connections", 16)});
}
