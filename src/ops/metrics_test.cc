#include "ops/metrics.h"

#include <thread>

#include <gtest/gtest.h>

namespace gavel {
namespace {

TEST(MetricsRegistry, AreTextThatPrometheusReads) {
  MetricsRegistry metrics;
  const Counter sold = metrics.counter("gavel_a_verdicts_total", "Verdicts.", {{"outcome", "sold"}});
  metrics.counter("gavel_a_verdicts_total", "Verdicts.", {{"outcome", "sold_out"}});
  const Histogram sizes = metrics.histogram("gavel_b_batch_commands", "Commands.", {1, 10});
  double waiting = 7;
  std::uint64_t lost = 0;
  metrics.watch_gauge("gavel_c_queue_commands", "Waiting.", [&] { return waiting; });
  metrics.watch_counter("gavel_d_lost_total", "Lost.", [&] { return lost; });
  sold.add();
  sold.add(2);
  sizes.observe(1);
  sizes.observe(5);
  sizes.observe(50);
  metrics.text();
  waiting = 3;
  lost = 4;
  EXPECT_EQ(metrics.text(), R"(# HELP gavel_a_verdicts_total Verdicts.
# TYPE gavel_a_verdicts_total counter
gavel_a_verdicts_total{outcome="sold"} 3
gavel_a_verdicts_total{outcome="sold_out"} 0
# HELP gavel_b_batch_commands Commands.
# TYPE gavel_b_batch_commands histogram
gavel_b_batch_commands_count 3
gavel_b_batch_commands_sum 56
gavel_b_batch_commands_bucket{le="1"} 1
gavel_b_batch_commands_bucket{le="10"} 2
gavel_b_batch_commands_bucket{le="+Inf"} 3
# HELP gavel_c_queue_commands Waiting.
# TYPE gavel_c_queue_commands gauge
gavel_c_queue_commands 3
# HELP gavel_d_lost_total Lost.
# TYPE gavel_d_lost_total counter
gavel_d_lost_total 4
)");
}

TEST(MetricsRegistry, CountersMayComeAndGo) {
  MetricsRegistry metrics;
  std::vector<Sample> samples{{{{"sku", "tee"}}, 3}, {{{"sku", "cup"}}, 1}};
  metrics.watch_counters("gavel_e_answers_total", "Answers.", [&] { return samples; });
  EXPECT_EQ(metrics.text(), R"(# HELP gavel_e_answers_total Answers.
# TYPE gavel_e_answers_total counter
gavel_e_answers_total{sku="cup"} 1
gavel_e_answers_total{sku="tee"} 3
)");
  samples.pop_back();
  EXPECT_EQ(metrics.text().find("cup"), std::string::npos);
}

TEST(MetricsRegistry, OneNameWithOneSetOfLabelsIsOneCounter) {
  MetricsRegistry metrics;
  metrics.counter("a_total", "A.").add();
  metrics.counter("a_total", "A.").add();
  EXPECT_NE(metrics.text().find("a_total 2\n"), std::string::npos);
}

TEST(MetricsRegistry, ADefaultConstructedHandleCountsInNoRegistry) {
  MetricsRegistry metrics;
  metrics.counter("a_total", "A.");
  metrics.histogram("a_seconds", "A.", {1.0});
  const std::string before = metrics.text();
  Counter().add();
  Histogram().observe(1);
  EXPECT_EQ(metrics.text(), before);
  EXPECT_NE(before.find("a_total 0\n"), std::string::npos);
}

TEST(MetricsRegistry, ATimerCountsSeconds) {
  VirtualClock clock(*parse_time("2026-01-01T00:00:00Z"));
  MetricsRegistry metrics;
  const Timer timer = metrics.timer("a_seconds", "A.", clock);
  {
    const Timer::Run run(timer);
    clock.advance(Duration(1500));
  }
  {
    const Timer::Run run(timer);
  }
  const Timer none;
  const Timer::Run of_nothing(none);
  const std::string text = metrics.text();
  EXPECT_NE(text.find("a_seconds_count 2\na_seconds_sum 1.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("le=\"1\"} 1\na_seconds_bucket{le=\"2\"} 2\n"), std::string::npos) << text;
}

TEST(MetricsRegistry, ManyThreadsCountTogether) {
  MetricsRegistry metrics;
  const Counter counter = metrics.counter("a_total", "A.");
  const auto count = [&] {
    for (int i = 0; i < 10'000; ++i) counter.add();
  };
  std::thread one(count);
  std::thread two(count);
  for (int i = 0; i < 100; ++i) metrics.text();
  one.join();
  two.join();
  EXPECT_NE(metrics.text().find("a_total 20000\n"), std::string::npos);
}

}  // namespace
}  // namespace gavel
