// stage_bench: what the batching stage itself costs an entry, with work that does nothing.
//
// `offer_and_step` is driven by one thread, so that nothing but the queue is measured; `two_threads` adds the
// wake-up of the driver, as it is in the service. One item of the figures is one entry.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/clock.h"
#include "stage/stage.h"

namespace gavel::bench {
namespace {

using Numbers = stage::Stage<std::int64_t, std::int64_t>;

constexpr stage::Limits limits{.queue_max = 10'000, .batch_max = 1'000};
constexpr Duration never = std::chrono::hours(24 * 365);

std::vector<std::int64_t> same(std::vector<std::int64_t> batch) { return batch; }

void offer_and_step(benchmark::State& bench) {
  const RealClock clock;
  Numbers stage(limits, clock, same, [] { return std::int64_t{-1}; });
  std::int64_t sum = 0;
  for (auto _ : bench) {
    for (std::int64_t i = 0; i < bench.range(0); ++i) {
      std::int64_t in = i;
      Numbers::Done done = [&sum](std::int64_t out) { sum += out; };
      CHECK(stage.offer(in, never, done));
    }
    CHECK(stage.step() == static_cast<std::size_t>(bench.range(0)));
  }
  benchmark::DoNotOptimize(sum);
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}

void two_threads(benchmark::State& bench) {
  const RealClock clock;
  Numbers stage(limits, clock, same, [] { return std::int64_t{-1}; });
  std::thread driver([&stage] { stage.run(); });
  std::atomic<std::int64_t> answered = 0;
  for (auto _ : bench) {
    answered = 0;
    for (std::int64_t i = 0; i < bench.range(0); ++i) {
      std::int64_t in = i;
      Numbers::Done done = [&answered](std::int64_t) {
        answered.fetch_add(1);
        answered.notify_one();
      };
      CHECK(stage.offer(in, never, done));
    }
    for (std::int64_t seen = answered; seen < bench.range(0); seen = answered) answered.wait(seen);
  }
  stage.close();
  driver.join();
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}

BENCHMARK(offer_and_step)->Arg(1)->Arg(100)->Arg(1000);
BENCHMARK(two_threads)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace gavel::bench
