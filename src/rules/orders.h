// The acts on orders: the arrows of order_state.h, one function each.
//
// Called by decide() alone. Each is a flat ladder of refusals in precedence order, the line "From here it
// must succeed", and the effect. One thread.
#pragma once

#include <optional>
#include <vector>

#include "rules/ladder.h"

namespace gavel::rules {

Verdict reserve(Case& c, const Reserve& act);
Verdict confirm(Case& c, const Confirm& act);
Verdict cancel(Case& c, const Cancel& act);
Verdict expire(Case& c, const Expire& act);

// So many units of one stock item are asked for: a line of an order, or of an activity that opens.
struct Wanted {
  SkuCode code;
  ItemId item;
  Quantity quantity;
  std::optional<QuotaKey> quota;  // What an order of an activity counts against.
};

// The refusal for lack of stock, if there is one. Where an item has too little, its due holds are released
// first, oldest first (C9). Nothing left of any line goes before too few of another; overloaded is given
// where that depends on due holds that were not loaded.
std::optional<Verdict> refuse_shortage(Case& c, const std::vector<Wanted>& lines);

}  // namespace gavel::rules
