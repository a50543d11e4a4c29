#include "app/load/figure_text.h"

#include <cstdio>
#include <map>

#include "base/json_text.h"

namespace gavel::app {
namespace {

constexpr std::size_t cell_chars = 9;

// {"reserved":30,"sold_out":70}
std::string json_of(const std::map<std::string, std::int64_t>& codes) {
  std::string json;
  for (const auto& [code, count] : codes) {
    json += json.empty() ? "{" : ",";
    append_json_text(json, code);
    json += ":" + std::to_string(count);
  }
  return (json.empty() ? "{" : json) + "}";
}

}  // namespace

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string short_ms(double ms) { return fixed(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0); }

void append_member(std::string& json, std::string_view name, const std::string& value) {
  json.append(",\"").append(name).append("\":").append(value);
}

void append_text(std::string& json, std::string_view name, std::string_view text) {
  std::string quoted;
  append_json_text(quoted, text);
  append_member(json, name, quoted);
}

void append_latencies(std::string& json, const Histogram& latencies) {
  for (const Quantile& quantile : quantiles) {
    append_member(json, std::string(quantile.name) + "_ms", fixed(latencies.ms(quantile.share), 3));
  }
  append_member(json, "longest_ms", fixed(latencies.longest_ms(), 3));
}

void append_answers(std::string& json, const Tally& tally) {
  append_member(json, "codes", json_of(tally.codes));
  append_member(json, "busy", std::to_string(tally.busy));
  append_member(json, "unknown", std::to_string(tally.unknown));
  append_member(json, "lost", std::to_string(tally.lost));
  append_member(json, "unanswered", std::to_string(tally.unanswered));
  append_member(json, "unsent", std::to_string(tally.unsent));
}

std::string cell(const std::string& text) {
  return (text.size() < cell_chars ? std::string(cell_chars - text.size(), ' ') : " ") + text;
}

}  // namespace gavel::app
