// Slices: where the parts of a JSON text stand, found without reading what they hold.
//
// Counting brackets outside of strings is exact on JSON. On any other text the slices mean nothing, though
// nothing beyond the text is ever looked at: whoever uses them has each slice read by read_json(), or asks
// fault_of_json() about the whole. Pure; thread-safe.
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
// Nothing if `text` is no array. Elements beyond the first `count_max` + 1 are left out.
std::optional<ArraySlices> elements_of(std::string_view text, std::size_t count_max);

// The first value that the object `text` has under `name`, as it stands there; nothing if it has none or is
// no object. A name that is written with escapes is not recognised.
std::optional<std::string_view> member_of(std::string_view text, std::string_view name);

}  // namespace gavel::http
