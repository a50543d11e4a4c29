// Mapping: rows of the judge and buckets of the gate, as views. Pure; thread-safe.
#pragma once

#include "judge/audit/audit.h"
#include "judge/reader.h"
#include "pipeline/gate_snapshot.h"
#include "queries/views.h"

namespace gavel::queries {

OrderView view_of(const judge::OrderRow& row);
StockView view_of(const judge::StockRow& row);
TraceView view_of(const judge::Trace& trace);
AuditView view_of(const judge::AuditReport& report);
GateView view_of(const pipeline::GateSnapshot& snapshot);

}  // namespace gavel::queries
