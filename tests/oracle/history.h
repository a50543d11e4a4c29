// History: what callers asked of the service and what they were told, as they saw it.
//
// The oracles judge a service by it and by the ledger (ledger.h). They are an independent auditor: plain
// strings and integers, no code of the service. Whoever drives a load notes each attempt when it is made and
// each reply when it has come; a reply that never came is a fact too, and says nothing about what happened.
//
//   History history;
//   const AttemptId attempt = history.begin(request, clock());
//   history.end(attempt, clock(), reply);  // or nothing at all: the reply was lost
//
// Value types. A History is not thread-safe: each thread keeps its own, and they are merged in the end.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gavel::oracle {

// A moment of the load, by any integer clock that never goes back. Moments that are equal count as
// concurrent, so a simulator gives each event its own: virtual µs times 1,000, and a counter. Clock (check.h)
// says how it relates to the judge's time.
using Moment = std::int64_t;
inline constexpr Moment never = std::numeric_limits<Moment>::max();

struct Line {
  std::string sku = {};
  std::int64_t quantity = 0;
  friend auto operator<=>(const Line&, const Line&) = default;
};

// Lines with each SKU once, in order of the SKUs.
std::vector<Line> merged(const std::vector<Line>& lines);

// What is asked under one key, however often.
struct Request {
  std::string caller = {};  // The account; keys belong to it.
  std::string key = {};
  std::string act =
      {};  // reserve, confirm, cancel, refund, ship, receive, adjust, count, put_sku, create_activity,
           // open_activity, close_activity; of others only the answers are compared.
  std::string user = {};      // reserve
  std::string activity = {};  // reserve: empty is the free stock. The acts upon activities: which.
  std::string order = {};     // The acts upon an order: which.
  // merged(). reserve: what is wanted. confirm, refund, ship: what is meant, empty for all. receive: one
  // line. adjust: one, its signed difference. count: one, what was counted. create_activity: the allotments.
  std::vector<Line> lines = {};
  bool at_once = false;    // reserve: sold without a hold.
  bool restocks = true;    // refund
  std::string from = {};   // refund: "shelf" or "buyer"; empty is both.
  std::int64_t limit = 0;  // create_activity: units per user and SKU, 0 for no limit.

  friend bool operator==(const Request&, const Request&) = default;
};

// The answer to one attempt.
struct Reply {
  std::string outcome = {};                     // Its word (interfaces.md), outcome_unknown included.
  bool recorded = false;                        // It stands under the key for good.
  bool replayed = false;                        // It says that it is an earlier answer.
  std::string order = {};                       // The order made or acted upon.
  std::string sku = {};                         // sold_out, insufficient, limit_reached: which line.
  std::optional<std::int64_t> available = {};   // insufficient
  std::optional<std::int64_t> allowed = {};     // limit_reached
  std::optional<std::int64_t> claimed = {};     // limit_reached
  std::optional<std::int64_t> expires_at = {};  // reserved; ms since 1970, by the judge's clock
  std::string state = {};                       // illegal_transition, refunded
  std::string text = {};  // All of it in one text, that of a replay equal to that of the first answer (I8).
};

// What the words of outcomes promise, told a second time: an auditor that asked the service's own table would
// repeat its mistakes.
bool is_yes(const Reply& reply);      // Something happened.
bool is_unknown(const Reply& reply);  // Perhaps it did.
bool is_passing(const Reply& reply);  // Not by this attempt, which is all that it says: overloaded, …
bool is_refusal(const Reply& reply);  // A definite no.
// The key stands for another request: no answer to the request itself, and no sign that nothing was done.
bool is_of_the_key(const Reply& reply);

struct Attempt {
  Moment call = 0;             // Before the first byte left the caller.
  Moment answered = never;     // After the last byte of the reply had come.
  std::optional<Reply> reply;  // None: it was lost, or has not come.
  std::size_t request = 0;     // Which of Asked::requests was sent.
};

using RequestId = std::pair<std::string, std::string>;  // caller, key

// Everything that was ever sent under one key, in order of the calls.
struct Asked {
  std::vector<Request> requests;  // The contents that it was sent with; more than one is a caller's mistake.
  std::vector<Attempt> attempts;

  const Request& request(const Attempt& attempt) const { return requests[attempt.request]; }
  const Attempt* answer() const;  // The earliest reply that is recorded and no unknown; nullptr if none is.
  Moment first_call() const;
  // Before this moment no effect of the key can have been: the earliest call that may have done it, and the
  // latest that was still refused.
  Moment effect_begun() const;
};

struct AttemptId {
  RequestId id;
  std::size_t number = 0;
};

// Stock as somebody was shown it (I14): the sum over an item's buckets.
struct Reading {
  Moment call = 0;
  Moment answered = 0;
  std::string sku = {};
  std::string activity = {};  // Empty: the free stock.
  std::int64_t available = 0;
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
  bool approximate = false;  // It says of itself that it may be old.
  std::int64_t shortage = 0;
  std::int64_t shipped = 0;
};

class History {
 public:
  AttemptId begin(const Request& request, Moment call);
  void end(const AttemptId& attempt, Moment answered, Reply reply);
  void read(Reading reading) { readings_.push_back(std::move(reading)); }

  // Takes in what another thread has noted, of the same keys too. Ids of attempts given before are void.
  void merge(const History& other);

  const std::map<RequestId, Asked>& asked() const { return asked_; }
  const std::vector<Reading>& readings() const { return readings_; }

 private:
  std::map<RequestId, Asked> asked_;
  std::vector<Reading> readings_;
};

}  // namespace gavel::oracle
