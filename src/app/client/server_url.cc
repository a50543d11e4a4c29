#include "app/client/server_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"

namespace gavel::app {
namespace {

constexpr std::string_view http_prefix = "http://";
constexpr std::string_view https_prefix = "https://";
constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

std::optional<std::uint16_t> parse_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return std::nullopt;
  return port;
}

// A name of letters, digits, hyphens and dots, or an address of IPv4, which is spelt with the same.
bool is_name(std::string_view host) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._").contains(c);
  };
  return !host.empty() && std::ranges::all_of(host, is_part);
}

// Hexadecimal groups, perhaps with an IPv4 address at the end and a zone behind a percent sign.
bool is_six(std::string_view host) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(":.%").contains(c);
  };
  return host.contains(':') && std::ranges::all_of(host, is_part);
}

std::optional<ServerUrl> parse(std::string_view text) {
  ServerUrl url;
  if (text.starts_with(http_prefix)) {
    text.remove_prefix(http_prefix.size());
    url.port = http_port;
  } else if (text.starts_with(https_prefix)) {
    text.remove_prefix(https_prefix.size());
    url.scheme = ServerUrl::Scheme::https;
    url.port = https_port;
  } else {
    return std::nullopt;
  }
  if (text.ends_with('/')) text.remove_suffix(1);
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!is_six(host)) return std::nullopt;
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    host = text.substr(0, colon);
    port = text.substr(colon);
    if (!is_name(host)) return std::nullopt;
  }
  url.host = host;
  if (port.empty()) return url;
  const auto number = port.starts_with(':') ? parse_port(port.substr(1)) : std::nullopt;
  if (!number) return std::nullopt;
  url.port = *number;
  return url;
}

}  // namespace

std::string ServerUrl::authority() const {
  CHECK(!host.empty());
  const bool is_six = host.contains(':');
  return (is_six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string ServerUrl::text() const {
  return std::string(scheme == Scheme::http ? http_prefix : https_prefix) + authority();
}

Result<ServerUrl> parse_server_url(std::string_view text) {
  auto url = parse(text);
  if (!url) {
    return fail(ErrorCode::invalid, std::string(text) +
                                        " is not the address of a server; write it like "
                                        "http://127.0.0.1:8081 or https://shop.example.com");
  }
  return *std::move(url);
}

}  // namespace gavel::app
