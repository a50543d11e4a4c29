// SimDatabase: what the instances of a world stand on, of one form or another, and what may befall it with
// them.
//
//   SqlServer      a server of its own with many clients (sql_server.h)
//   DiskDatabase   the product's SQLite in the process of its only instance, above a file layer with faults
//
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "judge/order_index.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "rules/state.h"
#include "sim/faults.h"
#include "sim/fiber.h"
#include "sim/process_state.h"
#include "sim/rare.h"
#include "sim/trace_log.h"

namespace gavel::sim {

enum class LockMode : std::uint8_t { shared, exclusive };

// How a database treats its clients.
struct DatabaseProfile {
  Micros call_takes{100};  // Of a usual call, at the mean.
  Micros lock_wait_max{40'000};
  bool sees_inserts =
      true;  // Loading waits for rows that others are inserting (MariaDB; PostgreSQL does not).
};

// Who calls it. The fiber is known only once it runs.
struct Client {
  Scheduler& scheduler;
  Faults& faults;
  TraceLog& tale;
  CoverageMarks& sightings;
  Random& random;
  const ProcessState& power;
  Fiber* const& fiber;
  std::string name;  // "i2"
  DatabaseProfile manners;
  std::function<void()> crash;  // Ends the instance once the present event is over.

  // How long a call takes: usually about as the manners say.
  Micros draw_time() const;
  // Has the fiber wait so long.
  void spend_time() const { fiber->rest(draw_time()); }
};

class SimDatabase {
 public:
  // Is told of each batch when it is committed: what it wrote, in the very order of the commits. A form that
  // learns only later that a commit happened tells of it then, before anybody else can have seen it.
  using OnCommit = std::function<void(const rules::State&, judge::BatchId, Time)>;

  virtual ~SimDatabase() = default;

  // Of an instance that starts now; takes no time.
  virtual judge::Identity open_instance() = 0;

  // For the lane of an instance, called on its fiber alone; and for its questions and jobs.
  virtual std::unique_ptr<judge::Store> open_store(const Client& client) = 0;
  virtual std::unique_ptr<judge::Reader> open_reader(const Client& client) = 0;

  // The index of orders by user of an instance, which its job follows with.
  virtual std::unique_ptr<judge::OrderIndex> open_order_index(const Client& client) = 0;

  // The committed rows as they are at this moment, for those who watch. Not kept beyond the present event.
  virtual std::unique_ptr<judge::Reader> look() = 0;

  // An instance is about to crash; it has run out, and all that it had open is closed.
  virtual void instance_dies() {}
  virtual void instance_is_dead() {}

  // What clients did that the contract of judge/store.h forbids, and what is not at rest though all is over.
  virtual std::vector<std::string> complaints() const = 0;
  virtual std::size_t open_transactions() const = 0;
};

}  // namespace gavel::sim
