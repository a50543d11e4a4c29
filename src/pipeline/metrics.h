// Metrics of the pipeline: what one counts about commands and their batches. Made from nothing they count
// nowhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "gate/token_book.h"
#include "ops/metrics.h"
#include "pipeline/hot_skus.h"
#include "rules/outcome.h"

namespace gavel::pipeline {

// A counter for each outcome, under the outcome's word.
class OutcomeCounters {
 public:
  OutcomeCounters() = default;
  OutcomeCounters(MetricsRegistry& metrics, const std::string& name, const std::string& help) {
    for (const rules::OutcomeTraits& outcome : rules::all_outcomes()) {
      const auto number = static_cast<std::size_t>(outcome.outcome);
      if (counters_.size() <= number) counters_.resize(number + 1);
      counters_[number] = metrics.counter(name, help, {{"outcome", std::string(outcome.word)}});
    }
  }

  void add(rules::Outcome outcome, std::uint64_t count = 1) const {
    const auto number = static_cast<std::size_t>(outcome);
    if (number < counters_.size()) counters_[number].add(count);
  }

 private:
  std::vector<Counter> counters_;  // By the outcome's number.
};

// What the gate answered to the wants of this process, and what came of its no.
class GateMetrics {
 public:
  GateMetrics() = default;
  explicit GateMetrics(MetricsRegistry& metrics)
      : reads(metrics.counter("gavel_pipeline_gate_confirming_reads_total",
                              "Reads that confirmed the closed gate's no, for all that waited.")),
        reopened(metrics.counter("gavel_pipeline_gate_reopened_total",
                                 "Times the closed gate was wrong, since stock had come back.")),
        corrupted(metrics.counter("gavel_pipeline_gate_corrupted_total",
                                  "Times the gate knew a generation that never began.")),
        overdue(metrics.counter("gavel_pipeline_gate_overdue_total",
                                "Requests refused since the gate did not let them go in time.")) {
    for (const char* answer : words) {
      answers_.push_back(metrics.counter("gavel_pipeline_gate_answers_total",
                                         "Answers of the gate to one probe each.", {{"answer", answer}}));
    }
  }

  void add(gate::GateAnswer answer) const {
    const auto number = static_cast<std::size_t>(answer);
    if (number < answers_.size()) answers_[number].add();
  }

  Counter reads;
  Counter reopened;
  Counter corrupted;
  Counter overdue;

 private:
  // By the numbers of gate::GateAnswer (B2).
  static constexpr std::array words{"granted", "too_few", "closed", "not_initialised", "unavailable"};
  static_assert(static_cast<std::size_t>(gate::GateAnswer::unavailable) + 1 == words.size());

  std::vector<Counter> answers_;
};

struct Metrics {
  Metrics() = default;
  // Both outlive the metrics.
  Metrics(MetricsRegistry& metrics, const Clock& clock, HotSkus* hot_skus = nullptr)
      : verdicts(metrics, "gavel_pipeline_verdicts_total",
                 "Answers of the lane, its replays included; gavel_pipeline_refused_total has the others."),
        replayed(metrics.counter("gavel_pipeline_verdicts_replayed_total",
                                 "Verdicts that were the first answer of their key again.")),
        refused(metrics, "gavel_pipeline_refused_total",
                "Commands refused before the lane, which has no verdict on them."),
        granted(metrics, "gavel_pipeline_gate_granted_verdicts_total",
                "The judge's answers to commands that held a token of the gate."),
        overdue(metrics.counter("gavel_pipeline_answers_overdue_total",
                                "Callers told outcome_unknown, since the verdict took too long.")),
        batch_commands(metrics.histogram("gavel_pipeline_batch_commands",
                                         "Commands judged in one transaction.",
                                         {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000})),
        batch(metrics.timer("gavel_pipeline_batch_seconds", "Time a batch took at the judge.", clock)),
        skus(hot_skus) {}

  OutcomeCounters verdicts;
  Counter replayed;
  OutcomeCounters refused;
  OutcomeCounters granted;
  Counter overdue;
  Histogram batch_commands;
  Timer batch;
  HotSkus* skus = nullptr;  // Outlives the metrics; nullptr: not counted.
};

}  // namespace gavel::pipeline
