// Following the ledger by a cursor per lane, for the reader.
//
// Private to the SQLite form. Runs within the caller's snapshot, on the caller's thread.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "judge/reader.h"
#include "judge/sqlite/queries.h"

namespace gavel::judge::sqlite {

// As Reader::follow().
Result<Sequel> follow_ledger(Queries& queries, const Cursors& from, std::size_t flows_max);

}  // namespace gavel::judge::sqlite
