// Shipping: units of a paid order leave for their buyer (E22).
//
// Internal to rules/. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

Verdict ship(DecisionContext& c, const Ship& act);

}  // namespace gavel::rules
