// The parameters after the question mark: which ones a route takes, and their values. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/routes.h"
#include "queries/read_queries.h"

namespace gavel::http {

// Elements per page of a list.
inline constexpr std::size_t page_max = 1000;

using Query = std::vector<std::pair<std::string, std::string>>;

// What is wrong with the parameters, or nothing. Each must be one that the route takes, and must be given
// once, except for sku.
std::optional<std::string> wrong_in_query(Endpoint endpoint, const Query& query);

// The first value under `name`.
std::optional<std::string> value_of(const Query& query, std::string_view name);

// The number of elements of a page: 1 to 1000, only digits.
std::optional<std::size_t> parse_limit(std::string_view text);

// What a list is asked for, or what is wrong with its parameters.
std::expected<queries::UserOrdersQuery, std::string> orders_query_of(const Query& query);
std::expected<queries::UserOrdersQuery, std::string> traces_query_of(const Query& query);
std::expected<queries::ShortagesQuery, std::string> shortages_query_of(const Query& query);
std::expected<queries::ActivitiesQuery, std::string> activities_query_of(const Query& query);

// What is wrong with the parameters of a trace, taken together.
std::optional<std::string> wrong_in_trace(const Query& query);

}  // namespace gavel::http
