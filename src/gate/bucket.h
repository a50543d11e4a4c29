// Bucket: what the gate keeps of one bucket, and the one script that changes it.
//
// Messages are states with a version. The judge states what a bucket had at which ledger position; an
// instance states under its own counter the tokens it holds; "closed" is two numbers that only grow. An old,
// lost or repeated message is therefore harmless by construction, and nothing here needs a lock, a lease or a
// memory of operations.
//
// The functions are pure: the memory form and the tests share them, and the script of the Redis form is held
// against them. Value types; no I/O, no clock, no thread.
//
// Invariants, at every moment and whatever arrives:
//   1  (seq, available) was stated whole by the judge's side, and an older one never replaces a newer one
//   2  open and shut never fall
//   3  in_flight is the sum of the tokens of all holdings
//   4  a holding changes only by a call of its own instance with a newer op, or by reap
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/strong.h"
#include "rules/quantity.h"

namespace gavel::gate {

// A fresh number at every start of a process, at least 1.
using InstanceId = Number<struct InstanceTag>;

// A script does its arithmetic in doubles, so nothing at the gate may lie beyond this.
inline constexpr std::int64_t number_max = (std::int64_t{1} << 53) - 1;
// One call must not hold up others: this many wants take far less than a millisecond.
inline constexpr std::size_t wants_max = 256;
// The op of an instance that was reaped: no call of it is newer.
inline constexpr std::int64_t op_tombstone = number_max;

static_assert(rules::sound_units_max.units < number_max, "every quantity of a sound item fits into a double");

// What the judge had in a bucket at one position of its ledger. Never one half without the other.
struct Position {
  std::int64_t seq = 0;
  rules::Quantity available;
  friend bool operator==(const Position&, const Position&) = default;
};

// What the judge's side knows of a bucket: its position, where it was read, and the item's generations.
// `open` is the highest generation known to have begun, `shut` the highest known to have been empty. Without
// a position it tells the generations alone, which a confirming read knows without having read any bucket.
struct Statement {
  std::optional<Position> position;
  std::int64_t open = 0;
  std::int64_t shut = 0;
  friend bool operator==(const Statement&, const Statement&) = default;
};

// Both in one: the newer position (`later` wins a tie, as at the gate), the maxima of open and shut.
Statement merged(const Statement& earlier, const Statement& later);

// One call. `base` is what the instance holds here in all. A call whose op is not above the instance's last
// one still tells its statement, and nothing else: op 0 is therefore a call that only states.
struct Say {
  InstanceId instance;
  std::int64_t op = 0;
  rules::Quantity base;
  std::optional<Statement> judge;
  std::vector<rules::Quantity> wants;  // At most wants_max.
};

// The call by which a refresh states what it read: from nobody, so that it leaves no holding behind.
Say to_state(const Statement& statement);

// Whether a call is well formed: numbers within their bounds, shut at most open. A form CHECKs it before it
// sends anything, since a script that stops half way leaves half of its writes.
bool is_sound(const Say& say);

enum class Said : std::uint8_t {
  ok,
  stale,            // The op is not newer: base and wants were passed over, the statement was not.
  not_initialised,  // No such bucket, and no position to make it of. Nothing was written; it is never zero.
};

struct Reply {
  Said said = Said::not_initialised;
  std::int64_t seq = 0;  // From here: the bucket after the call; zeros if not_initialised.
  rules::Quantity available;
  std::int64_t open = 0;
  std::int64_t shut = 0;
  rules::Quantity in_flight;
  std::vector<bool> granted;  // One per want; empty unless ok.

  bool closed() const { return shut >= open; }
  friend bool operator==(const Reply&, const Reply&) = default;
};

// What one instance holds here, as it last said.
struct Holding {
  std::int64_t op = 0;
  rules::Quantity tokens;
  friend bool operator==(const Holding&, const Holding&) = default;
};

struct Bucket {
  std::int64_t seq = 0;
  rules::Quantity available;
  std::int64_t open = 0;
  std::int64_t shut = 0;
  rules::Quantity in_flight;
  std::map<InstanceId, Holding> holdings;

  bool closed() const { return shut >= open; }
  // What is free beyond the tokens held. It may be negative while a statement is on its way.
  rules::Quantity left() const { return available - in_flight; }
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

// The script. An empty `bucket` is a missing one. `say` is sound (CHECKed).
Reply say(std::optional<Bucket>& bucket, const Say& say);

// Frees what a dead instance held and bars its late calls. Nothing on a missing bucket. Idempotent.
void reap(std::optional<Bucket>& bucket, InstanceId instance);

// Removes the tombstone that reap left, once no call of that instance can be on its way any more (an hour).
// Nothing on a holding that is no tombstone.
void forget(std::optional<Bucket>& bucket, InstanceId instance);

// "seq=3 avail=5 open=2 shut=1 in_flight=4 h7=4 o7=12", or "missing": for tests and operators.
std::string to_text(const std::optional<Bucket>& bucket);
// "ok seq=3 avail=5 open=2 shut=1 in_flight=4 granted=101", "stale seq=…", "not_initialised".
std::string to_text(const Reply& reply);

}  // namespace gavel::gate
