// What a held order may still become without leaving its state: longer, larger, smaller (E4, E5).
//
// Called by decide() alone; ladders as in orders.h. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

// Lets the hold last longer, up to a cap that is measured from when the order was made. A hold that lasts as
// long already stays as it is, and that is a success, too.
Verdict extend(DecisionContext& c, const Extend& act);

// Gives the order the lines of the act in place of its own, by taking and giving back the difference.
Verdict change_order(DecisionContext& c, const ChangeOrder& act);

}  // namespace gavel::rules
