// A page of the ledger after an offset per lane, for the reader.
//
// Private to the SQLite form. Runs within the caller's snapshot, on the caller's thread.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "judge/reader.h"
#include "judge/sqlite/queries.h"

namespace gavel::judge::sqlite {

// As LedgerReader::read_after(), but for its time.
Result<LedgerPage> read_ledger_page(Queries& queries, const Offsets& from, std::size_t flows_max);

}  // namespace gavel::judge::sqlite
