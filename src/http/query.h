// The parameters after the question mark: which a route takes, and what they say. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/routes.h"

namespace gavel::http {

// Elements of one page of a list.
inline constexpr std::size_t page_max = 1000;

using Query = std::vector<std::pair<std::string, std::string>>;

// What is wrong with them: each is one that the route takes and stands once, but for sku.
std::optional<std::string> wrong_in_query(Endpoint endpoint, const Query& query);

// The first value under `name`.
std::optional<std::string> value_of(const Query& query, std::string_view name);

// How many a page may have: 1 to 1000, in digits alone.
std::optional<std::size_t> parse_limit(std::string_view text);

}  // namespace gavel::http
