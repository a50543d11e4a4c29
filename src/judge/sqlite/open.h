// Opening: what the store and readers need of a file before they use it.
//
// Private to the SQLite form.
#pragma once

#include <memory>

#include "base/result.h"
#include "judge/sqlite/connection.h"
#include "judge/sqlite/store.h"

namespace gavel::judge::sqlite {

// A connection to a file whose schema is this build's, with every setting applied and read back; `invalid`
// otherwise.
Result<std::unique_ptr<Connection>> open_current(const SqliteOptions& options, Role role);

}  // namespace gavel::judge::sqlite
