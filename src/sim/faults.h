// Faults: everything that may go wrong in a simulated world, how often it is to happen, and how often it
// happened.
//
// Which kinds a run has is drawn from its seed (swarm testing): a run with every fault at once never gets far
// enough to reach the rare states. After the safety phase nothing new goes wrong. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace gavel::sim {

enum class Fault : std::uint8_t {
  // Of the database (pitfalls, MariaDB, PostgreSQL, SQLite).
  sql_slow,              // A call takes 100 times as long as others.
  sql_connection_lost,   // At any call but commit: the server rolls back.
  sql_silent_client,     // The connection is lost, and the server holds its locks for a while.
  sql_conflict,          // A deadlock or serialisation failure that the server saw.
  sql_commit_conflict,   // The same, at commit.
  sql_commit_stored,     // Commit happened, its answer is lost.
  sql_commit_lost,       // Commit never arrived, and there is no answer.
  sql_commit_in_flight,  // Commit is under way after its connection is lost; it happens, or does not, later.
  sql_resolve_lost,      // The tombstone is stored, its answer is lost.
  sql_read_unavailable,  // A question has no answer.
  // Of the index of orders by user.
  index_unavailable,  // A call has no effect.
  index_put_lost,     // What was put is stored, and there is no answer.
  // Of the gate (pitfalls, Redis).
  gate_call_lost,      // It never arrives.
  gate_reply_lost,     // It has its effect, and no reply.
  gate_call_late,      // It arrives after its caller has given up.
  gate_call_repeated,  // It arrives twice, the second time late.
  gate_slow,
  gate_hung,         // The server stands still.
  gate_restarted,    // It is empty.
  gate_failed_over,  // The replica takes over, without the last writes.
  gate_key_lost,     // A bucket is evicted.
  gate_corrupted,    // Somebody else writes nonsense into a bucket.
  // Of the instances.
  instance_crashed,
  instance_paused,  // Longer than the limits of its callers.
  instance_clock_ahead,
  instance_clock_back,
  instance_crashed_in_call,  // While a call of the database is under way.
  instance_crashed_granted,  // When a reply arrives with which the gate grants tokens.
  // Between service and callers.
  reply_lost,
  request_repeated,  // It arrives at two instances at once.
  // Of the file below SQLite.
  file_full,
  file_short_write,
  file_sync_failed,
  file_unsynced_lost,  // What was not synced is gone after a crash.
  // Of the clock that the database takes its time from; a second strike sets it right.
  database_clock_back,   // By an hour.
  database_clock_ahead,  // By eight hours.
};

inline constexpr std::size_t faults_count = static_cast<std::size_t>(Fault::database_clock_ahead) + 1;

std::string_view word(Fault fault);

// Where it strikes: "store", "commit", "resolve", "reader", "index", "gate", "gate server", "instance",
// "clock", "caller", "file".
std::string_view seam(Fault fault);

// Whether it strikes a part that the release of holds needs: database, disks, clocks, processes.
bool is_of_service(Fault fault);
std::optional<Fault> parse_fault(std::string_view word);

using FaultCounts = std::array<std::uint64_t, faults_count>;

// A fault that is to strike at this opportunity of its kind, counted from 1.
struct PlannedFault {
  Fault fault;
  std::uint64_t nth;
  friend bool operator==(const PlannedFault&, const PlannedFault&) = default;
};

class Faults {
 public:
  // Draws which kinds there are, and how often they strike. None strikes before unleash().
  explicit Faults(Random& random);

  // Replaces what was drawn: only these strike.
  void plan(std::vector<PlannedFault> only);
  bool planned() const { return planned_; }

  // Whether this fault happens at this opportunity. Counted as fired when it does.
  bool strikes(Fault fault);

  // The same in two steps, for opportunities that may have no effect: whether to try, and then that it
  // happened.
  bool draws(Fault fault);
  void count(Fault fault) { ++fired_[static_cast<std::size_t>(fault)]; }

  // Whether this kind occurs in this run at all, and may strike at present.
  bool has(Fault fault) const;

  void unleash() { healed_ = false; }
  // From here on, nothing strikes.
  void heal() { healed_ = true; }
  bool healed() const { return healed_; }

  const FaultCounts& fired() const { return fired_; }
  // How often each could have struck since unleash().
  const FaultCounts& opportunities() const { return opportunities_; }

 private:
  Random& random_;
  bool healed_ = true;
  std::array<std::uint64_t, faults_count> one_in_{};  // Strikes at one of this many opportunities; 0: never.
  FaultCounts fired_{};
  FaultCounts opportunities_{};
  bool planned_ = false;
  std::vector<PlannedFault> only_;
};

}  // namespace gavel::sim
