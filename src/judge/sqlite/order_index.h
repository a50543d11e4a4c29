// The SQLite form of the order index: a file of its own beside the judge's database.
//
// Nothing is lost with it, so it neither waits for the disk nor makes the judge, whose disk it shares, wait
// for it: it never syncs. Its file is whole as long as the machine runs, whatever becomes of the process. One
// that was made before the machine last started, cannot be read or is of another version is removed and made
// again; another program's database is left alone.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "judge/order_index.h"

namespace gavel::judge {

// Its statements that run once per order, lane or question, for the test that asks how SQLite runs them.
inline constexpr const char* order_index_statements[] = {
    "INSERT INTO order_of_user (user, at, lane, n, i, id, state, account) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (user, at, lane, n, i) DO UPDATE SET state = excluded.state",
    "INSERT INTO cursor (lane, n, at) VALUES (?, ?, ?)"
    " ON CONFLICT (lane) DO UPDATE SET n = excluded.n, at = excluded.at",
    "SELECT at, lane, n, i, id, state, account FROM order_of_user"
    " WHERE user = ?1 AND (at, lane, n, i) < (?2, ?3, ?4, ?5) AND (?6 IS NULL OR state = ?6)"
    " AND (?8 IS NULL OR account = ?8) ORDER BY at DESC, lane DESC, n DESC, i DESC LIMIT ?7",
};

// `invalid` in one line that says what to do, if the file cannot be made or is another program's.
// `boot` names the time since the machine last started; where it is empty no file counts as made since then.
// `vfs` is the name of a registered file layer, for tests; empty: the system's.
Result<std::unique_ptr<OrderIndex>> open_sqlite_order_index(const std::string& path, const std::string& boot,
                                                            const std::string& vfs = "");

}  // namespace gavel::judge
