// Quantity: a number of units, and the limits that make overflow impossible (C10).
//
// Every quantity of one command is at most line_units_max, every total at most total_units_max; the sum of
// the totals of a whole batch stays far below 2^63, so plain addition is safe everywhere. Pure; thread-safe.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace gavel::rules {

struct Quantity {
  std::int64_t units = 0;

  friend auto operator<=>(const Quantity&, const Quantity&) = default;
  friend Quantity operator+(Quantity a, Quantity b) { return {a.units + b.units}; }
  friend Quantity operator-(Quantity a, Quantity b) { return {a.units - b.units}; }
  friend Quantity operator-(Quantity a) { return {-a.units}; }
  Quantity& operator+=(Quantity b) { return *this = *this + b; }
  Quantity& operator-=(Quantity b) { return *this = *this - b; }
};

inline constexpr Quantity no_units{0};
inline constexpr Quantity line_units_max{1'000'000};
inline constexpr Quantity total_units_max{1'000'000'000'000};
// Receipts stop at total_units_max, and units that closed activities return come on top of it. Even then no
// rule leads above this number.
inline constexpr Quantity sound_units_max{1'000 * total_units_max.units};
inline constexpr std::size_t order_lines_max = 100;
inline constexpr std::size_t activity_lines_max = 100;
inline constexpr std::int32_t buckets_max = 64;

// Of one line, which names at least one unit.
constexpr bool is_line_quantity(Quantity quantity) {
  return quantity > no_units && quantity <= line_units_max;
}

static_assert(total_units_max.units < INT64_MAX / 1'000'000,
              "a million totals can be added without overflow");
static_assert(sound_units_max.units < INT64_MAX / (4 * buckets_max),
              "the numbers of a sound item's buckets can be added without overflow");

}  // namespace gavel::rules
