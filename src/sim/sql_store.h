// SqlStore: one client of the simulated database, as one lane of one instance has it.
//
// A store by the contract of judge/store.h, which it also watches: a call out of turn is a violation. Every
// call takes virtual time, waits for locks in key order as it loads, and may fail in each way that the
// contract names (faults.h). A commit is an event of the server: it may happen although its caller hears
// nothing, and later than its caller has gone. Called on the lane's fiber alone.
#pragma once

#include <memory>

#include "judge/reader.h"
#include "judge/store.h"
#include "sim/faults.h"
#include "sim/fiber.h"
#include "sim/power.h"
#include "sim/rare.h"
#include "sim/sql_server.h"

namespace gavel::sim {

struct SqlManners {
  Micros call_takes{100};  // Of a usual call, at the mean.
  Micros lock_wait_max{40'000};
  LockMode names_locked = LockMode::exclusive;  // How SKUs and activities are locked when they are loaded.
  bool sees_inserts =
      true;  // Loading waits for rows that others are inserting (MariaDB; PostgreSQL does not).
};

// What the store needs of the world. The fiber is the one that calls it, which is known only once it runs.
struct SqlClient {
  Scheduler& scheduler;
  Faults& faults;
  Tale& tale;
  Sightings& sightings;
  Random& random;
  SqlServer& server;
  const Power& power;
  Fiber* const& fiber;
  std::string name;  // "i2"
  SqlManners manners;
};

std::unique_ptr<judge::Store> open_sql_store(const SqlClient& client);

// A reader of committed rows: each call takes time, sees one moment of the database within it, and may find
// nobody there.
std::unique_ptr<judge::Reader> open_sql_reader(const SqlClient& client);

}  // namespace gavel::sim
