#include "app/client/retry.h"

#include <charconv>
#include <string_view>

namespace gavel::app {
namespace {

constexpr std::chrono::milliseconds soon{100};  // For what is unknown or in process: its verdict is near.
constexpr std::chrono::milliseconds later{
    1000};  // For a server that is too busy and does not say for how long.

bool says_later(const HttpResponse& response) { return response.status == 503 || response.status == 429; }

}  // namespace

std::string code_of(const HttpResponse& response) {
  constexpr std::string_view name = R"("code":")";
  const std::size_t at = response.body.find(name);
  if (at == std::string::npos) return std::to_string(response.status);
  const std::size_t begin = at + name.size();
  return response.body.substr(begin, response.body.find('"', begin) - begin);
}

ReplyClass class_of(const HttpResponse& response, const std::string& code) {
  if (says_later(response) || code == "key_in_flight") return ReplyClass::busy;
  return response.status == 504 ? ReplyClass::unknown : ReplyClass::final;
}

std::optional<std::chrono::seconds> retry_after(const HttpResponse& response) {
  const std::string* header = response.header("retry-after");
  if (header == nullptr) return std::nullopt;
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(header->data(), header->data() + header->size(), seconds);
  if (error != std::errc() || end != header->data() + header->size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::chrono::milliseconds retry_pause(const HttpResponse& response) {
  if (!says_later(response)) return soon;
  const auto asked = retry_after(response);
  return asked ? std::chrono::milliseconds(*asked) : later;
}

}  // namespace gavel::app
