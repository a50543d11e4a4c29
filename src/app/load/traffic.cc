#include "app/load/traffic.h"

#include <charconv>
#include <string_view>

namespace gavel::app {
namespace {

constexpr FineTime again_after = std::chrono::milliseconds(100);  // For what is unknown or in process.
constexpr FineTime later_else = std::chrono::seconds(1);          // For a 503 without Retry-After.

bool says_later(const HttpAnswer& answer) { return answer.status == 503 || answer.status == 429; }

}  // namespace

std::string code_of(const HttpAnswer& answer) {
  constexpr std::string_view name = R"("code":")";
  const std::size_t at = answer.body.find(name);
  if (at == std::string::npos) return std::to_string(answer.status);
  const std::size_t begin = at + name.size();
  return answer.body.substr(begin, answer.body.find('"', begin) - begin);
}

Bearing bearing_of(const HttpAnswer& answer, const std::string& code) {
  if (says_later(answer) || code == "key_in_flight") return Bearing::busy;
  return answer.status == 504 ? Bearing::unknown : Bearing::final;
}

FineTime pause_of(const HttpAnswer& answer) {
  if (!says_later(answer)) return again_after;
  const std::string* header = answer.header("retry-after");
  int seconds = 0;
  if (header == nullptr) return later_else;
  const auto [end, error] = std::from_chars(header->data(), header->data() + header->size(), seconds);
  return error == std::errc() && seconds >= 0 ? std::chrono::seconds(seconds) : later_else;
}

}  // namespace gavel::app
