#include "app/bench_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/subcommand.h"
#include "base/json_text.h"

namespace gavel::app {
namespace {

constexpr double kept_up_share = 0.95;

// The shares of all requests whose latency is told, with their names.
struct Quantile {
  const char* name;
  double share;
};
constexpr auto quantiles =
    std::to_array<Quantile>({{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}});

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

// Three digits that say something.
std::string short_ms(double ms) { return fixed(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0); }

void append(std::string& json, std::string_view name, const std::string& value) {
  json += ",\"" + std::string(name) + "\":" + value;
}

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
  append(json, "rate", std::to_string(figure.rung.per_second));
  append(json, "seconds", fixed(figure.seconds(), 2));
  append(json, "connections", std::to_string(figure.rung.connections));
  append(json, "seed", std::to_string(figure.seed));
  append(json, "answers", std::to_string(measured.latencies.count()));
  append(json, "answers_per_second", fixed(figure.answers_per_second(), 0));
  append(json, "orders_per_second", fixed(figure.orders_per_second(), 0));
  for (const Quantile& quantile : quantiles) {
    append(json, std::string(quantile.name) + "_ms", fixed(measured.latencies.ms(quantile.share), 3));
  }
  append(json, "longest_ms", fixed(measured.latencies.longest_ms(), 3));
  std::string codes;
  for (const auto& [code, count] : measured.codes) {
    codes += codes.empty() ? "" : ",";
    append_json_text(codes, code);
    codes += ":" + std::to_string(count);
  }
  append(json, "codes", "{" + codes + "}");
  append(json, "busy", std::to_string(measured.busy));
  append(json, "unknown", std::to_string(measured.unknown));
  append(json, "lost", std::to_string(measured.lost));
  append(json, "unanswered", std::to_string(measured.unanswered));
  append(json, "unsent", std::to_string(measured.unsent));
  append(json, "kept_up", figure.kept_up() ? "true" : "false");
  std::string verify;
  append_json_text(verify, figure.verify);
  append(json, "verify", verify);
  return json + "}";
}

namespace {

constexpr std::size_t cell_chars = 9;

std::string right(const std::string& text) {
  return (text.size() < cell_chars ? std::string(cell_chars - text.size(), ' ') : " ") + text;
}

}  // namespace

std::string bench_head() {
  std::string head;
  for (const char* name :
       {"RATE/S", "ANSWERS/S", "ORDERS/S", "P50 MS", "P90", "P99", "P99.9", "LONGEST", "BUSY", "UNSENT"}) {
    head += right(name);
  }
  return head + "  VERIFY";
}

std::string row_of(const BenchFigure& figure) {
  const Measured& measured = figure.measured;
  std::string row = right(with_commas(figure.rung.per_second));
  row += right(with_commas(std::llround(figure.answers_per_second())));
  row += right(with_commas(std::llround(figure.orders_per_second())));
  for (const Quantile& quantile : quantiles) row += right(short_ms(measured.latencies.ms(quantile.share)));
  row += right(short_ms(measured.latencies.longest_ms()));
  row += right(with_commas(measured.busy));
  row += right(with_commas(measured.unsent + measured.unanswered));
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

namespace {

// The picture's paper, and the field in which the lines are drawn.
constexpr double width = 760, height = 440, left = 70, top = 50, field_width = 570, field_height = 320;

// Maps a range of values to a range of pixels by doublings.
class Axis {
 public:
  Axis(double least, double most, double from, double to)
      : least_(std::floor(std::log2(least))), most_(std::ceil(std::log2(most))), from_(from), to_(to) {
    if (most_ <= least_) most_ = least_ + 1;
  }
  double at(double value) const {
    return from_ + (std::log2(value) - least_) / (most_ - least_) * (to_ - from_);
  }
  // The doublings, or every second of them where they would be too many.
  std::vector<double> marks() const {
    std::vector<double> marks;
    const double step = most_ - least_ > 10 ? 2 : 1;
    for (double power = least_; power <= most_; power += step) marks.push_back(std::exp2(power));
    return marks;
  }

 private:
  double least_, most_;
  const double from_, to_;
};

std::string place(double x, double y) { return fixed(x, 1) + "," + fixed(y, 1); }

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" text-anchor=\"" + anchor + "\">" + text +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + fixed(x1, 1) + "\" y1=\"" + fixed(y1, 1) + "\" x2=\"" + fixed(x2, 1) + "\" y2=\"" +
         fixed(y2, 1) + "\" stroke=\"#ddd\"/>\n";
}

std::string grid(std::span<const BenchFigure> figures, const Axis& rates, const Axis& latencies) {
  std::string svg;
  for (const BenchFigure& figure : figures) {
    const double x = rates.at(static_cast<double>(figure.rung.per_second));
    svg += line(x, top, x, top + field_height);
    svg += label(x, top + field_height + 20, "middle", with_commas(figure.rung.per_second));
  }
  for (const double ms : latencies.marks()) {
    svg += line(left, latencies.at(ms), left + field_width, latencies.at(ms));
    svg += label(left - 8, latencies.at(ms) + 4, "end", fixed(ms, ms < 1 ? 3 : 0));
  }
  svg += label(left + field_width / 2, height - 20, "middle", "requests a second, by schedule");
  return svg + label(left - 8, top - 14, "end", "ms");
}

std::string curve(std::span<const BenchFigure> figures, const Quantile& quantile, const char* colour,
                  const Axis& rates, const Axis& latencies) {
  std::string points, marks;
  double x = left, y = top;
  for (const BenchFigure& figure : figures) {
    x = rates.at(static_cast<double>(figure.rung.per_second));
    y = latencies.at(std::max(figure.measured.latencies.ms(quantile.share), 0.001));
    points += (points.empty() ? "" : " ") + place(x, y);
    marks += "<circle cx=\"" + fixed(x, 1) + "\" cy=\"" + fixed(y, 1) + "\" r=\"4\" stroke=\"" + colour +
             "\" fill=\"" + (figure.kept_up() ? colour : "white") + "\"/>\n";
  }
  return "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + colour +
         "\" stroke-width=\"2\"/>\n" + marks + label(x + 10, y + 4, "start", quantile.name);
}

}  // namespace

std::string svg_of(std::span<const BenchFigure> figures) {
  double rate_least = 1e12, rate_most = 1, ms_least = 1e12, ms_most = 0.001;
  for (const BenchFigure& figure : figures) {
    const auto rate = static_cast<double>(figure.rung.per_second);
    rate_least = std::min(rate_least, rate);
    rate_most = std::max(rate_most, rate);
    ms_least = std::min(ms_least, std::max(figure.measured.latencies.ms(0.5), 0.001));
    ms_most = std::max(ms_most, figure.measured.latencies.ms(0.999));
  }
  const Axis rates(rate_least, rate_most, left, left + field_width);
  const Axis latencies(ms_least, ms_most, top + field_height, top);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + fixed(width, 0) + "\" height=\"" +
                    fixed(height, 0) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  if (figures.empty()) return svg + "</svg>\n";
  svg += label(left, 24, "start",
               "gavel bench, " + std::string(word(figures.front().scenario)) +
                   ": latency from the scheduled time, " + std::to_string(figures.front().rung.connections) +
                   " connections");
  svg += grid(figures, rates, latencies);
  constexpr auto colours = std::to_array({"#1b7837", "#2166ac", "#b35806", "#b2182b"});
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    svg += curve(figures, quantiles[i], colours[i], rates, latencies);
  return svg + "</svg>\n";
}

}  // namespace gavel::app
