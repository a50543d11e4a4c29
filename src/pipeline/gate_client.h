// GateClient: this process's side of the gate. It decides which way a request takes to the judge
// (gate-protocol, Instance).
//
//                         ┌─ granted ───────────────────────────► judge, with a token
//   ask ─► item known? ─► say at home bucket, +1, +2 ── too few everywhere ─► judge, without
//                │        └─ closed ─► sold-out check ─┬─ anything in doubt ─► judge, without
//                └─ no: look it up, state it           └─ nothing is left ───► sold_out, recorded: false
//
// The gate chooses the way and the judge decides: whatever the gate lost or invented, a request is turned
// away only after a committed read that began after it came (sold_out_check.h). A request that the gate has
// not answered by its deadline is turned away as `overloaded`: it never reached the judge, so certainly
// nothing was done.
//
// Requests of one SKU pass here if the SKU or the activity is gated (gate_modes.h). Other requests, and those
// for which there is no room, go straight to the judge. An item has buckets at the gate only while it is
// gated. The acts that warm, check and open an activity pass here too (gate_preparation.h).
//
// All of it runs on the pipeline's executor, but for gated_items() and committed_items(); replies of the gate
// come back to it. It outlives its executor's work, and Gate::close() is called before it ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "gate/gate.h"
#include "gate/token_book.h"
#include "ops/log.h"
#include "pipeline/committed_items.h"
#include "pipeline/executor.h"
#include "pipeline/gate_modes.h"
#include "pipeline/gate_preparation.h"
#include "pipeline/gate_reads.h"
#include "pipeline/metrics.h"
#include "pipeline/sold_out_check.h"
#include "rules/command.h"
#include "rules/decide.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::pipeline {

// Stock items that are led through the gate; more go to the judge alone.
inline constexpr std::size_t gated_items_max = 1'000;

class GateClient {
 public:
  struct Token {
    gate::BucketKey key;
    rules::Quantity units;
  };
  // Where a request goes: to the judge, with a token or without, or back with a refusal. Never with both.
  struct Result {
    std::optional<Token> token = std::nullopt;
    std::optional<rules::Verdict> refusal = std::nullopt;
    std::optional<rules::ItemId> denied = std::nullopt;  // At each probe the gate had too few of this item.
  };
  using Callback = std::move_only_function<void(Result)>;

  // `incarnation` names the database, `instance` was never used before, `mode` is the service's own, `set`
  // what operators had set when it began, `requests_kept` is the judge's.
  struct Options {
    rules::Incarnation incarnation;
    rules::InstanceId instance;
    rules::Mode mode = rules::Mode::direct;
    judge::Modes set = {};
    std::chrono::hours requests_kept = rules::Policy{}.requests_kept;
  };

  // `reads` is a stage of the gate's own, on which no long question waits. References outlive the client.
  GateClient(Executor& executor, gate::Gate& gate, GateReads& reads, const Clock& clock, Log& log,
             Options options, GateMetrics metrics = {});

  GateClient(const GateClient&) = delete;
  GateClient& operator=(const GateClient&) = delete;

  // False while nothing is gated: then every request goes straight to the judge, and need not be asked here.
  bool any_gated() const { return modes_.any_gated(); }

  // Calls `done` once, on the executor, perhaps before it returns: at the latest in the first step() after
  // `deadline`, which is in the clock's steady time. Deadlines do not fall from one call to the next
  // (CHECKed).
  void ask(const rules::Command& command, Duration deadline, Callback done);

  // The request with this token has its verdict, whatever it is.
  void release(const Token& token);

  // What apply() has to be told of a batch (Judge::Observer); nothing while no item can be at the gate and no
  // mode was set. Any thread.
  std::optional<CommittedItems> committed_items(const rules::State& state) const;

  // What a batch left behind, in any mode and for any act. A mode holds from here on. Items that never passed
  // here are not stated: whoever leads them through the gate does, by the refresh at the latest.
  void apply(const CommittedItems& committed);

  // What to ask of the judge, now that it has sold what the gate denied at the probes: its buckets are evened
  // out (A7). Nothing if that was asked for within the last second.
  std::optional<rules::Command> rebalance(rules::ItemId item);

  // The items that have buckets at the gate, in order. Any thread.
  std::vector<rules::ItemId> gated_items() const GAVEL_EXCLUDES(mutex_);

  // Ends what is overdue, says again what the gate may not have heard, and asks again a bucket that gave no
  // reply; called ten times a second or so.
  void step(Duration steady_now);

  // Calls that the gate has not answered, and statements it has not heard.
  std::size_t unsettled() const { return book_.unsettled(); }

  // Requests that wait here.
  std::size_t waiting() const { return requests_.size(); }

  const GateModes& modes() const { return modes_; }

 private:
  // A request of one line, on its way past the buckets.
  struct Order {
    rules::RequestId key;
    StockPool pool;
    rules::UserId user;
    rules::Quantity units;
    rules::ItemId item{};                      // Once the pool is looked up.
    std::vector<rules::BucketNo> probes = {};  // Those not asked yet, the next one first.
  };
  struct Request {
    Duration deadline;
    Callback done;
    std::optional<Order> order;  // None of an act on an activity.
  };
  struct Known {
    StockPool pool;
    std::int32_t in_use = 1;
    std::int32_t rows = 1;  // With those out of use, which the gate may still know.
  };

  using Rows = gavel::Result<std::optional<std::vector<judge::StockRow>>>;

  gate::TokenRequestId enter(Duration deadline, Callback done, std::optional<Order> order);
  Order* find_order(gate::TokenRequestId id);
  void look_up_or_wait(const StockPool& pool, gate::TokenRequestId id);
  void look_up(const StockPool& pool);
  void end_look_up(const StockPool& pool, const Rows& rows);
  void learn(const StockPool& pool, const rules::Item& item);
  void forget(rules::ItemId item);
  void begin_probes(gate::TokenRequestId id);
  void next_probe(gate::TokenRequestId id);
  void route(const gate::BucketKey& key, const gate::RoutingResult& result);
  void check_sold_out(gate::TokenRequestId id, std::int64_t shut);
  void end_checked(gate::TokenRequestId id, const SoldOutCheck::Result& result);
  void reopen(rules::ItemId item, std::int64_t generation);
  void end(gate::TokenRequestId id, Result result);
  void end_overdue(Duration steady_now);
  void rest(const gate::BucketKey& key);
  void schedule_calls();
  void send_calls();
  void on_reply(const gate::BucketKey& key, std::int64_t op, const gavel::Result<gate::Reply>& reply);
  bool has_room(rules::ItemId item) const { return known_.contains(item) || known_.size() < gated_items_max; }
  gate::BucketKey key_of(rules::ItemId item, rules::BucketNo bucket) const {
    return {incarnation_, item, bucket};
  }

  Executor& executor_;
  gate::Gate& gate_;
  GateReads& reads_;
  const Clock& clock_;
  Log& log_;
  const rules::Incarnation incarnation_;
  const GateMetrics metrics_;
  GateModes modes_;
  SoldOutCheck sold_out_check_;
  GatePreparation preparation_;
  gate::TokenBook book_;
  std::map<StockPool, rules::ItemId> items_;
  std::map<rules::ItemId, Known> known_;          // Of the items in items_.
  std::set<rules::ItemId> erasing_;               // Forgotten, and the gate has not answered yet.
  std::set<gate::BucketKey> silent_;              // Gave no reply since the last step().
  std::map<rules::ItemId, Duration> rebalanced_;  // When it was asked for last.
  std::map<rules::ItemId, std::set<rules::BucketNo>>
      uninitialised_;  // Buckets whose state a verdict must bring.
  std::map<StockPool, std::vector<gate::TokenRequestId>> looked_up_;  // Who waits for which look-up.
  std::map<gate::TokenRequestId, Request> requests_;                  // By arrival, hence by deadline.
  bool calls_scheduled_ = false;
  gate::TokenRequestId next_id_ = 1;

  mutable Mutex mutex_;
  std::set<rules::ItemId> gated_ GAVEL_GUARDED_BY(mutex_);  // The keys of known_, for other threads.
};

}  // namespace gavel::pipeline
