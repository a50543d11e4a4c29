#include "ops/metrics.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace gavel {
namespace {

std::map<std::string, std::string> as_map(const Labels& labels) { return {labels.begin(), labels.end()}; }

// The library keeps its metrics in hash tables; people compare two readings line by line.
std::string words_of(const prometheus::ClientMetric& metric) {
  std::string words;
  for (const auto& label : metric.label) words.append(label.name).append("=").append(label.value).append(" ");
  return words;
}

}  // namespace

struct MetricsRegistry::Parts {
  struct WatchedGauge {
    prometheus::Gauge& gauge;
    std::function<double()> read;
  };
  struct WatchedCounter {
    prometheus::Counter& counter;
    std::function<std::uint64_t()> read;
    std::uint64_t told;
  };

  struct WatchedFamily {
    std::string name;
    std::string help;
    std::function<std::vector<Sample>()> read;
  };

  prometheus::Registry registry;
  std::vector<WatchedGauge> gauges;
  std::vector<WatchedCounter> counters;
  std::vector<WatchedFamily> families;

  prometheus::Counter& counter(const std::string& name, const std::string& help, const Labels& labels) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(as_map(labels));
  }
};

namespace {

template <class Watched>
prometheus::MetricFamily family_of(const Watched& watched) {
  prometheus::MetricFamily family;
  family.name = watched.name;
  family.help = watched.help;
  family.type = prometheus::MetricType::Counter;
  for (const Sample& sample : watched.read()) {
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
    metric.counter.value = sample.value;
    family.metric.push_back(std::move(metric));
  }
  return family;
}

}  // namespace

void Counter::add(std::uint64_t count) const noexcept {
  if (counter_ != nullptr) counter_->Increment(static_cast<double>(count));
}

void Histogram::observe(double value) const {
  if (histogram_ != nullptr) histogram_->Observe(value);
}

Timer::Run::Run(const Timer& timer)
    : timer_(timer), begun_(timer.clock_ == nullptr ? Duration(0) : timer.clock_->steady()) {}

Timer::Run::~Run() {
  if (timer_.clock_ == nullptr) return;
  timer_.seconds_.observe(std::chrono::duration<double>(timer_.clock_->steady() - begun_).count());
}

MetricsRegistry::MetricsRegistry() : parts_(std::make_unique<Parts>()) {}
MetricsRegistry::~MetricsRegistry() = default;

Counter MetricsRegistry::counter(const std::string& name, const std::string& help, const Labels& labels) {
  return Counter(parts_->counter(name, help, labels));
}

Histogram MetricsRegistry::histogram(const std::string& name, const std::string& help,
                                     const std::vector<double>& bounds, const Labels& labels) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(parts_->registry);
  return Histogram(family.Add(as_map(labels), bounds));
}

Timer MetricsRegistry::timer(const std::string& name, const std::string& help, const Clock& clock) {
  const std::vector<double> bounds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5};
  return Timer(histogram(name, help, bounds), clock);
}

void MetricsRegistry::watch_gauge(const std::string& name, const std::string& help,
                                  std::function<double()> read, const Labels& labels) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(parts_->registry);
  parts_->gauges.push_back(Parts::WatchedGauge{family.Add(as_map(labels)), std::move(read)});
}

void MetricsRegistry::watch_counter(const std::string& name, const std::string& help,
                                    std::function<std::uint64_t()> read, const Labels& labels) {
  parts_->counters.push_back(Parts::WatchedCounter{parts_->counter(name, help, labels), std::move(read), 0});
}

void MetricsRegistry::watch_counters(const std::string& name, const std::string& help,
                                     std::function<std::vector<Sample>()> read) {
  parts_->families.push_back(Parts::WatchedFamily{name, help, std::move(read)});
}

std::string MetricsRegistry::text() {
  for (const Parts::WatchedGauge& watched : parts_->gauges) watched.gauge.Set(watched.read());
  for (Parts::WatchedCounter& watched : parts_->counters) {
    const std::uint64_t now = watched.read();
    watched.counter.Increment(static_cast<double>(now - watched.told));
    watched.told = now;
  }
  std::vector<prometheus::MetricFamily> families = parts_->registry.Collect();
  for (const Parts::WatchedFamily& watched : parts_->families) families.push_back(family_of(watched));
  std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
  for (prometheus::MetricFamily& family : families) std::ranges::sort(family.metric, {}, words_of);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace gavel
