// Plain words: what the service says and keeps, translated for the oracles, which know none of its types.
//
// Pure but for read_ledger and read_rows, which ask a reader of committed rows and block as it does.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/time.h"
#include "judge/reader.h"
#include "oracle/history.h"
#include "oracle/ledger.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::plain {

// Of a command with a key. Of acts that the oracles know nothing of, only the answers will be compared.
oracle::Request in_plain_words(const rules::Command& command);
oracle::Reply in_plain_words(const rules::Verdict& verdict);
oracle::Flow in_plain_words(const rules::Flow& flow, judge::BatchId batch, std::int64_t i);

// All rows but the flows, for whoever knows the order of their commits better.
Result<void> read_rows(judge::TablesReader& reader, oracle::Ledger& ledger);

// All rows; the flows in an order in which they may have been committed (oracle::put_in_order).
Result<oracle::Ledger> read_ledger(judge::TablesReader& reader);

std::int64_t ms_of(Time time);

}  // namespace gavel::plain
