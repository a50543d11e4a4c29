// The acts on orders: the arrows of order_state.h, one function each.
//
// Called by decide() alone. Each is a flat ladder of refusals in precedence order, the line "From here it
// must succeed", and the effect. One thread.
#pragma once

#include "rules/ladder.h"

namespace gavel::rules {

Verdict reserve(Case& c, const Reserve& act);
Verdict confirm(Case& c, const Confirm& act);
Verdict cancel(Case& c, const Cancel& act);
Verdict extend(Case& c, const Extend& act);
Verdict change_order(Case& c, const ChangeOrder& act);
Verdict refund(Case& c, const Refund& act);
Verdict expire(Case& c, const Expire& act);

}  // namespace gavel::rules
