// finding_names: the names of the stock items that the findings of an audit are about.
//
// The ledger, and so a finding, has numbers alone: "bucket 12/0", "item 12". One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "judge/reader.h"

namespace gavel::app {

// "tee, free stock", or "tee, set aside for drop", by the item's number.
using ItemNames = std::map<std::int64_t, std::string>;

// Blocks; reads three tables whole. As the reader says: unavailable, broken.
Result<ItemNames> item_names_of(judge::TablesReader& reader);

// "item 12: tee, free stock; item 13: …" for each item in the text of a finding, in order; empty if there is
// none. An item without a name is left out.
std::string named_items_of(const std::string& what, const ItemNames& names);

}  // namespace gavel::app
