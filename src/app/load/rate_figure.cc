#include "app/load/rate_figure.h"

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

constexpr double kept_up_share = 0.95;

double seconds(const StepFigure& figure) {
  return std::chrono::duration<double>(figure.statistics.took).count();
}

double per_second(const StepFigure& figure, std::int64_t count) {
  return seconds(figure) > 0 ? static_cast<double>(count) / seconds(figure) : 0;
}

double responses_per_second(const StepFigure& figure) {
  return per_second(figure, figure.statistics.latencies.count());
}

}  // namespace

bool kept_up(const StepFigure& figure) {
  CHECK(figure.step.is_by_rate());
  return figure.statistics.unsent == 0 && figure.statistics.unanswered == 0 &&
         responses_per_second(figure) >= kept_up_share * static_cast<double>(figure.step.rate().per_second);
}

std::string rate_json(const StepFigure& figure) {
  CHECK(!figure.verify.empty());
  boost::json::object json;
  json["bench"] = word(figure.scenario);
  json["rate"] = figure.step.rate().per_second;
  json["seconds"] = rounded(seconds(figure), 2);
  json["connections"] = figure.step.connections;
  json["seed"] = figure.seed;
  json["answers"] = figure.statistics.latencies.count();
  json["answers_per_second"] = std::llround(responses_per_second(figure));
  json["orders_per_second"] = std::llround(per_second(figure, figure.orders));
  append_latencies(json, figure.statistics.latencies);
  append_counts(json, figure.statistics);
  json["kept_up"] = kept_up(figure);
  json["verify"] = figure.verify;
  return json_line(json);
}

std::string rate_head() {
  std::string head;
  for (const char* name :
       {"RATE/S", "ANSWERS/S", "ORDERS/S", "P50 MS", "P90", "P99", "P99.9", "LONGEST", "BUSY", "UNSENT"}) {
    head += cell(name);
  }
  return head + "  VERIFY";
}

std::string rate_row(const StepFigure& figure) {
  const LoadStatistics& statistics = figure.statistics;
  std::string row = cell(with_commas(figure.step.rate().per_second));
  row += cell(with_commas(std::llround(responses_per_second(figure))));
  row += cell(with_commas(std::llround(per_second(figure, figure.orders))));
  for (const Quantile& quantile : quantiles) row += cell(short_ms(statistics.latencies.ms(quantile.share)));
  row += cell(short_ms(statistics.latencies.longest_ms()));
  row += cell(with_commas(statistics.busy));
  row += cell(with_commas(statistics.unsent + statistics.unanswered));
  return row + "  " + figure.verify + (kept_up(figure) ? "" : ", did not keep up");
}

std::int64_t highest_rate_kept_up(std::span<const StepFigure> figures) {
  std::vector<std::pair<std::int64_t, bool>> steps;
  for (const StepFigure& figure : figures) steps.emplace_back(figure.step.rate().per_second, kept_up(figure));
  std::ranges::sort(steps);
  std::int64_t highest = 0;
  for (const auto& [rate, kept_up] : steps) {
    if (!kept_up) break;
    highest = rate;
  }
  return highest;
}

std::string rate_chart(std::span<const StepFigure> figures) {
  LatencyChart chart{.title = "", .axis = "requests a second, by schedule", .columns = {}};
  for (const StepFigure& figure : figures) {
    chart.title = "gavel bench, " + std::string(word(figure.scenario)) +
                  ": latency from the scheduled time, " + std::to_string(figure.step.connections) +
                  " connections";
    chart.columns.push_back({figure.step.rate().per_second, &figure.statistics.latencies,
                             kept_up(figure) ? LatencyChart::Mark::full : LatencyChart::Mark::hollow});
  }
  return svg_of(chart);
}

}  // namespace gavel::app
