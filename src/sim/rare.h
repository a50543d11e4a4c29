// RareState: states of a run that only faults and races cause, each with a name.
//
// A simulator that never gets the service into trouble proves nothing by finding no trouble. So each of these
// states is counted from outside (from the log, calls of store and gate, answers, the ledger), and a CI run
// that never saw one of them fails. The production code has no probes. Value types; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gavel::sim {

enum class RareState : std::uint8_t {
  batch_halved,
  commit_in_doubt,
  unknown_resolved_committed,
  unknown_resolved_aborted,
  unknown_unresolved,
  batch_failed,
  command_refused_by_store,
  answer_overdue,
  gate_not_initialised,
  gate_corruption_found,
  expiry_behind,
  expiry_failed,
  store_broken,
  call_stale,
  call_late,
  statement_older_than_bucket,
  late_shut_met_newer_generation,
  statement_made_bucket,
  tokens_beyond_available,
  wants_granted_in_part,
  bucket_closed_to_want,
  too_few_at_bucket,
  token_of_the_dead,
  failover_lost_open,
  confirming_read_found_key,
  confirming_read_found_units,
  confirming_read_found_due_hold,
  confirming_read_failed,
  refused_by_gate,
  locked_after_time,
  lock_wait_timeout,
  waited_for_insert,
  duplicate_at_write,
  commit_after_death,
  commit_in_flight_happened,
  commit_in_flight_vanished,
  resolve_waited,
  silent_client_held_locks,
  crash_in_transaction,
  pause_in_transaction,
  confirm_lost_to_expiry,
  cancel_lost_to_confirm,
  confirm_lost_to_cancel,
  due_hold_released_by_order,
  order_across_buckets,
  order_of_several_items,
  insufficient_told,
  limit_reached_told,
  generation_raised,
  version_conflict_told,
  key_reused_told,
  key_in_flight_told,
  key_in_use_told,
  order_of_another_told,
  operator_acted_for_another,
  queue_full,
  replayed_by_another,
  unknown_then_yes,
  unknown_then_fresh,
  return_to_closed_activity,
  partial_confirm,
  refunded_in_part,
  refunded_without_restock,
  refunded_by_buyer,
  shipped_in_part,
  shipping_found_units,
  opening_found_too_little,
  activity_over_told,
  activity_not_open_told,
  batch_of_several,
  hold_extended,
  hold_capped_told,
  order_changed,
  change_found_too_little,
  two_answers_at_once,
  request_forgotten,
  old_retry_refused,
  retention_failed,
  projection_failed,
  projection_began_behind,
  index_followed_on,
  days_passed,
  total_below_what_is_held,
  cancellation_paid_shortage,
  order_looked_up,
  gate_told_out_of_order,
};

inline constexpr std::size_t rares_count = static_cast<std::size_t>(RareState::gate_told_out_of_order) + 1;

std::string_view word(RareState rare);
std::string_view meaning(RareState rare);  // One sentence for people.

using RareCounts = std::array<std::uint64_t, rares_count>;

class CoverageMarks {
 public:
  void saw(RareState rare) { ++counts_[static_cast<std::size_t>(rare)]; }
  void saw_if(bool condition, RareState rare) {
    if (condition) saw(rare);
  }
  const RareCounts& counts() const { return counts_; }

 private:
  RareCounts counts_{};
};

}  // namespace gavel::sim
