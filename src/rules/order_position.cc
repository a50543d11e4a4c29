#include "rules/order_position.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace gavel::rules {

std::string to_text(const OrderPosition& position) {
  std::string text = std::to_string(position.at.time_since_epoch().count());
  for (const std::int64_t number : {position.lane.value, position.n, position.i}) {
    text.append(".").append(std::to_string(number));
  }
  return text;
}

std::optional<OrderPosition> parse_order_position(std::string_view text) {
  std::array<std::int64_t, 4> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t part = 0; part < numbers.size(); ++part) {
    if (part > 0 && (at == end || *at++ != '.')) return std::nullopt;
    const auto [stop, error] = std::from_chars(at, end, numbers[part]);
    if (error != std::errc()) return std::nullopt;
    at = stop;
  }
  if (at != end) return std::nullopt;
  return OrderPosition{Time(Duration(numbers[0])), LaneId{numbers[1]}, numbers[2], numbers[3]};
}

}  // namespace gavel::rules
