#include "rules/lines.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "base/check.h"

namespace gavel::rules {
namespace {

// There are lines, and each quantity is in bounds, so that no sum overflows.
std::vector<Line> merged(std::vector<Line> lines) {
  std::ranges::sort(lines, {}, &Line::sku);
  std::size_t last = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].sku == lines[last].sku) {
      lines[last].quantity += lines[i].quantity;
    } else if (++last != i) {
      lines[last] = std::move(lines[i]);
    }
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(last) + 1, lines.end());
  return lines;
}

bool are_in_bounds(const std::vector<Line>& lines) {
  return std::ranges::all_of(lines, is_line_quantity, &Line::quantity);
}

}  // namespace

Lines::Lines(std::vector<Line> as_sent) {
  if (as_sent.size() > order_lines_max) {
    fault_ = "lines: at most 100";
  } else if (!are_in_bounds(as_sent)) {
    fault_ = "quantity: must be 1 to 1000000";
  } else {
    lines_ = as_sent.size() > 1 ? merged(std::move(as_sent)) : std::move(as_sent);
    if (!are_in_bounds(lines_)) {
      fault_ = "quantity: the lines of one SKU must be at most 1000000 together";
      lines_.clear();
    }
  }
  CHECK(!fault_ || lines_.empty());
  const auto not_in_order = std::ranges::adjacent_find(lines_, std::ranges::greater_equal(), &Line::sku);
  CHECK(not_in_order == lines_.end());
}

}  // namespace gavel::rules
