// The acts on orders: the arrows of order_state.h, one function each.
//
// Called by decide() alone. Each is a flat ladder of refusals in precedence order, the line "From here it
// must succeed", and the effect. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

Verdict reserve(DecisionContext& c, const Reserve& act);
Verdict confirm(DecisionContext& c, const Confirm& act);
Verdict cancel(DecisionContext& c, const Cancel& act);
Verdict extend(DecisionContext& c, const Extend& act);
Verdict change_order(DecisionContext& c, const ChangeOrder& act);
Verdict refund(DecisionContext& c, const Refund& act);
Verdict expire(DecisionContext& c, const Expire& act);

}  // namespace gavel::rules
