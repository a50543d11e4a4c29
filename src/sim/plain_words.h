// Translates the service's answers and rows into the types of the oracles (tests/plain), and requests back.
#pragma once

#include <chrono>

#include "oracle/history.h"
#include "plain/plain_words.h"
#include "rules/command.h"

namespace gavel::sim {

using plain::in_plain_words;
using plain::ms_of;

// The command for an oracle's errand: a reserve.
rules::Command reserve_of(const oracle::Request& request, std::chrono::seconds hold);

// All rows except the flows, whose order of commits the caller knows. The reader must answer.
void read_rows(judge::TablesReader& reader, oracle::Ledger& ledger);

}  // namespace gavel::sim
