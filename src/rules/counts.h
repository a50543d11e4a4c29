// Corrections of free stock: what an operator found, lost or counted (B16, E6).
//
// Called by decide() alone; ladders as in orders.h. Both answer with the version of the stock after the act,
// which the next count may start from. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

// By a difference. Units that leave are taken from what is available, and beyond that become a shortage (E7).
Verdict adjust(DecisionContext& c, const Adjust& act);

// To a number of units on hand, which is refused where the stock has changed since it was counted.
Verdict count(DecisionContext& c, const Count& act);

}  // namespace gavel::rules
