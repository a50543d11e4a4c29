#include "app/load/rate_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/cli/subcommand.h"
#include "app/load/figure_text.h"
#include "app/load/latency_chart.h"

namespace gavel::app {
namespace {

constexpr double kept_up_share = 0.95;

}  // namespace

double BenchFigure::seconds() const { return std::chrono::duration<double>(measured.took).count(); }

double BenchFigure::answers_per_second() const {
  return seconds() > 0 ? static_cast<double>(measured.latencies.count()) / seconds() : 0;
}

double BenchFigure::orders_per_second() const {
  return seconds() > 0 ? static_cast<double>(orders) / seconds() : 0;
}

bool BenchFigure::kept_up() const {
  return measured.unsent == 0 && measured.unanswered == 0 &&
         answers_per_second() >= kept_up_share * static_cast<double>(rung.per_second);
}

std::string json_of(const BenchFigure& figure) {
  const Measured& measured = figure.measured;
  std::string json = R"({"bench":")" + std::string(word(figure.scenario)) + '"';
  append_member(json, "rate", std::to_string(figure.rung.per_second));
  append_member(json, "seconds", fixed(figure.seconds(), 2));
  append_member(json, "connections", std::to_string(figure.rung.connections));
  append_member(json, "seed", std::to_string(figure.seed));
  append_member(json, "answers", std::to_string(measured.latencies.count()));
  append_member(json, "answers_per_second", fixed(figure.answers_per_second(), 0));
  append_member(json, "orders_per_second", fixed(figure.orders_per_second(), 0));
  append_latencies(json, measured.latencies);
  append_answers(json, measured);
  append_member(json, "kept_up", figure.kept_up() ? "true" : "false");
  append_text(json, "verify", figure.verify);
  return json + "}";
}

std::string bench_head() {
  std::string head;
  for (const char* name :
       {"RATE/S", "ANSWERS/S", "ORDERS/S", "P50 MS", "P90", "P99", "P99.9", "LONGEST", "BUSY", "UNSENT"}) {
    head += cell(name);
  }
  return head + "  VERIFY";
}

std::string row_of(const BenchFigure& figure) {
  const Measured& measured = figure.measured;
  std::string row = cell(with_commas(figure.rung.per_second));
  row += cell(with_commas(std::llround(figure.answers_per_second())));
  row += cell(with_commas(std::llround(figure.orders_per_second())));
  for (const Quantile& quantile : quantiles) row += cell(short_ms(measured.latencies.ms(quantile.share)));
  row += cell(short_ms(measured.latencies.longest_ms()));
  row += cell(with_commas(measured.busy));
  row += cell(with_commas(measured.unsent + measured.unanswered));
  return row + "  " + figure.verify + (figure.kept_up() ? "" : ", did not keep up");
}

std::int64_t knee_of(std::span<const BenchFigure> figures) {
  std::vector<std::pair<std::int64_t, bool>> rungs;
  for (const BenchFigure& figure : figures) rungs.emplace_back(figure.rung.per_second, figure.kept_up());
  std::ranges::sort(rungs);
  std::int64_t knee = 0;
  for (const auto& [rate, kept_up] : rungs) {
    if (!kept_up) break;
    knee = rate;
  }
  return knee;
}

std::string svg_of(std::span<const BenchFigure> figures) {
  Picture picture{.title = "", .along = "requests a second, by schedule", .columns = {}};
  for (const BenchFigure& figure : figures) {
    picture.title = "gavel bench, " + std::string(word(figure.scenario)) +
                    ": latency from the scheduled time, " + std::to_string(figure.rung.connections) +
                    " connections";
    picture.columns.push_back({figure.rung.per_second, &figure.measured.latencies,
                               figure.kept_up() ? Picture::Mark::full : Picture::Mark::hollow});
  }
  return svg_of(picture);
}

}  // namespace gavel::app
