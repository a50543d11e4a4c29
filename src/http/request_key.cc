#include "http/request_key.h"

#include <algorithm>
#include <cstddef>

namespace gavel::http {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<rules::RequestKey> parse_bare_key(std::string_view text) {
  auto key = rules::RequestKey::parse(text);
  if (key && key->uuid7()) return rules::RequestKey(*key->uuid7());
  return key;
}

std::optional<rules::RequestKey> parse_request_key(std::string_view header) {
  header = trimmed(header);
  // A key holds neither quotes nor backslashes, so no escape of a quoted string can be part of one.
  if (header.size() >= 2 && header.starts_with('"') && header.ends_with('"')) {
    header = header.substr(1, header.size() - 2);
  }
  return parse_bare_key(header);
}

std::optional<int> parse_attempt(std::string_view header) {
  header = trimmed(header);
  constexpr std::size_t digits_max = 9;
  if (header.empty() || header.size() > digits_max || header.starts_with('0')) return std::nullopt;
  if (!std::ranges::all_of(header, is_digit)) return std::nullopt;
  int attempt = 0;
  for (const char c : header) attempt = attempt * 10 + (c - '0');
  return attempt;
}

bool is_traceparent(std::string_view header) {
  constexpr std::string_view zeroes = "00000000000000000000000000000000";
  if (header.size() != 55 || !header.starts_with("00-") || header[35] != '-' || header[52] != '-')
    return false;
  const std::string_view trace = header.substr(3, 32);
  const std::string_view parent = header.substr(36, 16);
  if (trace == zeroes || parent == zeroes.substr(0, parent.size())) return false;
  return is_lower_hex(trace) && is_lower_hex(parent) && is_lower_hex(header.substr(53));
}

}  // namespace gavel::http
