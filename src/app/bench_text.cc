#include "app/bench_text.h"

#include <cstdio>

#include "base/json_text.h"

namespace gavel::app {
namespace {

constexpr std::size_t cell_chars = 9;

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

std::string json_of(const std::map<std::string, std::int64_t>& codes) {
  std::string json;
  for (const auto& [code, count] : codes) {
    json += json.empty() ? "{" : ",";
    append_json_text(json, code);
    json += ":" + std::to_string(count);
  }
  return (json.empty() ? "{" : json) + "}";
}

std::string cell(const std::string& text) {
  return (text.size() < cell_chars ? std::string(cell_chars - text.size(), ' ') : " ") + text;
}

}  // namespace gavel::app
