// Tokens: one instance's view of one bucket: the tokens that it holds there, the requests that wait for a
// token, and the statements that are still to be made.
//
//            want · owe · owe_call · drop · …               begin
//   resting ────────────────────────────────► due() ────────────────────► under way
//      ▲                                        ▲                             │ end
//      └────────────────────────────────────────┴─────────────────────────────┘
//
// A call carries everything at once: the tokens held, the newest statement, and all waiting requests. One
// call is under way at a time. A call that fails is never sent again as it was: the next call states
// everything anew.
//
// A pure state machine: no I/O, no clock. Not thread-safe. The driver also limits how many requests wait, and
// how often a failing gate is called (the breaker).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/result.h"
#include "gate/bucket.h"

namespace gavel::gate {

// The driver's own number for a request that waits for a token.
using TokenRequestId = std::uint64_t;

// Where a request goes from the gate (B2).
enum class GateAnswer : std::uint8_t {
  granted,          // To the judge, with a token of this bucket.
  too_few,          // To the next probe; after the last one, to the judge without a token.
  closed,           // To a confirming read, with the reply's `shut` (statements.h).
  not_initialised,  // To the judge without a token, asking for this bucket's state. A fault, to be counted.
  unavailable,  // To the judge without a token: the gate did not answer, or no longer knows this instance.
};

struct RoutingResult {
  TokenRequestId wanter = 0;
  rules::Quantity units;
  GateAnswer route = GateAnswer::unavailable;
  std::int64_t shut = 0;  // For `closed`.
  friend bool operator==(const RoutingResult&, const RoutingResult&) = default;
};

class Tokens {
 public:
  // A request waits here for a token of `units`, 1 to line_units_max.
  void want(TokenRequestId wanter, rules::Quantity units) { waiting_.push_back({wanter, units}); }

  // The judge's side has a statement for this bucket.
  void owe(const Statement& statement);

  // The gate may have lost what we stated: another master, an empty server, a reconnect. An old call that is
  // still on its way could then count, so a new call is owed until a bucket has replied. While the bucket is
  // missing, the owed call sleeps; this wakes it.
  void owe_call() {
    must_be_heard_ = true;
    asleep_ = false;
  }
  // Wakes an owed call that sleeps; does nothing if there is none.
  void wake() { asleep_ = false; }
  // The item is no longer gated: nothing more is to be stated to this bucket.
  void forgive();

  // The instance continues under a new number: the tokens that the gate counted for the old number no longer
  // belong to it.
  void renew() {
    must_be_heard_ = true;
    stale_in_a_row_ = 0;
  }

  // A request with a token of this bucket has its verdict (whether sold, refused, a duplicate or a resolved
  // unknown), or left before it was judged. CHECKs that at least this many tokens are held.
  void drop(rules::Quantity units);

  // Queued mode: the request's ticket is durable. Its token stays with this instance until the ticket is
  // judged by any instance; count_tickets tells when.
  void hand_over(rules::Quantity units);
  // The tokens of this instance's own tickets that are not judged yet. The count may be some seconds old:
  // tokens only choose the way.
  void count_tickets(rules::Quantity units);

  // Whether begin() has something to send.
  bool due() const;
  // Whether the gate has received everything that there is to state, as far as it has the bucket.
  bool settled() const { return !under_way_ && !due(); }
  // Whether this object has nothing to remember.
  bool resting() const;

  // The next call, with an op above all earlier ones of this bucket. CHECKs due(). The call ends with end(),
  // also if no reply came in time.
  Say begin(rules::InstanceId instance, std::int64_t op);

  // The end of call `op`; returns where its waiting requests go, in their order. A reply to a call that has
  // already ended is ignored.
  std::vector<RoutingResult> end(std::int64_t op, const Result<Reply>& reply);

  // Takes back all requests that wait for the next call, because the breaker has opened. Statements stay
  // owed.
  std::vector<RoutingResult> abandon();

  rules::Quantity held() const { return in_process_ + in_tickets_; }
  // Replies in a row that found our op too old. One can come from a repeated message; more mean that this
  // instance was reaped although it is alive, and needs a new number.
  int stale_in_a_row() const { return stale_in_a_row_; }

 private:
  struct Want {
    TokenRequestId wanter;
    rules::Quantity units;
  };
  struct Call {
    std::int64_t op;
    bool must_be_heard;
    std::optional<Statement> judge;
    std::vector<Want> wants;
  };

  void settle(const Call& call, const Result<Reply>& reply);
  RoutingResult direct(const Want& want, bool granted, const Result<Reply>& reply);

  rules::Quantity in_process_;
  rules::Quantity in_tickets_;
  std::optional<Statement> owed_;
  bool owes_call_ = false;      // The tokens held have changed; a missing bucket has no wrong number of them.
  bool must_be_heard_ = false;  // True until a bucket replies ok.
  bool asleep_ = false;         // The bucket was missing when it should have replied.
  std::deque<Want> waiting_;
  std::optional<Call> under_way_;
  std::int64_t last_op_ = 0;
  int stale_in_a_row_ = 0;
};

}  // namespace gavel::gate
