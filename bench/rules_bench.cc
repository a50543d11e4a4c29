// rules_bench: what one decision costs, act by act, in batches of 1,000 on a state in memory.
//
// One item of the figures is one command; the state of a batch is made outside of its time.
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/clock.h"
#include "bench/shop.h"
#include "rules/decide.h"
#include "rules/invariants.h"
#include "rules/state.h"

namespace gavel::bench {
namespace {

using rules::Command;
using rules::State;
using rules::Verdict;

constexpr std::size_t batch = 1000;

State state_with(rules::Quantity units) {
  State state;
  const rules::SkuCode sku(sku_code);
  state.skus.emplace(sku, rules::Sku{.id = {1}, .code = sku, .free_item = {1}});
  const std::vector<rules::Bucket> buckets{{.available = units, .reserved = {}, .sold = {}, .seq = 0}};
  state.items.emplace(rules::ItemId{1},
                      rules::Item{.id = {1}, .sku = {1}, .buckets = buckets, .loaded = buckets});
  state.items.emplace(
      rules::ItemId{2},
      rules::Item{.id = {2}, .sku = {1}, .activity = {1}, .buckets = buckets, .loaded = buckets});
  const rules::ActivityCode activity(activity_code);
  rules::Activity sale{.id = {1},
                       .code = activity,
                       .name = "Drop",
                       .state = rules::ActivityState::open,
                       .limit_per_user = rules::Quantity{1},
                       .opens_at = {},
                       .closes_at = {},
                       .hold = {},
                       .lines = {}};
  sale.lines.push_back({.sku = {1}, .code = sku, .allotment = {stock_units}, .item = {2}});
  state.activities.emplace(activity, sale);
  return state;
}

std::vector<Verdict> decide_all(State& state, const std::vector<Command>& commands, Time now) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(commands.size());
  for (const Command& command : commands)
    verdicts.push_back(rules::decide(state, command, now, rules::Policy()));
  return verdicts;
}

// Measures the decisions on `commands`, each time on a fresh copy of `state`.
void measure(benchmark::State& bench, const State& state, const std::vector<Command>& commands, Time now,
             rules::Outcome expected) {
  for (auto _ : bench) {
    bench.PauseTiming();
    State copy = state;
    bench.ResumeTiming();
    const std::vector<Verdict> verdicts = decide_all(copy, commands, now);
    bench.PauseTiming();
    for (const Verdict& verdict : verdicts) CHECK(verdict.outcome == expected);
    copy = State();
    bench.ResumeTiming();
  }
  bench.SetItemsProcessed(bench.iterations() * static_cast<std::int64_t>(commands.size()));
}

// A state with a batch of orders held, and one command about each of them.
template <class Act>
void settle(benchmark::State& bench, Act act_of, Duration later, rules::Outcome expected) {
  const Time now = RealClock().now();
  State state = state_with({stock_units});
  const std::vector<Command> orders = Orders(Limit::none, 1).next(batch, now);
  std::vector<Command> commands;
  for (const Verdict& verdict : decide_all(state, orders, now)) {
    Command command = command_of("settle-" + std::to_string(commands.size()), act_of(*verdict.order));
    if (std::holds_alternative<rules::Expire>(command.act)) command.key.reset();
    commands.push_back(std::move(command));
  }
  state.flows.clear();
  measure(bench, state, commands, now + later, expected);
}

void reserve(benchmark::State& bench) {
  const Time now = RealClock().now();
  measure(bench, state_with({stock_units}), Orders(Limit::none, 1).next(batch, now), now,
          rules::Outcome::reserved);
}

void reserve_with_limit(benchmark::State& bench) {
  const Time now = RealClock().now();
  measure(bench, state_with({stock_units}), Orders(Limit::per_user, 1).next(batch, now), now,
          rules::Outcome::reserved);
}

void refuse_sold_out(benchmark::State& bench) {
  const Time now = RealClock().now();
  measure(bench, state_with({0}), Orders(Limit::none, 1).next(batch, now), now, rules::Outcome::sold_out);
}

void replay(benchmark::State& bench) {
  const Time now = RealClock().now();
  State state = state_with({stock_units});
  const std::vector<Command> orders = Orders(Limit::none, 1).next(batch, now);
  decide_all(state, orders, now);
  measure(bench, state, orders, now, rules::Outcome::reserved);
}

void confirm(benchmark::State& bench) {
  settle(bench, [](rules::OrderId id) { return rules::Confirm{id}; }, Duration(0), rules::Outcome::confirmed);
}

void cancel(benchmark::State& bench) {
  settle(bench, [](rules::OrderId id) { return rules::Cancel{id}; }, Duration(0), rules::Outcome::cancelled);
}

void expire(benchmark::State& bench) {
  settle(
      bench, [](rules::OrderId id) { return rules::Expire{id}; }, std::chrono::hours(1),
      rules::Outcome::expired);
}

void invariants(benchmark::State& bench) {
  const Time now = RealClock().now();
  State state = state_with({stock_units});
  decide_all(state, Orders(Limit::per_user, 1).next(batch, now), now);
  rules::raise_generations(state);
  for (auto _ : bench) CHECK(!rules::first_broken(state));
  bench.SetItemsProcessed(bench.iterations() * static_cast<std::int64_t>(batch));
}

BENCHMARK(reserve)->Unit(benchmark::kMicrosecond);
BENCHMARK(reserve_with_limit)->Unit(benchmark::kMicrosecond);
BENCHMARK(refuse_sold_out)->Unit(benchmark::kMicrosecond);
BENCHMARK(replay)->Unit(benchmark::kMicrosecond);
BENCHMARK(confirm)->Unit(benchmark::kMicrosecond);
BENCHMARK(cancel)->Unit(benchmark::kMicrosecond);
BENCHMARK(expire)->Unit(benchmark::kMicrosecond);
BENCHMARK(invariants)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gavel::bench
