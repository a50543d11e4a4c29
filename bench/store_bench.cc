// store_bench: the three calls of a batch that reach a store, on the memory form and on SQLite.
//
// A batch of reserves is loaded, decided, written and committed; each benchmark counts the time of one of
// these steps alone. The checkpoint, where one is due, belongs to load, since it is made as a batch begins.
// One item of the figures is one order.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/scratch_folder.h"
#include "base/check.h"
#include "base/clock.h"
#include "bench/figure.h"
#include "bench/shop.h"
#include "judge/loading.h"
#include "judge/memory/store.h"
#include "judge/sqlite/store.h"
#include "rules/decide.h"

namespace gavel::bench {
namespace {

enum class Step : std::uint8_t { load, write, commit };
enum class Form : std::uint8_t { memory, sqlite };

constexpr judge::LoadLimits limits{.due_orders_max = 8192, .rows_max = 16'384};

class World {
 public:
  World(Form form, Limit limit) : orders_(limit, 1) {
    if (form == Form::memory) {
      store_ = judge::open_memory_store(judge::make_memory_database(), clock_);
    } else {
      auto folder = app::ScratchFolder::make();
      CHECK(folder.has_value());
      folder_.emplace(*std::move(folder));
      const judge::SqliteOptions options{.path = folder_->file("gavel.db"), .vfs = ""};
      CHECK(judge::migrate_sqlite(options).has_value());
      auto store = judge::open_sqlite_store(options, clock_);
      CHECK(store.has_value());
      store_ = *std::move(store);
    }
    const Bench stocked(*store_, limit);
    const auto lane = store_->open_lane();
    CHECK(lane.has_value());
    lane_ = *lane;
  }

  // Judges a batch by hand; how long `step` took.
  Span judge(std::size_t batch, Step step) {
    const std::vector<rules::Command> commands = orders_.next(batch, clock_.now());
    const Span begun = steady_now();
    auto loaded = judge::load_batch(*store_, commands, limits);
    const Span after_load = steady_now();
    CHECK(loaded.has_value());
    for (const rules::Command& command : commands) {
      const auto verdict = rules::decide(loaded->state, command, loaded->now, rules::Policy());
      CHECK(verdict.outcome == rules::Outcome::reserved);
    }
    const Span before_write = steady_now();
    CHECK(store_->write(loaded->state, judge::BatchId{lane_, n_++}, loaded->now).has_value());
    const Span after_write = steady_now();
    CHECK(store_->commit().has_value());
    const Span after_commit = steady_now();
    switch (step) {
      case Step::load:
        return after_load - begun;
      case Step::write:
        return after_write - before_write;
      case Step::commit:
        return after_commit - after_write;
    }
    CHECK(false);
  }

 private:
  const RealClock clock_;
  std::optional<app::ScratchFolder> folder_;
  std::unique_ptr<judge::Store> store_;
  Orders orders_;
  rules::LaneId lane_;
  std::int64_t n_ = 1;
};

void measure(benchmark::State& bench, Form form, Limit limit, Step step) {
  World world(form, limit);
  const auto batch = static_cast<std::size_t>(bench.range(0));
  for (auto _ : bench) {
    bench.SetIterationTime(std::chrono::duration<double>(world.judge(batch, step)).count());
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}

void arrange(benchmark::internal::Benchmark* one) {
  // So many batches as the file of a benchmark may grow by; the time of one says little by itself.
  one->UseManualTime()->Unit(benchmark::kMicrosecond);
  one->Arg(1)->Iterations(300);
}

void memory(benchmark::State& bench, Step step) { measure(bench, Form::memory, Limit::none, step); }
void sqlite(benchmark::State& bench, Step step) { measure(bench, Form::sqlite, Limit::none, step); }
void sqlite_limit(benchmark::State& bench, Step step) { measure(bench, Form::sqlite, Limit::per_user, step); }

void arrange_large(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Unit(benchmark::kMicrosecond)->Arg(1000)->Iterations(40);
}

BENCHMARK_CAPTURE(memory, load, Step::load)->Apply(arrange_large);
BENCHMARK_CAPTURE(memory, write, Step::write)->Apply(arrange_large);
BENCHMARK_CAPTURE(memory, commit, Step::commit)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite, load, Step::load)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite, write, Step::write)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite, commit, Step::commit)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite_limit, load, Step::load)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite_limit, write, Step::write)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite_limit, commit, Step::commit)->Apply(arrange_large);
BENCHMARK_CAPTURE(sqlite, load, Step::load)->Apply(arrange);
BENCHMARK_CAPTURE(sqlite, write, Step::write)->Apply(arrange);
BENCHMARK_CAPTURE(sqlite, commit, Step::commit)->Apply(arrange);

}  // namespace
}  // namespace gavel::bench
