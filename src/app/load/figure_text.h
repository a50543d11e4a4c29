// Figure text: how numbers and figures are written, whatever they are of.
//
// Pure; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "app/load/latency_histogram.h"
#include "app/load/load_engine.h"

namespace gavel::app {

// The shares of all requests whose latency is shown, with their names.
struct Quantile {
  const char* name;
  double share;
};
inline constexpr auto quantiles =
    std::to_array<Quantile>({{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}});

// 12345 as "12,345".
std::string with_commas(std::int64_t number);

// With so many digits behind the point.
std::string fixed(double value, int digits);

// Three digits that say something.
std::string short_ms(double ms);

// A cell of a table, right in its column after a space.
std::string cell(const std::string& text);

// The object on one line, its members in their order. Fractions are written as 0.25, where Boost.JSON would
// write 2.5E-1.
std::string json_line(const boost::json::object& object);

// Rounded to so many digits behind the point, for json_line().
double rounded(double value, int digits);

// "p50_ms":1.234,…,"longest_ms":5.678
void append_latencies(boost::json::object& to, const LatencyHistogram& latencies);

// "codes":{"reserved":30,"sold_out":70},"busy":0,…,"unsent":0
void append_counts(boost::json::object& to, const LoadStatistics& statistics);

}  // namespace gavel::app
