// judge_bench: the judge in process on SQLite, with whole rules and records, beside a bare log.
//
//   judge_bench [--turns 3] [--orders 60000]
//
// Each turn takes every case once, the judge and the log one after the other, each on a fresh file; the
// figures are medians over the turns. The commands of a batch are made before its time begins, for both. The
// time of a batch is that of Judge::apply: plan to commit, and the checkpoint where one is due. A turn ends
// with an audit of the file; a figure whose audit found something is printed with it and ends the program
// with 4.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/scratch_folder.h"
#include "base/check.h"
#include "base/clock.h"
#include "bench/bare_log.h"
#include "bench/figure.h"
#include "bench/shop.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {
namespace {

struct Case {
  Limit limit;
  std::size_t batch;
  std::int64_t share;  // One in so many of the orders: small batches are slow, and need fewer to be told.
};

constexpr Case cases[] = {
    {Limit::none, 1000, 1}, {Limit::none, 100, 2}, {Limit::none, 1, 30}, {Limit::per_user, 1000, 1}};

struct Run {
  Spans batches;
  Span cpu{0};
  std::string verify = "clean";
  double rate(std::int64_t orders) const {
    return static_cast<double>(orders) / std::chrono::duration<double>(batches.sum()).count();
  }
};

// What the turns of one case came to.
struct Sum {
  std::vector<double> judge_rates, log_rates, ratios, cpu_us, longest_ms;
  Spans judge_batches, log_batches;
  std::string verify = "clean";
};

Run run_judge(const Case& one, std::int64_t orders, std::uint64_t seed) {
  const auto folder = app::ScratchFolder::make();
  CHECK(folder.has_value());
  const RealClock clock;
  const judge::SqliteOptions options{.path = folder->file("gavel.db"), .vfs = ""};
  CHECK(judge::migrate_sqlite(options).has_value());
  auto store = judge::open_sqlite_store(options, clock);
  CHECK(store.has_value());
  Bench bench(**store, one.limit);
  Orders source(one.limit, seed);
  Run run;
  for (std::int64_t made = 0; made < orders; made += static_cast<std::int64_t>(one.batch)) {
    const std::vector<rules::Command> commands = source.next(one.batch, clock.now());
    const Span cpu = cpu_of_thread();
    const Span begun = steady_now();
    const auto verdicts = bench.apply(commands);
    run.batches.add(steady_now() - begun);
    run.cpu += cpu_of_thread() - cpu;
    for (const rules::Verdict& verdict : verdicts) CHECK(verdict.outcome == rules::Outcome::reserved);
  }
  auto reader = judge::open_sqlite_reader(options, clock);
  CHECK(reader.has_value());
  run.verify = audited(**reader).verify;
  return run;
}

// The same orders as bytes: key, caller, and the canonical text of what is asked.
Run run_log(const Case& one, std::int64_t orders, std::uint64_t seed) {
  const auto folder = app::ScratchFolder::make();
  CHECK(folder.has_value());
  const RealClock clock;
  BareLog log(folder->file("log"), static_cast<std::size_t>(orders));
  Orders source(one.limit, seed);
  Run run;
  for (std::int64_t made = 0; made < orders; made += static_cast<std::int64_t>(one.batch)) {
    std::vector<BareLog::Record> batch;
    for (const rules::Command& command : source.next(one.batch, clock.now())) {
      batch.push_back({command.new_order_id.uuid, std::string(command.key->text()) + ' ' +
                                                      command.caller.text() + ' ' +
                                                      rules::fingerprint_of(command.act) + '\n'});
    }
    const Span begun = steady_now();
    CHECK(log.append(batch) == one.batch);
    run.batches.add(steady_now() - begun);
  }
  return run;
}

void add_turn(const Case& one, std::int64_t orders, std::uint64_t seed, Sum& sum) {
  const Run judge = run_judge(one, orders, seed);
  const Run log = run_log(one, orders, seed);
  sum.judge_rates.push_back(judge.rate(orders));
  sum.log_rates.push_back(log.rate(orders));
  sum.ratios.push_back(judge.rate(orders) / log.rate(orders));
  sum.cpu_us.push_back(std::chrono::duration<double, std::micro>(judge.cpu).count() /
                       static_cast<double>(orders));
  sum.longest_ms.push_back(judge.batches.ms(1));
  sum.judge_batches.add(judge.batches);
  sum.log_batches.add(log.batches);
  if (judge.verify != "clean") sum.verify = judge.verify;
}

void print(const Case& one, std::int64_t orders, const Sum& sum) {
  Figure("judge")
      .text("store", "sqlite")
      .text("limit", one.limit == Limit::none ? "none" : "per_user")
      .integer("batch", static_cast<std::int64_t>(one.batch))
      .integer("orders", orders)
      .integer("turns", static_cast<std::int64_t>(sum.judge_rates.size()))
      .number("orders_per_second", median(sum.judge_rates))
      .number("of_bare_log", median(sum.ratios))
      .number("cpu_us_per_order", median(sum.cpu_us))
      .spans(sum.judge_batches)
      .number("longest_ms_median", median(sum.longest_ms))
      .text("verify", sum.verify)
      .print();
  Figure("bare_log")
      .text("limit", one.limit == Limit::none ? "none" : "per_user")
      .integer("batch", static_cast<std::int64_t>(one.batch))
      .integer("orders", orders)
      .number("orders_per_second", median(sum.log_rates))
      .spans(sum.log_batches)
      .text("verify", "none: a log has nothing to verify")
      .print();
}

int measure(std::int64_t turns, std::int64_t orders_of_turn) {
  judge::spare_sqlite_memory_counts();
  std::vector<Sum> sums(std::size(cases));
  const auto orders_of = [&](const Case& one) {
    const auto batch = static_cast<std::int64_t>(one.batch);
    return std::max<std::int64_t>(1, orders_of_turn / one.share / batch) * batch;
  };
  for (std::int64_t turn = 1; turn <= turns; ++turn) {
    for (std::size_t i = 0; i < std::size(cases); ++i) {
      add_turn(cases[i], orders_of(cases[i]), static_cast<std::uint64_t>(turn), sums[i]);
    }
    std::fprintf(stderr, "judge_bench: turn %lld of %lld\n", static_cast<long long>(turn),
                 static_cast<long long>(turns));
  }
  bool clean = true;
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    print(cases[i], orders_of(cases[i]), sums[i]);
    clean = clean && sums[i].verify == "clean";
  }
  return clean ? 0 : 4;
}

}  // namespace
}  // namespace gavel::bench

int main(int count, char** arguments) {
  using gavel::bench::number_given;
  return gavel::bench::measure(number_given(count, arguments, "--turns", 3),
                               number_given(count, arguments, "--orders", 60'000));
}
