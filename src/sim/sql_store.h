// SqlStore: one client of the simulated database, used by one lane of one instance.
//
// It follows the contract of judge/store.h and also checks its caller: a call in the wrong order is a
// violation. Every call takes virtual time, waits for locks in key order as it loads, and may fail in each
// way that the contract names (faults.h). A commit is an event of the server: it may happen although its
// caller gets no answer, and after its caller has gone. Called on the lane's fiber alone.
#pragma once

#include <memory>

#include "judge/store.h"
#include "sim/database.h"
#include "sim/sql_server.h"

namespace gavel::sim {

struct SqlClient : Client {
  SqlServer& server;
};

std::unique_ptr<judge::Store> open_sql_store(const SqlClient& client);

}  // namespace gavel::sim
