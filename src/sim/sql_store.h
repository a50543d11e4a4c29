// SqlStore: one client of the simulated database, as one lane of one instance has it.
//
// A store by the contract of judge/store.h, which it also watches: a call out of turn is a violation. Every
// call takes virtual time, waits for locks in key order as it loads, and may fail in each way that the
// contract names (faults.h). A commit is an event of the server: it may happen although its caller hears
// nothing, and later than its caller has gone. Called on the lane's fiber alone.
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
