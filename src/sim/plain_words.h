// Plain words: what the service says and keeps, translated for the oracles, which know none of its types.
//
// Pure but for read_rows, which asks a reader of committed rows.
#pragma once

#include "judge/reader.h"
#include "oracle/history.h"
#include "oracle/ledger.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::sim {

oracle::Request in_plain_words(const rules::Command& command);
oracle::Reply in_plain_words(const rules::Verdict& verdict);
oracle::Flow in_plain_words(const rules::Flow& flow, judge::BatchId batch, std::int64_t i);

// The command that an oracle's errand means: a reserve.
rules::Command reserve_of(const oracle::Request& request, std::chrono::seconds hold);

// All rows but the flows, whose order of commits the caller knows.
void read_rows(judge::Reader& reader, oracle::Ledger& ledger);

std::int64_t ms_of(Time time);

}  // namespace gavel::sim
