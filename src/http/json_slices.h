// Slices: where the parts of a JSON text stand, found without reading what they hold.
//
// For text that fault_of_json() has nothing against: there, counting brackets outside of strings is exact. On
// any other text the slices mean nothing, though nothing beyond the text is ever looked at. Pure;
// thread-safe.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace gavel::http {

// The elements of the array that `text` is, in order, without the blanks around them; nothing if it is no
// array. Elements beyond the first `count_max` + 1 are left out.
std::optional<std::vector<std::string_view>> elements_of(std::string_view text, std::size_t count_max);

// The first value that the object `text` has under `name`, as it stands there; nothing if it has none or is
// no object. A name that is written with escapes is not recognised.
std::optional<std::string_view> member_of(std::string_view text, std::string_view name);

}  // namespace gavel::http
