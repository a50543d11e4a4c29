// SimInstance: one process of the service in a simulated world, wired as app/instance wires the real one.
//
//   made ──► serving ── crash ──► dying ── its calls have run out ──► dead, and may be destroyed
//
// Everything is the product's own: pipeline, gate client, lane, judge, reads, jobs. What is simulated lies
// below (database, gate, clock) and above (callers). Where the product has threads there are fibers: the
// lanes, the reads, and the jobs; its io_context runs whenever somebody has stirred it. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "judge/store.h"
#include "pipeline/pipeline.h"
#include "queries/user_orders.h"
#include "rules/decide.h"
#include "sim/database.h"
#include "sim/rare.h"
#include "sim/redis_gate.h"

namespace gavel::sim {

struct InstanceOptions {
  bool gated = true;
  std::size_t lanes = 1;  // More on a server alone.
  std::size_t orders_remembered_max = pipeline::orders_remembered_max;
  stage::Limits lane{};
  stage::Limits reads{};
  pipeline::PipelineLimits pipeline{};
  Duration read_within{};
  judge::JudgeLimits judge{};
  rules::Policy policy{};
  DatabaseProfile database{};
  Micros gate_reply_within{};
  bool gate_says_yes = false;
  Micros refresh_every{1'000'000};
  std::size_t follow_flows_max = 5'000;  // Of one step of the projection.
  std::size_t forget_rows_max = 1'000;   // Of one step of the retention.
};

// What an instance stands in. Everything outlives it.
struct SimContext {
  Scheduler& scheduler;
  Faults& faults;
  TraceLog& tale;
  CoverageMarks& sightings;
  Random& random;
  SimDatabase& database;
  RedisServer& redis;
};

class SimInstance {
 public:
  using Answer = std::function<void(rules::Verdict)>;

  // `identity` was dealt by the database for this instance alone. `die` has crash() called once the present
  // event is over.
  SimInstance(const SimContext& surroundings, const InstanceOptions& options, const judge::Identity& identity,
              Duration clock_skew, std::function<void()> die);

  // dead() (CHECKed).
  ~SimInstance();
  SimInstance(const SimInstance&) = delete;
  SimInstance& operator=(const SimInstance&) = delete;

  // A request that has arrived. `answer` is called once, unless the instance dies before.
  void ask(rules::Command command, Answer answer);

  // The stock of a SKU, as a caller is shown it; nothing if nobody can say, or there is no such SKU.
  using Shown = std::function<void(const std::vector<judge::StockRow>& rows)>;
  void read_stock(const rules::SkuCode& sku, Shown shown);

  // The orders of a user, as a caller is shown them; nothing if nobody can say.
  using ShownOrders = std::function<void(const queries::UserOrders& orders)>;
  void read_orders(const rules::UserId& user, ShownOrders shown);

  void crash();
  // Stands still until then, and knows nothing of it afterwards.
  void pause(Micros until);
  // Sets the clock on the wall; deadlines do not notice.
  void jump_clock(Duration by);

  bool serving() const;
  bool dead() const;
  // The store cannot be trusted any longer, so the process is about to stop.
  bool broken() const;
  bool in_transaction() const;
  std::size_t in_flight() const;
  std::vector<rules::ItemId> gated_items() const;  // That have buckets at the gate, as far as it knows.
  judge::OrderIndex& order_index() const;          // For those who watch: page() alone.
  bool follows() const;                            // Its index has reached what it saw last.
  Time now() const;
  const std::string& name() const;
  rules::InstanceId number() const;

 private:
  class Wiring;
  std::unique_ptr<Wiring> wiring_;
};

}  // namespace gavel::sim
