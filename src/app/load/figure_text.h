// Bench text: how the figures of `gavel bench` are written, whatever kind of rung they are of.
//
// Pure; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/load/latency_histogram.h"
#include "app/load/traffic.h"

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

// The same of a text.
void append_text(std::string& json, std::string_view name, std::string_view text);

// ,"p50_ms":1.234,…,"longest_ms":5.678
void append_latencies(std::string& json, const Histogram& latencies);

// ,"codes":{"reserved":30,"sold_out":70},"busy":0,…,"unsent":0
void append_answers(std::string& json, const Tally& tally);

// A cell of a table, right in its column after a space.
std::string cell(const std::string& text);

}  // namespace gavel::app
