// MeasuredLoad: one run of the load engine with the processor time that it took.
//
// For the programs of bench/ alone: whatever fails is a CHECK, since a benchmark with a broken connection has
// no result. One thread.
#pragma once

#include <memory>
#include <string>

#include "app/load/load_engine.h"
#include "bench/figure.h"

namespace gavel::bench {

struct MeasuredLoad {
  app::LoadStatistics statistics = {};
  Span cpu{0};       // Of the whole process: where the server is part of it, of both.
  Span load_cpu{0};  // Of the thread that sends and receives.

  std::int64_t responses() const { return statistics.latencies.count(); }
  double per_second() const;
  double cpu_us() const { return us_each(cpu); }
  double load_cpu_us() const { return us_each(load_cpu); }

 private:
  double us_each(Span span) const;
};

std::unique_ptr<app::LoadEngine> open_load(const std::string& url, std::size_t connections);

// Every response has the word `code`: others would make a figure of something else.
MeasuredLoad run_load(app::LoadEngine& engine, const app::LoadSchedule& schedule, app::Traffic& traffic,
                      const std::string& code);

// p50_ms, p99_ms and longest_ms
Figure& add_latencies(Figure& figure, const app::LatencyHistogram& latencies);

}  // namespace gavel::bench
