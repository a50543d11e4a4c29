// The oracles: what proof.md says must hold, each as a check with a name.
//
//   I1  conservation: rows are what their flows say      I2  nothing negative at any position
//   I3  a move sums to zero                               I4  the chains of the ledger have no gap
//   I5  a yes has exactly its effect                      I6  a recorded no has none, ever
//   I7  one effect per key, one per transition            I8  recorded replies to a key are equal
//   I9  an answer stands, an unknown is not contradicted  I10 legal states and transitions
//   I11 released once; confirm and release exclude        I12 in time, by the judge's clock
//   I13 limits per user at every position                 I14 stock readings were true
//   I15 a batch has exactly the rows that it says         U1  a refusal was right   U3  and so after a
//   release resolved  every key has an answer in the end          (U2 and U4: left.h)
//   I19 an account acts upon its own orders alone
//
// I16 (fencing) and I18 (the gate replaced) are not seen in one history; I17 is in I5: an effect under a key
// is its own caller's. Pure; deterministic: equal input gives equal findings in equal order.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/history.h"
#include "oracle/ledger.h"

namespace gavel::oracle {

// How moments of the load relate to the judge's time: moment = at_epoch + ms * per_ms.
struct Clock {
  std::int64_t per_ms = 1;
  Moment at_epoch = 0;
  Moment of(std::int64_t ms) const { return at_epoch + ms * per_ms; }
};

// A hold that is extended ends at most so many of its first lengths after the order was made, and never later
// than a day after it (E4).
inline constexpr std::int64_t hold_lengths_max = 3;
inline constexpr std::int64_t hold_ms_max = std::int64_t{24} * 60 * 60 * 1000;

// What may be asked of this history.
struct Terms {
  Clock clock;
  // Within this time a hold past its time is free for everybody, whatever the clocks and the jobs do;
  // nothing: nothing was promised (the service was down, or its clock was moved).
  std::optional<std::int64_t> release_within_ms;
  bool at_rest = true;  // Every request was retried until it was answered.
  // For so long at least after its answer a request is remembered; a key that carries its time is refused
  // when it is older (A28). Nothing: nothing is ever forgotten.
  std::optional<Moment> kept = std::nullopt;
  Moment ends = 0;                       // When the ledger was read.
  std::set<std::string> operators = {};  // The accounts that may act upon everybody's orders.
};

// What is checked. It refers to all three and owns none.
struct World {
  const History& history;
  const Ledger& ledger;
  const Terms& terms;
};

// One thing that is not as it must be.
struct Finding {
  std::string check;  // "I5"
  std::string what;   // "key shop/k7 was told reserved, order … is not there"
};
std::string to_text(const Finding& finding);  // "I5: key …"

class Findings {
 public:
  Findings(std::string_view check, std::vector<Finding>& found) : check_(check), found_(found) {}
  void add(std::string what) { found_.push_back({check_, std::move(what)}); }

 private:
  const std::string check_;
  std::vector<Finding>& found_;
};

struct Check {
  std::string_view name;  // Stands in front of its findings.
  std::string_view says;  // In a few words.
  void (*run)(const World& world, Findings& findings);
};

std::span<const Check> checks();

// Every finding of every check; an empty list is a clean bill.
std::vector<Finding> check(const History& history, const Ledger& ledger, const Terms& terms);

}  // namespace gavel::oracle
