#include "app/load/figure_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include <boost/json.hpp>

#include "base/check.h"

namespace gavel::app {
namespace {

constexpr std::size_t cell_chars = 9;

std::string shortest(double value) {
  CHECK(std::isfinite(value));
  // The largest double has 309 digits.
  std::array<char, 400> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  CHECK(error == std::errc());
  return {text.data(), end};
}

std::string line_of(const boost::json::value& value) {
  if (value.is_double()) return shortest(value.as_double());
  if (value.is_object()) return json_line(value.as_object());
  return boost::json::serialize(value);
}

}  // namespace

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  CHECK(length > 0 && static_cast<std::size_t>(length) < text.size());
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string short_ms(double ms) { return fixed(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0); }

std::string cell(const std::string& text) {
  return (text.size() < cell_chars ? std::string(cell_chars - text.size(), ' ') : " ") + text;
}

std::string json_line(const boost::json::object& object) {
  std::string line = "{";
  for (const auto& [name, value] : object) {
    if (line.size() > 1) line += ',';
    line += boost::json::serialize(boost::json::string(name)) + ":" + line_of(value);
  }
  return line + "}";
}

double rounded(double value, int digits) {
  CHECK(digits >= 0 && digits <= 9);
  const double unit = std::pow(10.0, digits);
  return std::round(value * unit) / unit;
}

void append_latencies(boost::json::object& to, const LatencyHistogram& latencies) {
  for (const Quantile& quantile : quantiles) {
    to[std::string(quantile.name) + "_ms"] = rounded(latencies.ms(quantile.share), 3);
  }
  to["longest_ms"] = rounded(latencies.longest_ms(), 3);
}

void append_counts(boost::json::object& to, const LoadStatistics& statistics) {
  boost::json::object codes;
  for (const auto& [code, count] : statistics.codes) codes[code] = count;
  to["codes"] = std::move(codes);
  to["busy"] = statistics.busy;
  to["unknown"] = statistics.unknown;
  to["lost"] = statistics.lost;
  to["unanswered"] = statistics.unanswered;
  to["unsent"] = statistics.unsent;
}

}  // namespace gavel::app
