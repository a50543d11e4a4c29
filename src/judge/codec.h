// codec: the texts in which stores keep what has no columns of its own, the same in every store.
//
// A verdict's detail is compact JSON that holds only what is set: {"sku":"tee","available":2}; nothing set is
// the empty text. Where an order's units come from is [[item,bucket,quantity],...]. Times are milliseconds
// since 1970. What is appended is read back equal; a text of any other form is answered with nothing, for it
// was not written here. Pure; thread-safe.
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
