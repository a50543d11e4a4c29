#include "app/load/outstanding_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "app/load/figure_text.h"
#include "app/load/latency_chart.h"
#include "app/load/scenario_traffic.h"
#include "base/check.h"

namespace gavel::app {
namespace {

// What still counts as growth from one step to the next, which is twice as high or more.
constexpr double growth_least_tenths = 11;

double per_second(std::int64_t count, FineTime during) {
  const double seconds = std::chrono::duration<double>(during).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double orders_per_second(const StepFigure& figure) {
  const auto reserved = figure.statistics.in_time.find("reserved");
  return reserved == figure.statistics.in_time.end() ? 0 : per_second(reserved->second, figure.step.during());
}

// What nobody could read is not zero.
boost::json::value read_or_null(const StepFigure& figure, std::int64_t value) {
  return figure.seen.readings > 0 ? boost::json::value(value) : boost::json::value(nullptr);
}

}  // namespace

double responses_in_time_per_second(const StepFigure& figure) {
  std::int64_t responses = 0;
  for (const auto& [code, count] : figure.statistics.in_time) responses += count;
  return per_second(responses, figure.step.during());
}

std::string outstanding_json(const StepFigure& figure) {
  CHECK(!figure.step.is_by_rate() && !figure.verify.empty());
  const LoadStatistics& statistics = figure.statistics;
  boost::json::object json;
  json["bench"] = word(figure.scenario);
  json["outstanding"] = figure.step.outstanding();
  json["seconds"] = rounded(std::chrono::duration<double>(figure.step.during()).count(), 2);
  json["seed"] = figure.seed;
  json["answers"] = statistics.latencies.count();
  json["answers_per_second"] = std::llround(responses_in_time_per_second(figure));
  json["orders_per_second"] = std::llround(orders_per_second(figure));
  append_latencies(json, statistics.latencies);
  json["exchange_p50_ms"] = rounded(statistics.exchanges.ms(0.5), 3);
  json["exchange_p99_ms"] = rounded(statistics.exchanges.ms(0.99), 3);
  append_counts(json, statistics);
  json["backlog"] = read_or_null(figure, figure.seen.backlog);
  json["in_flight"] = read_or_null(figure, figure.seen.in_flight);
  json["connections"] = read_or_null(figure, figure.seen.connections);
  json["verify"] = figure.verify;
  return json_line(json);
}

std::string outstanding_head() {
  std::string head = "OUTSTANDING";
  for (const char* name : {"ANSWERS/S", "ORDERS/S", "P50 MS", "P99", "LONGEST", "ONE P99", "BUSY", "UNKNOWN",
                           "LOST", "UNSERVED", "BACKLOG", "CONNECTED"}) {
    head += cell(name);
  }
  return head + "  VERIFY";
}

std::string outstanding_row(const StepFigure& figure) {
  const LoadStatistics& statistics = figure.statistics;
  std::string row = "  " + cell(with_commas(figure.step.outstanding()));
  row += cell(with_commas(std::llround(responses_in_time_per_second(figure))));
  row += cell(with_commas(std::llround(orders_per_second(figure))));
  row += cell(short_ms(statistics.latencies.ms(0.5)));
  row += cell(short_ms(statistics.latencies.ms(0.99)));
  row += cell(short_ms(statistics.latencies.longest_ms()));
  row += cell(short_ms(statistics.exchanges.ms(0.99)));
  for (const std::int64_t count :
       {statistics.busy, statistics.unknown, statistics.lost, statistics.unanswered + statistics.unsent}) {
    row += cell(with_commas(count));
  }
  const bool is_known = figure.seen.readings > 0;
  row += cell(is_known ? with_commas(figure.seen.backlog) : "?");
  row += cell(is_known ? with_commas(figure.seen.connections) : "?");
  return row + "  " + figure.verify;
}

std::optional<Knee> knee_of(std::span<const StepFigure> figures) {
  std::vector<std::pair<std::int64_t, double>> steps;
  double peak = 0;
  for (const StepFigure& figure : figures) {
    steps.emplace_back(figure.step.outstanding(), responses_in_time_per_second(figure));
    peak = std::max(peak, steps.back().second);
  }
  std::ranges::sort(steps);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    // Without a fraction that is no binary number, so that just a tenth is a tenth.
    if (10 * steps[i + 1].second >= growth_least_tenths * steps[i].second) continue;
    double least = peak;
    for (std::size_t above = i + 1; above < steps.size(); ++above)
      least = std::min(least, steps[above].second);
    return Knee{steps[i].first, peak, peak > 0 ? least / peak : 0};
  }
  return std::nullopt;
}

std::string knee_json(LoadScenario scenario, const std::optional<Knee>& knee) {
  boost::json::object json;
  json["bench"] = word(scenario);
  json["knee"] = nullptr;
  if (knee) {
    json["knee"] = knee->outstanding;
    json["peak_per_second"] = std::llround(knee->peak_per_second);
    json["beyond_of_peak"] = rounded(knee->beyond_of_peak, 3);
  }
  return json_line(json);
}

std::string knee_sentence(const std::optional<Knee>& knee) {
  if (!knee) return "no knee: each step answered at least a tenth more than the one below it";
  return "the knee is at " + with_commas(knee->outstanding) + " outstanding; beyond it at least " +
         fixed(100 * knee->beyond_of_peak, 0) + " % of the peak of " +
         with_commas(std::llround(knee->peak_per_second)) + " responses a second";
}

std::string outstanding_chart(std::span<const StepFigure> figures) {
  LatencyChart chart{.title = "", .axis = "requests outstanding", .columns = {}};
  if (const auto knee = knee_of(figures)) chart.knee = knee->outstanding;
  for (const StepFigure& figure : figures) {
    chart.title = "gavel bench, " + std::string(word(figure.scenario)) +
                  ": from the first sending to the final response";
    const bool is_whole = figure.statistics.unanswered + figure.statistics.unsent == 0;
    chart.columns.push_back({figure.step.outstanding(), &figure.statistics.latencies,
                             is_whole ? LatencyChart::Mark::full : LatencyChart::Mark::hollow});
  }
  return svg_of(chart);
}

}  // namespace gavel::app
