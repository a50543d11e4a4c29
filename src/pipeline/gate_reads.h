// GateReads: the stage on which the gate's side asks the judge's committed database. It is the gate's own, so
// that no list, trace or audit keeps a refusal waiting.
#pragma once

#include "judge/reader.h"
#include "pipeline/read_stage.h"

namespace gavel::pipeline {

using GateReads = ReadStage<judge::Reader>;

}  // namespace gavel::pipeline
