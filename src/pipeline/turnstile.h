// Turnstile: the gate's side of a request, before the judge (gate-protocol, Instance).
//
//                          ┌─ granted ────────────────────────────► judge, with a token
//   pass ─► item known? ─► say at home bucket, +1, +2 ── too few everywhere ─► judge, without
//                 │        └─ closed ─► confirming read ─┬─ anything in doubt ─► judge, without
//                 └─ no: look it up, state it            └─ empty since ───────► sold_out, recorded: false
//
// The gate steers and the judge decides: whatever the gate lost or invented, a request is turned away only by
// a committed read that began after it came. That read asks, in one state of the database, whether the item's
// generation is still the empty one, whether a hold on it is past its time (C9), whether the key stands for
// something (A9), and whether the sale is open; if any of these is not as a plain "sold out" needs it, the
// judge answers. One read at a time serves all that wait.
//
// Requests of one SKU pass here, where the SKU or the activity is gated (D1); others, and what there is no
// room for, go straight to the judge. An item has buckets at the gate only while it is gated. The acts that
// warm, check and open an activity stop here too, for their part at the gate (B12, docs/adr/0014).
//
// All of it runs on the pipeline's executor, but for gated() and to_hear(); calls of the gate come back to
// it. It outlives its executor's work.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/mutex.h"
#include "gate/gate.h"
#include "gate/token_book.h"
#include "ops/log.h"
#include "pipeline/gate_snapshot.h"
#include "pipeline/heard.h"
#include "pipeline/metrics.h"
#include "pipeline/reads.h"
#include "rules/command.h"
#include "rules/decide.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::pipeline {

// Stock items that are led through the gate; more go to the judge alone.
inline constexpr std::size_t gated_items_max = 1'000;

class Turnstile {
 public:
  struct Token {
    gate::BucketKey key;
    rules::Quantity units;
  };
  // Where a request goes: to the judge, with a token or without, or back with a refusal.
  struct Passage {
    std::optional<Token> token = std::nullopt;
    std::optional<rules::Verdict> refusal = std::nullopt;
    std::optional<rules::ItemId> denied = std::nullopt;  // At each probe the gate had too few of this item.
  };
  using Passed = std::move_only_function<void(Passage)>;

  // What a turnstile is at: `incarnation` names the database, `instance` was never used before, `mode` is the
  // service's own, `set` what operators had set when it began, `requests_kept` is the judge's.
  struct Post {
    gate::Incarnation incarnation;
    gate::InstanceId instance;
    rules::Mode mode = rules::Mode::direct;
    judge::Modes set = {};
    std::chrono::hours requests_kept = rules::Policy{}.requests_kept;
  };

  // References outlive the turnstile.
  Turnstile(boost::asio::any_io_executor executor, gate::Gate& gate, Reads<judge::Reader>& reads,
            const Clock& clock, Log& log, Post post, GateMetrics metrics = {});

  Turnstile(const Turnstile&) = delete;
  Turnstile& operator=(const Turnstile&) = delete;

  // Calls `passed` once, on the executor.
  void pass(const rules::Command& command, Passed passed);

  // The request with this token has its verdict, whatever it is.
  void drop(const Token& token);

  // What heard() has to be told of a batch (Judge::Observer); nothing while no item can be at the gate and no
  // mode was set: then a sale costs the gate's side nothing. Any thread.
  std::optional<Heard> to_hear(const rules::State& state) const;

  // What a batch left behind, in any mode and for any act. A mode is obeyed from here on. Items that never
  // passed here are not stated: whoever leads them through the gate does, by the refresh at the latest.
  void heard(const Heard& heard);

  // What to ask of the judge, now that it has sold what the gate denied at the probes: its buckets are evened
  // out (A7). Nothing if that was asked for within the last second.
  std::optional<rules::Command> rebalance(rules::ItemId item);

  // The items of a SKU at the gate and at the judge; nothing if there is no such SKU. `unavailable` if one of
  // the two does not answer.
  boost::asio::awaitable<Result<std::optional<std::vector<GateSnapshot>>>> look(rules::SkuCode sku);

  // The items that have buckets at the gate, in order. Any thread.
  std::vector<rules::ItemId> gated() const GAVEL_EXCLUDES(mutex_);

  // Says again what the gate may not have heard, and asks again a bucket that gave no reply; called every
  // second or oftener.
  void wake();

  // Calls that the gate has not answered, and statements it has not heard.
  std::size_t unsettled() const { return book_.unsettled(); }

 private:
  using Pool = std::pair<rules::SkuCode, std::optional<rules::ActivityCode>>;

  struct Known {
    Pool pool;
    std::int32_t in_use = 1;
    std::int32_t rows = 1;  // With those out of use, which the gate may still know.
  };
  struct Asking {
    rules::RequestId key;
    Pool pool;
    rules::UserId user;
    rules::Quantity units;
    std::vector<rules::BucketNo> probes;  // Those not asked yet, the next one first.
    rules::ItemId item;
    Passed passed;
  };
  struct Doubted {
    gate::TokenRequestId wanter;
    std::int64_t shut;
  };

  // The part of an act at the gate, and the activity it is about.
  struct AtGate {
    rules::RequestId key;
    rules::ActivityCode activity;
    // The first state in which it has a part: from draft on it loads the gate, from a later one it compares.
    rules::ActivityState from;
    Passed passed;
  };
  using Shown = std::vector<std::optional<gate::Bucket>>;

  rules::Mode mode_of(const Pool& pool) const;
  boost::asio::awaitable<void> act_at_gate(AtGate act);
  boost::asio::awaitable<Passage> part_of(const AtGate& act);
  boost::asio::awaitable<Passage> load(const Pool& pool, const rules::Item& item);
  boost::asio::awaitable<Passage> compare(const Pool& pool, const rules::Item& item);
  boost::asio::awaitable<Result<Shown>> read_gate(const rules::Item& item);
  boost::asio::awaitable<void> look_up(Pool pool);
  boost::asio::awaitable<void> confirm();
  void learn(const Pool& pool, const rules::Item& item);
  void forget(rules::ItemId item);
  void obey(const judge::Modes& modes);
  void probe(gate::TokenRequestId wanter);
  void want(gate::TokenRequestId wanter);
  void rest(const gate::BucketKey& key);
  void direct(const gate::BucketKey& key, const gate::RoutingResult& directed);
  void rule(const Doubted& doubted, const Result<judge::SoldOutCheckResult>& found);
  bool may_refuse(const Asking& asking, const judge::SoldOutCheckResult& found) const;
  void reopen(rules::ItemId item, std::int64_t generation);
  void end(gate::TokenRequestId wanter, Passage passage);
  void schedule();
  void say_all();
  gate::BucketKey key_of(rules::ItemId item, rules::BucketNo bucket) const {
    return {incarnation_, item, bucket};
  }

  boost::asio::any_io_executor executor_;
  gate::Gate& gate_;
  Reads<judge::Reader>& reads_;
  const Clock& clock_;
  Log& log_;
  const gate::Incarnation incarnation_;
  const rules::Mode mode_;
  judge::Modes set_;
  const std::chrono::hours requests_kept_;
  const GateMetrics metrics_;
  gate::TokenBook book_;
  std::map<Pool, rules::ItemId> items_;
  std::map<rules::ItemId, Known> known_;          // Of the items in items_.
  std::set<gate::BucketKey> silent_;              // Gave no reply since the last wake().
  std::map<rules::ItemId, Duration> rebalanced_;  // When it was asked for last.
  std::map<rules::ItemId, std::set<rules::BucketNo>>
      uninitialised_;                                            // Buckets whose state a verdict must bring.
  std::map<Pool, std::vector<gate::TokenRequestId>> looked_up_;  // Who waits for which look-up.
  std::map<gate::TokenRequestId, Asking> asking_;
  std::vector<Doubted> doubted_;
  bool confirming_ = false;
  bool scheduled_ = false;
  gate::TokenRequestId next_wanter_ = 1;

  // Whether an item can be at the gate. It is set before the first of them is read, and stays, so that every
  // batch that such a read has not seen is told.
  std::atomic<bool> listens_;

  mutable Mutex mutex_;
  std::set<rules::ItemId> gated_ GAVEL_GUARDED_BY(mutex_);  // The keys of known_, for other threads.
};

}  // namespace gavel::pipeline
