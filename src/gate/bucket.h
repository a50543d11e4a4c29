// Bucket: the gate's data about one bucket, and the one script that changes it.
//
// Messages are states with a version. The judge states what a bucket had at which position of the ledger. An
// instance states the tokens that it holds, under its own counter. "Closed" is two numbers that only grow. An
// old, lost or repeated message is therefore harmless, and nothing here needs a lock, a lease or a memory of
// operations.
//
// The functions are pure: the memory form and the tests share them, and the contract suite compares the
// script of any other form with them. Value types; no I/O, no clock, no thread.
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

#include "rules/ids.h"
#include "rules/quantity.h"

namespace gavel::gate {

// Scripts compute in doubles, so no number at the gate may be larger than this.
inline constexpr std::int64_t number_max = (std::int64_t{1} << 53) - 1;
// One call must not delay others: this many wants take far less than a millisecond.
inline constexpr std::size_t wants_max = 256;
// The op of a reaped instance: none of its calls is newer.
inline constexpr std::int64_t op_tombstone = number_max;

static_assert(rules::sound_units_max.units < number_max, "every quantity of a sound item fits into a double");

// What the judge had in a bucket at one position of its ledger. Both numbers are always stated together.
struct Position {
  std::int64_t seq = 0;
  rules::Quantity available;
  friend bool operator==(const Position&, const Position&) = default;
};

// What the judge's side knows about a bucket: its position, if it was read, and the item's generations.
// `open` is the highest generation known to have begun, `shut` the highest known to have been empty. Without
// a position it states only the generations, which a confirming read knows without having read a bucket.
struct Statement {
  std::optional<Position> position;
  std::int64_t open = 0;
  std::int64_t shut = 0;
  friend bool operator==(const Statement&, const Statement&) = default;
};

// Merges two statements: the newer position (`later` wins a tie, as at the gate), and the maxima of open and
// shut.
Statement merged(const Statement& earlier, const Statement& later);

// One call. `base` is the number of tokens that the instance holds here in total. If the op of a call is not
// above the instance's last one, only its statement has an effect: op 0 is therefore a call that only states.
struct Say {
  rules::InstanceId instance;
  std::int64_t op = 0;
  rules::Quantity base;
  std::optional<Statement> judge;
  std::vector<rules::Quantity> wants;  // At most wants_max.
};

// The call by which a refresh states what it read. It comes from no instance, so it leaves no holding behind.
Say to_state(const Statement& statement);

// Whether a call is well formed: numbers within their bounds, shut at most open. A form CHECKs it before it
// sends anything, since a script that stops half way would leave half of its writes.
bool is_sound(const Say& say);

enum class Said : std::uint8_t {
  ok,
  stale,            // The op is not newer: base and wants were ignored, the statement was not.
  not_initialised,  // There is no such bucket, and no position to create it from. Nothing was written. It
                    // never means zero.
};

struct Reply {
  Said said = Said::not_initialised;
  std::int64_t seq = 0;  // This and the following: the bucket after the call; zeros if not_initialised.
  rules::Quantity available;
  std::int64_t open = 0;
  std::int64_t shut = 0;
  rules::Quantity in_flight;
  std::vector<bool> granted;  // One per want; empty unless ok.

  bool closed() const { return shut >= open; }
  friend bool operator==(const Reply&, const Reply&) = default;
};

// The tokens that one instance holds here, as it stated last.
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
  std::map<rules::InstanceId, Holding> holdings;

  bool closed() const { return shut >= open; }
  // Available units minus the tokens held. It may be negative while a statement is on its way.
  rules::Quantity left() const { return available - in_flight; }
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

// The script. An empty `bucket` means that it is missing. `say` is sound (CHECKed).
Reply say(std::optional<Bucket>& bucket, const Say& say);

// Frees the tokens of a dead instance and makes its late calls ineffective. Does nothing on a missing bucket.
// Idempotent.
void reap(std::optional<Bucket>& bucket, rules::InstanceId instance);

// Removes the tombstone that reap left, once no call of that instance can be on its way any more (an hour).
// Does nothing on a holding that is not a tombstone.
void forget(std::optional<Bucket>& bucket, rules::InstanceId instance);

// "seq=3 avail=5 open=2 shut=1 in_flight=4 h7=4 o7=12", or "missing": for tests and operators.
std::string to_text(const std::optional<Bucket>& bucket);
// "ok seq=3 avail=5 open=2 shut=1 in_flight=4 granted=101", "stale seq=…", "not_initialised".
std::string to_text(const Reply& reply);

}  // namespace gavel::gate
