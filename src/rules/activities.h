// The acts of operators: SKUs, inbound stock, corrections, and the life of an activity.
//
//              ┌── change ──┬──────────────┐
//   create     ▼    warm    │     check    │   open          close
//   ──────► draft ──────► warmed ──────► verified ──────► open ──────► closed
//             │             └── warm, check ──┘             ▲             ▲
//             ├────────── open, unless it is gated ─────────┘             │
//             └──────────────── close, from each of the others ───────────┘
//
// A gated activity opens from `verified` alone (B12, docs/adr/0014). What is done with the gate is done
// before these acts are decided: they record that it was.
//
// Called by decide() alone; ladders as in orders.h. One thread.
#pragma once

#include "rules/ladder.h"

namespace gavel::rules {

Verdict put_sku(Case& c, const PutSku& act);
Verdict rebalance(Case& c, const Rebalance& act);
Verdict receive(Case& c, const Receive& act);
Verdict adjust(Case& c, const Adjust& act);
Verdict count(Case& c, const Count& act);
Verdict create_activity(Case& c, const CreateActivity& act);
Verdict change_activity(Case& c, const ChangeActivity& act);
Verdict warm_activity(Case& c, const WarmActivity& act);
Verdict check_activity(Case& c, const CheckActivity& act);
Verdict open_activity(Case& c, const OpenActivity& act);
Verdict close_activity(Case& c, const CloseActivity& act);

}  // namespace gavel::rules
