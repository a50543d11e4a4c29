#include "bench/load.h"

#include <chrono>
#include <utility>

#include "base/check.h"

namespace gavel::bench {

double MeasuredLoad::per_second() const {
  return static_cast<double>(responses()) / std::chrono::duration<double>(statistics.took).count();
}

double MeasuredLoad::us_each(Span span) const {
  CHECK(responses() > 0);
  return std::chrono::duration<double, std::micro>(span).count() / static_cast<double>(responses());
}

std::unique_ptr<app::LoadEngine> open_load(const std::string& url, std::size_t connections) {
  auto engine = app::LoadEngine::create({.url = url, .connections = connections});
  CHECK(engine.has_value());
  return *std::move(engine);
}

MeasuredLoad run_load(app::LoadEngine& engine, const app::LoadSchedule& schedule, app::Traffic& traffic,
                      const std::string& code) {
  const Span cpu = cpu_of_process();
  const Span load_cpu = cpu_of_thread();
  auto statistics = engine.run(schedule, traffic, [](const app::LoadProgress&) { return true; });
  CHECK(statistics.has_value());
  MeasuredLoad measured{.cpu = cpu_of_process() - cpu, .load_cpu = cpu_of_thread() - load_cpu};
  measured.statistics = *std::move(statistics);
  CHECK(measured.statistics.unanswered == 0 && measured.statistics.lost == 0);
  CHECK(measured.statistics.codes.size() == 1 && measured.statistics.codes.contains(code));
  return measured;
}

Figure& add_latencies(Figure& figure, const app::LatencyHistogram& latencies) {
  return figure.number("p50_ms", latencies.ms(0.5))
      .number("p99_ms", latencies.ms(0.99))
      .number("longest_ms", latencies.longest_ms());
}

}  // namespace gavel::bench
