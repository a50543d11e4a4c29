// Bench text: how the figures of `gavel bench` are written, whatever kind of rung they are of.
//
// Pure; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gavel::app {

// The shares of all requests whose latency is told, with their names.
struct Quantile {
  const char* name;
  double share;
};
inline constexpr auto quantiles =
    std::to_array<Quantile>({{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}});

std::string fixed(double value, int digits);

// Three digits that say something.
std::string short_ms(double ms);

// Appends ,"name":value, where `value` is JSON.
void append_member(std::string& json, std::string_view name, const std::string& value);

// {"reserved":30,"sold_out":70}
std::string json_of(const std::map<std::string, std::int64_t>& codes);

// A cell of a table, right in its column after a space.
std::string cell(const std::string& text);

}  // namespace gavel::app
