// Views: what the pipeline hands up of what lies below it, by the pipeline's name for it.
#pragma once

#include "judge/audit/audit.h"
#include "judge/reader.h"

namespace gavel::pipeline {

using judge::AuditReport;
using judge::OrderView;
using judge::Reader;
using judge::StockRow;
using judge::Trace;

}  // namespace gavel::pipeline
