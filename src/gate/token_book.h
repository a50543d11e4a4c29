// TokenBook: one instance's view of all buckets; every call of the instance to the gate comes from it.
//
// The driver turns requests and verdicts into calls of the book, and the book into calls of the gate:
//
//   while (auto call = book.next(reachable)) gate.say(call->key, call->say, …);  // buckets side by side
//   for (RoutingResult result : book.heard(key, op, reply)) …                    // or without a reply
//
// A bucket without anything to remember is dropped. The op numbers belong to the book and never restart, so a
// bucket that comes back has newer ops. Pure; not thread-safe: one thread drives it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "gate/gate.h"
#include "gate/statements.h"
#include "gate/tokens.h"

namespace gavel::gate {

struct GateCall {
  BucketKey key;
  Say say;
};

class TokenBook {
 public:
  // `instance` was never used before, by any process.
  explicit TokenBook(rules::InstanceId instance) : instance_(instance) {}

  // As the functions of Tokens, for one bucket.
  void want(const BucketKey& key, TokenRequestId wanter, rules::Quantity units);
  void owe(const BucketKey& key, const Statement& statement);
  void owe_call(const BucketKey& key);
  void drop(const BucketKey& key, rules::Quantity units);
  void hand_over(const BucketKey& key, rules::Quantity units);
  void count_tickets(const BucketKey& key, rules::Quantity units);
  void forgive(const BucketKey& key);

  // Wakes the sleeping calls of all buckets; to be called about every second. A call sleeps only where keys
  // were lost, and only until no earlier call can be on its way.
  void wake();

  // Owes each statement to its bucket of the item.
  void owe(rules::Incarnation incarnation, rules::ItemId item, std::span<const PendingStatement> all);

  // The next call to send, of the bucket that has been due longest among those that `reachable` lets through
  // (the breaker's word on its node); nothing if there is none.
  std::optional<GateCall> next(const std::function<bool(const BucketKey&)>& reachable);

  // The reply to a call, or the error that stands for none.
  std::vector<RoutingResult> heard(const BucketKey& key, std::int64_t op, const Result<Reply>& reply);

  // Takes back the requests that wait for this bucket: its node is no longer asked.
  std::vector<RoutingResult> abandon(const BucketKey& key);

  // True once this instance's number is of no use: somebody reaped it while it lives (it was paused, or cut
  // off). No answer is wrong by that, but its tokens are not counted. Take a fresh number by renew().
  bool is_spent() const { return spent_; }
  // Goes on under a number that was never used; every bucket known here owes a call under it.
  void renew(rules::InstanceId instance);

  rules::InstanceId instance() const { return instance_; }
  rules::Quantity held(const BucketKey& key) const;
  // Buckets with a call to send or under way: 0 means that the gate has received everything.
  std::size_t unsettled() const;
  std::size_t size() const { return buckets_.size(); }

 private:
  struct Entry {
    Tokens tokens;
    bool listed = false;  // In due_.
  };

  void list_if_due(const BucketKey& key, Entry& entry);
  void tidy(std::map<BucketKey, Entry>::iterator bucket);

  rules::InstanceId instance_;
  std::int64_t last_op_ = 0;
  bool spent_ = false;
  std::map<BucketKey, Entry> buckets_;
  std::deque<BucketKey> due_;  // Each occurs once, the longest due first.
};

}  // namespace gavel::gate
