// The acts on orders that lead from one state to the next: the arrows of order_state.h, one function each.
// The arrows of refunds are in refunds.h; what a held order may become without leaving its state, in
// changes.h.
//
// Called by decide() alone. Each is a flat ladder of refusals in precedence order, the line "From here it
// must succeed", and the effect. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

Verdict reserve(DecisionContext& c, const Reserve& act);
Verdict confirm(DecisionContext& c, const Confirm& act);
Verdict cancel(DecisionContext& c, const Cancel& act);
Verdict expire(DecisionContext& c, const Expire& act);

}  // namespace gavel::rules
