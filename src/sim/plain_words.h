// Plain words: what the service says and keeps, in the words of the oracles (tests/plain), and the way back.
#pragma once

#include <chrono>

#include "oracle/history.h"
#include "plain/plain_words.h"
#include "rules/command.h"

namespace gavel::sim {

using plain::in_plain_words;
using plain::ms_of;

// The command that an oracle's errand means: a reserve.
rules::Command reserve_of(const oracle::Request& request, std::chrono::seconds hold);

// All rows but the flows, whose order of commits the caller knows. The reader is one that answers.
void read_rows(judge::TablesReader& reader, oracle::Ledger& ledger);

}  // namespace gavel::sim
