#include "app/load/ramp_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/cli/subcommand.h"
#include "app/load/figure_text.h"
#include "app/load/latency_chart.h"

namespace gavel::app {
namespace {

// What still counts as growth from one rung to the next, which is twice as high or more.
constexpr double growth_least_tenths = 11;

double per_second(std::int64_t count, FineTime during) {
  const double seconds = std::chrono::duration<double>(during).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::int64_t outstanding(const LadderFigure& figure) {
  return static_cast<std::int64_t>(figure.crowd.callers);
}

// What nobody could read is not zero.
std::string read_or(const LadderFigure& figure, std::int64_t value, const char* otherwise) {
  return figure.seen.readings > 0 ? std::to_string(value) : otherwise;
}

}  // namespace

double LadderFigure::answers_per_second() const {
  std::int64_t answers = 0;
  for (const auto& [code, count] : measured.in_time) answers += count;
  return per_second(answers, crowd.during);
}

double LadderFigure::orders_per_second() const {
  const auto reserved = measured.in_time.find("reserved");
  return reserved == measured.in_time.end() ? 0 : per_second(reserved->second, crowd.during);
}

std::string json_of(const LadderFigure& figure) {
  const CrowdMeasured& measured = figure.measured;
  std::string json = R"({"bench":")" + std::string(word(figure.scenario)) + '"';
  append_member(json, "outstanding", std::to_string(outstanding(figure)));
  append_member(json, "seconds", fixed(std::chrono::duration<double>(figure.crowd.during).count(), 2));
  append_member(json, "seed", std::to_string(figure.seed));
  append_member(json, "answers", std::to_string(measured.latencies.count()));
  append_member(json, "answers_per_second", fixed(figure.answers_per_second(), 0));
  append_member(json, "orders_per_second", fixed(figure.orders_per_second(), 0));
  append_latencies(json, measured.latencies);
  append_member(json, "exchange_p50_ms", fixed(measured.exchanges.ms(0.5), 3));
  append_member(json, "exchange_p99_ms", fixed(measured.exchanges.ms(0.99), 3));
  append_answers(json, measured);
  append_member(json, "backlog", read_or(figure, figure.seen.backlog, "null"));
  append_member(json, "in_flight", read_or(figure, figure.seen.in_flight, "null"));
  append_member(json, "connections", read_or(figure, figure.seen.connections, "null"));
  append_text(json, "verify", figure.verify);
  return json + "}";
}

std::string ladder_head() {
  std::string head = "OUTSTANDING";
  for (const char* name : {"ANSWERS/S", "ORDERS/S", "P50 MS", "P99", "LONGEST", "ONE P99", "BUSY", "UNKNOWN",
                           "LOST", "UNSERVED", "BACKLOG", "CONNECTED"}) {
    head += cell(name);
  }
  return head + "  VERIFY";
}

std::string row_of(const LadderFigure& figure) {
  const CrowdMeasured& measured = figure.measured;
  std::string row = "  " + cell(with_commas(outstanding(figure)));
  row += cell(with_commas(std::llround(figure.answers_per_second())));
  row += cell(with_commas(std::llround(figure.orders_per_second())));
  row += cell(short_ms(measured.latencies.ms(0.5)));
  row += cell(short_ms(measured.latencies.ms(0.99)));
  row += cell(short_ms(measured.latencies.longest_ms()));
  row += cell(short_ms(measured.exchanges.ms(0.99)));
  for (const std::int64_t count :
       {measured.busy, measured.unknown, measured.lost, measured.unanswered + measured.unsent}) {
    row += cell(with_commas(count));
  }
  const bool is_known = figure.seen.readings > 0;
  row += cell(is_known ? with_commas(figure.seen.backlog) : "?");
  row += cell(is_known ? with_commas(figure.seen.connections) : "?");
  return row + "  " + figure.verify;
}

std::optional<Knee> knee_of(std::span<const LadderFigure> figures) {
  std::vector<std::pair<std::int64_t, double>> rungs;
  double peak = 0;
  for (const LadderFigure& figure : figures) {
    rungs.emplace_back(outstanding(figure), figure.answers_per_second());
    peak = std::max(peak, figure.answers_per_second());
  }
  std::ranges::sort(rungs);
  for (std::size_t i = 0; i + 1 < rungs.size(); ++i) {
    // Without a fraction that is no binary number, so that just a tenth is a tenth.
    if (10 * rungs[i + 1].second >= growth_least_tenths * rungs[i].second) continue;
    double least = peak;
    for (std::size_t above = i + 1; above < rungs.size(); ++above)
      least = std::min(least, rungs[above].second);
    return Knee{rungs[i].first, peak, peak > 0 ? least / peak : 0};
  }
  return std::nullopt;
}

std::string json_of(Scenario scenario, const std::optional<Knee>& knee) {
  std::string json = R"({"bench":")" + std::string(word(scenario)) + '"';
  append_member(json, "knee", knee ? std::to_string(knee->outstanding) : "null");
  if (knee) append_member(json, "peak_per_second", fixed(knee->peak_per_second, 0));
  if (knee) append_member(json, "beyond_of_peak", fixed(knee->beyond_of_peak, 3));
  return json + "}";
}

std::string sentence_of(const std::optional<Knee>& knee) {
  if (!knee) return "no knee: each rung answered at least a tenth more than the one below it";
  return "the knee is at " + with_commas(knee->outstanding) + " outstanding; beyond it at least " +
         fixed(100 * knee->beyond_of_peak, 0) + " % of the peak of " +
         with_commas(std::llround(knee->peak_per_second)) + " answers a second";
}

std::string svg_of(std::span<const LadderFigure> figures) {
  Picture picture{.title = "", .along = "requests outstanding", .columns = {}};
  if (const auto knee = knee_of(figures)) picture.knee = knee->outstanding;
  for (const LadderFigure& figure : figures) {
    picture.title =
        "gavel bench, " + std::string(word(figure.scenario)) + ": from the first sending to the final answer";
    const bool is_whole = figure.measured.unanswered + figure.measured.unsent == 0;
    picture.columns.push_back({outstanding(figure), &figure.measured.latencies,
                               is_whole ? Picture::Mark::full : Picture::Mark::hollow});
  }
  return svg_of(picture);
}

}  // namespace gavel::app
