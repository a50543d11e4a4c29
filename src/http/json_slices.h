// Slices: the parts of a JSON text, found without parsing their content.
//
// For text that fault_of_json() has accepted: there, counting brackets outside of strings is exact. For any
// other text the slices mean nothing, although nothing beyond the text is ever read. Pure; thread-safe.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace gavel::http {

// The elements of the array `text`, in order, without the blanks around them; nothing if it is not an array.
// Elements after the first `count_max` + 1 are left out.
std::optional<std::vector<std::string_view>> elements_of(std::string_view text, std::size_t count_max);

// The first value of the object `text` under `name`, as it is written; nothing if it has none or is not an
// object. A name that is written with escapes is not recognised.
std::optional<std::string_view> member_of(std::string_view text, std::string_view name);

}  // namespace gavel::http
