#include "http/query_params.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "http/command_parser.h"

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

constexpr std::size_t traces_max = 100;  // Of one page: each is some tens of rows.

std::expected<queries::UserOrdersQuery, std::string> user_orders_of(const Query& query,
                                                                    std::string_view limit,
                                                                    std::size_t limit_max) {
  const auto user = value_of(query, "user");
  if (!user) return std::unexpected("user: is missing");
  const auto code = rules::UserId::parse(*user);
  if (!code) return std::unexpected("user: must be " + std::string(code_form));
  const auto count = parse_limit(value_of(query, "limit").value_or(std::string(limit)));
  if (!count || *count > limit_max) {
    return std::unexpected("limit: must be 1 to " + std::to_string(limit_max));
  }
  queries::UserOrdersQuery orders{.user = *code, .count = *count};
  if (const auto cursor = value_of(query, "cursor")) {
    orders.before = rules::parse_order_position(*cursor);
    if (!orders.before) return std::unexpected("cursor: must be the `next` of an earlier page");
  }
  return orders;
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

std::expected<queries::UserOrdersQuery, std::string> orders_query_of(const Query& query) {
  auto orders = user_orders_of(query, "100", page_max);
  const auto state = value_of(query, "state");
  if (!orders || !state) return orders;
  orders->state = rules::parse_order_state(*state);
  if (!orders->state) return std::unexpected("state: must be a state of an order, such as held or paid");
  if (*orders->state == rules::OrderState::refused) {
    return std::unexpected(
        "state: refused orders hold no units and are not listed; read the request instead");
  }
  return orders;
}

std::expected<queries::UserOrdersQuery, std::string> traces_query_of(const Query& query) {
  return user_orders_of(query, "20", traces_max);
}

std::expected<queries::ShortagesQuery, std::string> shortages_query_of(const Query& query) {
  const auto count = parse_limit(value_of(query, "limit").value_or("100"));
  if (!count) return std::unexpected("limit: must be 1 to 1000");
  queries::ShortagesQuery shortages{.after = {}, .count = *count};
  if (const auto cursor = value_of(query, "cursor")) {
    const char* const end = cursor->data() + cursor->size();
    const auto [at, failure] = std::from_chars(cursor->data(), end, shortages.after.value);
    if (failure != std::errc() || at != end || shortages.after.value < 1) {
      return std::unexpected("cursor: must be the `next` of an earlier page");
    }
  }
  return shortages;
}

std::expected<queries::ActivitiesQuery, std::string> activities_query_of(const Query& query) {
  const auto count = parse_limit(value_of(query, "limit").value_or("100"));
  if (!count) return std::unexpected("limit: must be 1 to 1000");
  queries::ActivitiesQuery activities{.after = std::nullopt, .count = *count};
  if (const auto cursor = value_of(query, "cursor")) {
    activities.after = rules::ActivityCode::parse(*cursor);
    if (!activities.after) return std::unexpected("cursor: must be the `next` of an earlier page");
  }
  return activities;
}

std::optional<std::string> wrong_in_trace(const Query& query) {
  const bool order = value_of(query, "order").has_value();
  const bool request = value_of(query, "request").has_value();
  const bool user = value_of(query, "user").has_value();
  const bool paged = value_of(query, "limit") || value_of(query, "cursor");
  const bool one = int{order} + int{request} + int{user} == 1;
  if (one && (request || !value_of(query, "caller")) && (user || !paged)) return std::nullopt;
  return "give one of order, request (with an optional caller) or user (with an optional limit and cursor)";
}

}  // namespace gavel::http
