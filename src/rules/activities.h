// The acts of operators: SKUs, inbound stock, and the life of an activity. Corrections are in counts.h.
//
//              ┌── change ──┬──────────────┐
//   create     ▼    warm    │     check    │   open          close
//   ──────► draft ──────► warmed ──────► verified ──────► open ──────► closed
//             │             └── warm, check ──┘             ▲             ▲
//             ├────────── open, unless it is gated ─────────┘             │
//             └──────────────── close, from each of the others ───────────┘
//
// Gavel itself closes an open activity at its closes_at (E23, jobs/closing.h).
//
// A gated activity opens from `verified` alone (B12, docs/adr/0014). The work at the gate is done before
// these acts are decided; the acts record that it was done.
//
// Called by decide() alone; ladders as in orders.h. One thread.
#pragma once

#include "rules/decision.h"

namespace gavel::rules {

Verdict put_sku(DecisionContext& c, const PutSku& act);
Verdict rebalance(DecisionContext& c, const Rebalance& act);
Verdict receive(DecisionContext& c, const Receive& act);
Verdict create_activity(DecisionContext& c, const CreateActivity& act);
Verdict change_activity(DecisionContext& c, const ChangeActivity& act);
Verdict warm_activity(DecisionContext& c, const WarmActivity& act);
Verdict check_activity(DecisionContext& c, const CheckActivity& act);
Verdict open_activity(DecisionContext& c, const OpenActivity& act);
Verdict close_activity(DecisionContext& c, const CloseActivity& act);

}  // namespace gavel::rules
