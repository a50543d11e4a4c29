// Lines: how many units of which SKUs an act is about, merged and ordered.
//
// Lines of one SKU become one, and all stand in the order of the SKU's code, however they were sent: equal
// requests have equal lines. Both are done once, when the lines are made, and so is the check of their form
// (C10): lines whose form is wrong hold no line at all and say what is wrong with them. Value type;
// thread-safe.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "rules/ids.h"
#include "rules/quantity.h"

namespace gavel::rules {

struct Line {
  SkuCode sku;
  Quantity quantity;
  friend bool operator==(const Line&, const Line&) = default;
};

class Lines {
 public:
  using const_iterator = std::vector<Line>::const_iterator;

  Lines() = default;
  explicit Lines(std::vector<Line> as_sent);
  Lines(std::initializer_list<Line> as_sent) : Lines(std::vector<Line>(as_sent)) {}

  const_iterator begin() const { return lines_.begin(); }
  const_iterator end() const { return lines_.end(); }
  std::size_t size() const { return lines_.size(); }
  bool empty() const { return lines_.empty(); }

  // What is wrong with the form of what was sent, in one line for people: more than order_lines_max of them,
  // a quantity below 1 or above line_units_max, or more than that of one SKU together. Nothing if it is well
  // formed; then each quantity is 1 to line_units_max. That there are none at all is for the act to judge.
  std::optional<std::string_view> fault() const { return fault_; }

  friend bool operator==(const Lines&, const Lines&) = default;

 private:
  std::vector<Line> lines_;  // Empty if there is a fault.
  std::optional<std::string_view> fault_;
};

}  // namespace gavel::rules
