#include "http/target.h"

#include <algorithm>

namespace gavel::http {
namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  if (!text.contains('%')) return std::string(text);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[i + 1]);
    const auto low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    result += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return result;
}

// The parts between separators; one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view without_authority(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    text.remove_prefix(scheme.size());
    return text.substr(std::min(text.find('/'), text.size()));
  }
  return text;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  text = without_authority(text);
  if (!text.starts_with('/')) return std::nullopt;
  const std::size_t question = text.find('?');
  Target target;
  for (const std::string_view part : split(text.substr(1, question - 1), '/')) {
    auto segment = decoded(part);
    if (!segment) return std::nullopt;
    target.segments.push_back(*std::move(segment));
  }
  if (question == std::string_view::npos || question + 1 == text.size()) return target;
  for (const std::string_view part : split(text.substr(question + 1), '&')) {
    const std::size_t equals = part.find('=');
    auto name = decoded(part.substr(0, equals));
    auto value = decoded(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    target.query.emplace_back(*std::move(name), *std::move(value));
  }
  return target;
}

}  // namespace gavel::http
