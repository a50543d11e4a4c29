#include "http/query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace gavel::http {
namespace {

constexpr std::array<std::string_view, 1> of_stock{"sku"};
constexpr std::array<std::string_view, 2> of_list{"limit", "cursor"};
constexpr std::array<std::string_view, 4> of_orders{"user", "state", "limit", "cursor"};
constexpr std::array<std::string_view, 6> of_trace{"order", "request", "caller", "user", "limit", "cursor"};

std::span<const std::string_view> parameters_of(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::show_stock:
    case Endpoint::show_gate:
      return of_stock;
    case Endpoint::list_orders:
      return of_orders;
    case Endpoint::list_activities:
    case Endpoint::list_shortages:
      return of_list;
    case Endpoint::trace:
      return of_trace;
    default:
      return {};
  }
}

}  // namespace

std::optional<std::string> wrong_in_query(Endpoint endpoint, const Query& query) {
  const std::span<const std::string_view> known = parameters_of(endpoint);
  for (auto at = query.begin(); at != query.end(); ++at) {
    if (std::ranges::find(known, at->first) == known.end()) {
      std::string words;
      for (const std::string_view word : known) words.append(words.empty() ? "" : ", ").append(word);
      return words.empty() ? "query: this request has no parameters"
                           : "query: the parameters of this request are " + words;
    }
    const bool again =
        std::any_of(query.begin(), at, [&](const auto& one) { return one.first == at->first; });
    if (again && at->first != "sku") return at->first + ": is given twice";
  }
  return std::nullopt;
}

std::optional<std::string> value_of(const Query& query, std::string_view name) {
  const auto found = std::ranges::find(query, name, &Query::value_type::first);
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> parse_limit(std::string_view text) {
  std::size_t limit = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool whole = failure == std::errc() && end == text.data() + text.size() && !text.starts_with('0');
  return whole && limit >= 1 && limit <= page_max ? std::optional(limit) : std::nullopt;
}

}  // namespace gavel::http
