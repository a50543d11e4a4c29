// Units of paid orders that come back (C3).
//
// Called by decide() alone; a ladder as in orders.h. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

// Gives back all that is left with the order, or some lines of it: for sale again, or written off. A claim
// stays with the user (B3): who returns what he bought has had his share.
Verdict refund(DecisionContext& c, const Refund& act);

}  // namespace gavel::rules
