// MetricsRegistry: what the service counts about itself, in the text form that Prometheus reads (C16, B15).
//
//   MetricsRegistry metrics;
//   const Counter refused = metrics.counter("gavel_x_refused_total", "Commands refused.");
//   refused.add();
//
// Names are gavel_<folder>_<what>_<unit>; a label's value is the word that everything else uses. There is no
// global registry: a class that counts gets its handles by constructor. A default-constructed handle does
// nothing, for tests that do not look. prometheus-cpp does the counting (docs/adr/0007), behind this
// interface.
//
// Handles are values, safe to use from any thread, and outlived by their MetricsRegistry.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace prometheus {
class Counter;
class Histogram;
}  // namespace prometheus

namespace gavel {

using Labels = std::vector<std::pair<std::string, std::string>>;

// One of several values under one name.
struct Sample {
  Labels labels;
  double value = 0;
};

// A number that only grows.
class Counter {
 public:
  Counter() = default;
  void add(std::uint64_t count = 1) const noexcept;

 private:
  friend class MetricsRegistry;
  explicit Counter(prometheus::Counter& counter) : counter_(&counter) {}
  prometheus::Counter* counter_ = nullptr;
};

// How many values were below each of some fixed bounds, and the sum of all values.
class Histogram {
 public:
  Histogram() = default;
  void observe(double value) const;

 private:
  friend class MetricsRegistry;
  explicit Histogram(prometheus::Histogram& histogram) : histogram_(&histogram) {}
  prometheus::Histogram* histogram_ = nullptr;
};

// A histogram of how long something took, in seconds.
class Timer {
 public:
  // Measures from its construction to its destruction.
  class Run {
   public:
    explicit Run(const Timer& timer);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    const Timer& timer_;
    const Duration begun_;
  };

  Timer() = default;

 private:
  friend class MetricsRegistry;
  Timer(Histogram seconds, const Clock& clock) : seconds_(seconds), clock_(&clock) {}
  Histogram seconds_;
  const Clock* clock_ = nullptr;
};

class MetricsRegistry {
 public:
  MetricsRegistry();
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // The same name and labels give the same counter again; one name has one help text and one kind. Any
  // thread.
  Counter counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                      const Labels& labels = {});
  // Bounds from 1 ms to 5 s; `clock` outlives the timer.
  Timer timer(const std::string& name, const std::string& help, const Clock& clock);

  // Values that another part keeps: only text() calls `read`, on its own thread. The value of a counter must
  // only grow.
  void watch_gauge(const std::string& name, const std::string& help, std::function<double()> read,
                   const Labels& labels = {});
  void watch_counter(const std::string& name, const std::string& help, std::function<std::uint64_t()> read,
                     const Labels& labels = {});
  // Counters whose labels come and go: `read` returns the present ones. Each must only grow while it exists.
  void watch_counters(const std::string& name, const std::string& help,
                      std::function<std::vector<Sample>()> read);

  // Everything, in Prometheus' text format 0.0.4. One thread at a time.
  std::string text();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gavel
