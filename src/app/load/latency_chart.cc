#include "app/load/latency_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/load/figure_text.h"
#include "base/check.h"

namespace gavel::app {
namespace {

// The paper, and the field in which the lines are drawn.
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

std::string grid(const LatencyChart& chart, const Axis& steps, const Axis& latencies) {
  std::string svg;
  for (const LatencyChart::Column& column : chart.columns) {
    const double x = steps.at(static_cast<double>(column.step));
    svg += line(x, top, x, top + field_height);
    svg += label(x, top + field_height + 20, "middle", with_commas(column.step));
  }
  for (const double ms : latencies.marks()) {
    svg += line(left, latencies.at(ms), left + field_width, latencies.at(ms));
    svg += label(left - 8, latencies.at(ms) + 4, "end", fixed(ms, ms < 1 ? 3 : 0));
  }
  svg += label(left + field_width / 2, height - 20, "middle", chart.axis);
  return svg + label(left - 8, top - 14, "end", "ms");
}

std::string curve(const LatencyChart& chart, const Quantile& quantile, const char* colour, const Axis& steps,
                  const Axis& latencies) {
  std::string points, marks;
  double x = left, y = top;
  for (const LatencyChart::Column& column : chart.columns) {
    x = steps.at(static_cast<double>(column.step));
    y = latencies.at(std::max(column.latencies->ms(quantile.share), 0.001));
    points += (points.empty() ? "" : " ") + place(x, y);
    marks += "<circle cx=\"" + fixed(x, 1) + "\" cy=\"" + fixed(y, 1) + "\" r=\"4\" stroke=\"" + colour +
             "\" fill=\"" + (column.mark == LatencyChart::Mark::full ? colour : "white") + "\"/>\n";
  }
  return "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + colour +
         "\" stroke-width=\"2\"/>\n" + marks + label(x + 10, y + 4, "start", quantile.name);
}

std::string knee_line(const LatencyChart& chart, const Axis& steps) {
  if (chart.knee == 0) return "";
  const double x = steps.at(static_cast<double>(chart.knee));
  return "<line x1=\"" + fixed(x, 1) + "\" y1=\"" + fixed(top, 1) + "\" x2=\"" + fixed(x, 1) + "\" y2=\"" +
         fixed(top + field_height, 1) + "\" stroke=\"#666\" stroke-dasharray=\"4 4\"/>\n" +
         label(x, top - 14, "middle", "knee");
}

}  // namespace

std::string svg_of(const LatencyChart& chart) {
  double step_least = 1e12, step_most = 1, ms_least = 1e12, ms_most = 0.001;
  for (const LatencyChart::Column& column : chart.columns) {
    CHECK(column.step >= 1);
    const auto step = static_cast<double>(column.step);
    step_least = std::min(step_least, step);
    step_most = std::max(step_most, step);
    ms_least = std::min(ms_least, std::max(column.latencies->ms(0.5), 0.001));
    ms_most = std::max(ms_most, column.latencies->ms(0.999));
  }
  const Axis steps(step_least, step_most, left, left + field_width);
  const Axis latencies(ms_least, ms_most, top + field_height, top);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + fixed(width, 0) + "\" height=\"" +
                    fixed(height, 0) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  if (chart.columns.empty()) return svg + "</svg>\n";
  svg += label(left, 24, "start", chart.title);
  svg += grid(chart, steps, latencies);
  svg += knee_line(chart, steps);
  constexpr auto colours = std::to_array({"#1b7837", "#2166ac", "#b35806", "#b2182b"});
  static_assert(colours.size() == quantiles.size());
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    svg += curve(chart, quantiles[i], colours[i], steps, latencies);
  return svg + "</svg>\n";
}

}  // namespace gavel::app
