// Tokens: one bucket as one instance sees it: what it holds there, who waits for a token, and what it owes.
//
//            want · owe · owe_call · drop · …               begin
//   resting ────────────────────────────────► due() ────────────────────► under way
//      ▲                                        ▲                             │ end
//      └────────────────────────────────────────┴─────────────────────────────┘
//
// A call carries everything at once: the tokens held, the newest statement owed, all wants that wait. One
// call is under way at a time. A call that fails is owed, and never repeated as it was: the next one is new.
//
// A pure state machine: no I/O, no clock. Not thread-safe; whoever drives it also bounds how many requests
// wait, and paces calls to a gate that fails (the breaker).
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
  std::int64_t shut = 0;  // Of `closed`.
  friend bool operator==(const RoutingResult&, const RoutingResult&) = default;
};

class Tokens {
 public:
  // A request waits here for a token of `units`, 1 to line_units_max.
  void want(TokenRequestId wanter, rules::Quantity units) { waiting_.push_back({wanter, units}); }

  // The judge's side knows something that this bucket must be told.
  void owe(const Statement& statement);

  // The gate may have forgotten what we said: another master, an empty server, a reconnect. A call that is
  // still on its way would then count, so this one is owed until a bucket has heard it. While the bucket is
  // missing the debt sleeps; this wakes it.
  void owe_call() {
    must_be_heard_ = true;
    asleep_ = false;
  }
  // Wakes a debt that sleeps; nothing if there is none.
  void wake() { asleep_ = false; }
  // The item is no longer gated: what is owed to this bucket is forgiven.
  void forgive();

  // The instance goes on under a fresh number: nothing that the gate counted for the old one is ours any
  // more.
  void renew() {
    must_be_heard_ = true;
    stale_in_a_row_ = 0;
  }

  // A request with a token of this bucket has its verdict (sold, refused, duplicate or a resolved unknown
  // alike), or left before it was judged. CHECKs that so much is held.
  void drop(rules::Quantity units);

  // Queued mode: the request's ticket is durable. Its token stays with this instance until the ticket is
  // judged, by whomever; count_tickets tells.
  void hand_over(rules::Quantity units);
  // What this instance's own tickets that are not judged yet hold here. The count may be some seconds old:
  // tokens only steer.
  void count_tickets(rules::Quantity units);

  // Whether begin() has something to say.
  bool due() const;
  // Whether the gate has heard all that there is to say, as far as it has the bucket.
  bool settled() const { return !under_way_ && !due(); }
  // Whether there is nothing to remember.
  bool resting() const;

  // What the next call says, under a number above all earlier ones of this bucket. CHECKs due(). The call
  // ends by end(), also when no reply came in time.
  Say begin(InstanceId instance, std::int64_t op);

  // The end of call `op`, and where its wants go, in their order. A reply to a call that has ended already is
  // passed over.
  std::vector<RoutingResult> end(std::int64_t op, const Result<Reply>& reply);

  // Takes back all wants that wait for the next call: the breaker has opened. What is owed stays owed.
  std::vector<RoutingResult> abandon();

  rules::Quantity held() const { return in_process_ + in_tickets_; }
  // Replies in a row that found our op too old. One may come from a repeated message; more mean that this
  // instance was reaped while it lives, and needs a fresh number.
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
  bool owes_call_ = false;      // What is held has changed; a missing bucket has no wrong number of it.
  bool must_be_heard_ = false;  // Until a bucket replies ok.
  bool asleep_ = false;         // The bucket was missing when it should have heard.
  std::deque<Want> waiting_;
  std::optional<Call> under_way_;
  std::int64_t last_op_ = 0;
  int stale_in_a_row_ = 0;
};

}  // namespace gavel::gate
