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
// Requests of one SKU pass here. Others, and what the catalogue has no room for, go straight to the judge.
// All of it runs on the pipeline's executor; calls of the gate come back to it. It outlives its executor's
// work.
#pragma once

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
#include "base/log.h"
#include "gate/gate.h"
#include "gate/token_book.h"
#include "pipeline/reads.h"
#include "rules/command.h"
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
    std::optional<Token> token;
    std::optional<rules::Verdict> refusal;
  };
  using Passed = std::move_only_function<void(Passage)>;

  // References outlive the turnstile. `incarnation` names the database, `instance` was never used before.
  Turnstile(boost::asio::any_io_executor executor, gate::Gate& gate, Reads& reads, const Clock& clock,
            Log& log, gate::Incarnation incarnation, gate::InstanceId instance);

  Turnstile(const Turnstile&) = delete;
  Turnstile& operator=(const Turnstile&) = delete;

  // Calls `passed` once, on the executor.
  void pass(const rules::Command& command, Passed passed);

  // The request with this token has its verdict, whatever it is.
  void drop(const Token& token);

  // What a batch left behind (Judge::Observer), in any mode and for any act. The executor's thread.
  void heard(const std::vector<rules::Item>& items);

  // Says again what the gate may not have heard; called every second or oftener.
  void wake();

  // Calls that the gate has not answered, and statements it has not heard.
  std::size_t unsettled() const { return book_.unsettled(); }

 private:
  using Pool = std::pair<rules::SkuCode, std::optional<rules::ActivityCode>>;

  struct Known {
    rules::ItemId item;
    std::int32_t buckets = 1;
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
    gate::Wanter wanter;
    std::int64_t shut;
  };

  boost::asio::awaitable<void> look_up(Pool pool);
  boost::asio::awaitable<void> confirm();
  void learn(const Pool& pool, const std::vector<StockRow>& rows);
  void probe(gate::Wanter wanter);
  void direct(const gate::BucketKey& key, const gate::Directed& directed);
  void rule(const Doubted& doubted, const Result<judge::Confirmation>& found);
  bool may_refuse(const Asking& asking, const judge::Confirmation& found) const;
  void reopen(rules::ItemId item, std::int64_t generation);
  void erase(const Asking& asking);
  void end(gate::Wanter wanter, Passage passage);
  void schedule();
  void say_all();
  gate::BucketKey key_of(rules::ItemId item, rules::BucketNo bucket) const {
    return {incarnation_, item, bucket};
  }

  boost::asio::any_io_executor executor_;
  gate::Gate& gate_;
  Reads& reads_;
  const Clock& clock_;
  Log& log_;
  const gate::Incarnation incarnation_;
  gate::TokenBook book_;
  std::map<Pool, Known> known_;
  std::map<rules::ItemId, std::int32_t> buckets_;  // Of the items in known_.
  std::map<rules::ItemId, std::set<rules::BucketNo>>
      uninitialised_;                                    // Buckets whose state a verdict must bring.
  std::map<Pool, std::vector<gate::Wanter>> looked_up_;  // Who waits for which look-up.
  std::map<gate::Wanter, Asking> asking_;
  std::vector<Doubted> doubted_;
  bool confirming_ = false;
  bool scheduled_ = false;
  gate::Wanter next_wanter_ = 1;
};

}  // namespace gavel::pipeline
