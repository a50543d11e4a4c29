// Slices: the parts of a JSON text, found without parsing their content.
//
// Counting brackets outside of strings is exact for JSON. For any other text the slices mean nothing,
// although nothing beyond the text is ever read: the caller parses each slice with read_json(), or checks the
// whole with fault_of_json(). Pure; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace gavel::http {

// The elements of an array, in order, without the blanks around them.
struct ArraySlices {
  std::vector<std::string_view> elements;
  // Nothing but single commas and blanks stands between them, and the text ends with the array: if each
  // element is JSON, so is the text. False where elements were left out.
  bool is_whole = false;
};
// Nothing if `text` is not an array. Elements after the first `count_max` + 1 are left out.
std::optional<ArraySlices> elements_of(std::string_view text, std::size_t count_max);

// The first value of the object `text` under `name`, as it is written; nothing if it has none or is not an
// object. A name that is written with escapes is not recognised.
std::optional<std::string_view> member_of(std::string_view text, std::string_view name);

}  // namespace gavel::http
