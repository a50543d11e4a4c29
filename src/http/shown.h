// Shown: what the pipeline knows, as render.h wants it. Pure; thread-safe.
#pragma once

#include "http/render.h"
#include "pipeline/gate_snapshot.h"
#include "pipeline/views.h"

namespace gavel::http {

GateShown shown_of(const pipeline::GateSnapshot& snapshot);
Verification shown_of(const pipeline::AuditReport& report);

}  // namespace gavel::http
