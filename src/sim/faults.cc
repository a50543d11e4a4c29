#include "sim/faults.h"

#include <algorithm>
#include <utility>

namespace gavel::sim {
namespace {

struct Kind {
  Fault fault;
  std::string_view word;
  std::string_view seam;
  std::uint64_t one_in;  // Of its opportunities, where the kind is at its mean.
};

// Opportunities: calls of the database or the gate; for those marked "a look", every 10 ms of an instance or
// a server.
constexpr std::array kinds{
    Kind{Fault::sql_slow, "sql_slow", "store", 60},
    Kind{Fault::sql_connection_lost, "sql_connection_lost", "store", 120},
    Kind{Fault::sql_silent_client, "sql_silent_client", "store", 250},
    Kind{Fault::sql_conflict, "sql_conflict", "store", 100},
    Kind{Fault::sql_commit_conflict, "sql_commit_conflict", "commit", 20},
    Kind{Fault::sql_commit_stored, "sql_commit_stored", "commit", 15},
    Kind{Fault::sql_commit_lost, "sql_commit_lost", "commit", 20},
    Kind{Fault::sql_commit_in_flight, "sql_commit_in_flight", "commit", 20},
    Kind{Fault::sql_resolve_lost, "sql_resolve_lost", "resolve", 3},
    Kind{Fault::sql_read_unavailable, "sql_read_unavailable", "reader", 25},
    Kind{Fault::index_unavailable, "index_unavailable", "index", 25},
    Kind{Fault::index_put_lost, "index_put_lost", "index", 15},
    Kind{Fault::gate_call_lost, "gate_call_lost", "gate", 25},
    Kind{Fault::gate_reply_lost, "gate_reply_lost", "gate", 25},
    Kind{Fault::gate_call_late, "gate_call_late", "gate", 25},
    Kind{Fault::gate_call_repeated, "gate_call_repeated", "gate", 15},
    Kind{Fault::gate_slow, "gate_slow", "gate", 15},
    Kind{Fault::gate_hung, "gate_hung", "gate server", 300},                  // a look
    Kind{Fault::gate_restarted, "gate_restarted", "gate server", 300},        // a look
    Kind{Fault::gate_failed_over, "gate_failed_over", "gate server", 200},    // a look
    Kind{Fault::gate_key_lost, "gate_key_lost", "gate server", 100},          // a look
    Kind{Fault::gate_corrupted, "gate_corrupted", "gate server", 100},        // a look
    Kind{Fault::instance_crashed, "instance_crashed", "instance", 250},       // a look
    Kind{Fault::instance_paused, "instance_paused", "instance", 250},         // a look
    Kind{Fault::instance_clock_ahead, "instance_clock_ahead", "clock", 200},  // a look
    Kind{Fault::instance_clock_back, "instance_clock_back", "clock", 200},    // a look
    Kind{Fault::instance_crashed_in_call, "instance_crashed_in_call", "store", 600},
    Kind{Fault::instance_crashed_granted, "instance_crashed_granted", "gate", 60},
    Kind{Fault::reply_lost, "reply_lost", "caller", 15},
    Kind{Fault::request_repeated, "request_repeated", "caller", 30},
    Kind{Fault::file_full, "file_full", "file", 40},
    Kind{Fault::file_short_write, "file_short_write", "file", 40},
    Kind{Fault::file_sync_failed, "file_sync_failed", "file", 40},
    Kind{Fault::file_unsynced_lost, "file_unsynced_lost", "file", 1},         // a crash
    Kind{Fault::database_clock_back, "database_clock_back", "clock", 200},    // a look
    Kind{Fault::database_clock_ahead, "database_clock_ahead", "clock", 200},  // a look
};

static_assert(kinds.size() == faults_count);

}  // namespace

bool is_of_service(Fault fault) {
  const std::string_view name = word(fault);
  return name.starts_with("sql_") || name.starts_with("instance_") || name.starts_with("file_") ||
         name.starts_with("database_");
}

std::optional<Fault> parse_fault(std::string_view word) {
  for (const Kind& kind : kinds) {
    if (kind.word == word) return kind.fault;
  }
  return std::nullopt;
}

std::string_view word(Fault fault) { return kinds[static_cast<std::size_t>(fault)].word; }
std::string_view seam(Fault fault) { return kinds[static_cast<std::size_t>(fault)].seam; }

Faults::Faults(Random& random) : random_(random) {
  // A third of the runs have few kinds, and one in twelve has none at all.
  const std::uint64_t kinds_of_12 = random.below(12);
  // In one of six nothing befalls database, disks, clocks and processes, so that what is promised of a
  // healthy service is asked of one with an unhealthy gate.
  const bool spares_service = random.chance(1, 6);
  for (const Kind& kind : kinds) {
    if (spares_service && is_of_service(kind.fault)) continue;
    if (!random.chance(kinds_of_12, 12)) continue;
    // From a quarter to four times the mean.
    one_in_[static_cast<std::size_t>(kind.fault)] = 1 + (kind.one_in << random.below(5)) / 4;
  }
}

void Faults::plan(std::vector<PlannedFault> only) {
  planned_ = true;
  only_ = std::move(only);
}

bool Faults::has(Fault fault) const {
  if (healed_) return false;
  if (planned_) return std::ranges::find(only_, fault, &PlannedFault::fault) != only_.end();
  return one_in_[static_cast<std::size_t>(fault)] != 0;
}

bool Faults::draws(Fault fault) {
  if (healed_) return false;
  const std::uint64_t opportunity = ++opportunities_[static_cast<std::size_t>(fault)];
  if (planned_) return std::ranges::find(only_, PlannedFault{fault, opportunity}) != only_.end();
  return has(fault) && random_.chance(1, one_in_[static_cast<std::size_t>(fault)]);
}

bool Faults::strikes(Fault fault) {
  if (!draws(fault)) return false;
  count(fault);
  return true;
}

}  // namespace gavel::sim
