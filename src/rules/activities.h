// The acts of operators: SKUs, inbound stock, corrections, and the life of an activity.
//
//   create          open            close
//   ──────► draft ──────► open ──────────► closed
//             └───────────── close ─────────┘
//
// Called by decide() alone; ladders as in orders.h. One thread.
#pragma once

#include "rules/ladder.h"

namespace gavel::rules {

Verdict put_sku(Case& c, const PutSku& act);
Verdict receive(Case& c, const Receive& act);
Verdict adjust(Case& c, const Adjust& act);
Verdict count(Case& c, const Count& act);
Verdict create_activity(Case& c, const CreateActivity& act);
Verdict open_activity(Case& c, const OpenActivity& act);
Verdict close_activity(Case& c, const CloseActivity& act);

}  // namespace gavel::rules
