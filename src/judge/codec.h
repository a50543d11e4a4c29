// codec: the text forms of data that has no columns of its own, the same in every store.
//
// A verdict's detail is compact JSON with only the fields that are set: {"sku":"tee","available":2}; without
// any it is the empty text. The origin of an order's units is [[item,bucket,quantity],...]. Times are
// milliseconds since 1970. What is written is read back equal. Reading a text of any other form returns
// nothing, because it was not written here. Pure; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::judge {

void append_detail(std::string& to, const rules::Detail& detail);
std::optional<rules::Detail> parse_detail(std::string_view text);

void append_taken(std::string& to, std::span<const rules::Allocation> taken);
std::optional<std::vector<rules::Allocation>> parse_taken(std::string_view text);

}  // namespace gavel::judge
