#include "http/target.h"

#include <algorithm>

#include "base/percent_text.h"

namespace gavel::http {
namespace {

// Of a query, where forms and most libraries write a blank as `+`, and a plus as %2B.
std::optional<std::string> form_decoded(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, '+', ' ');
  return percent_decoded(blanks);
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
    auto segment = percent_decoded(part);
    if (!segment) return std::nullopt;
    target.segments.push_back(*std::move(segment));
  }
  if (question == std::string_view::npos || question + 1 == text.size()) return target;
  for (const std::string_view part : split(text.substr(question + 1), '&')) {
    const std::size_t equals = part.find('=');
    auto name = form_decoded(part.substr(0, equals));
    auto value = form_decoded(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    target.query.emplace_back(*std::move(name), *std::move(value));
  }
  return target;
}

}  // namespace gavel::http
