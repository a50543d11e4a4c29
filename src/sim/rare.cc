#include "sim/rare.h"

namespace gavel::sim {
namespace {

struct Row {
  Rare rare;
  std::string_view word;
  std::string_view meaning;
};

constexpr std::array rows{
    Row{Rare::batch_halved, "batch_halved", "The judge halved a batch that the store refused as a whole."},
    Row{Rare::commit_in_doubt, "commit_in_doubt", "A commit had no known end."},
    Row{Rare::unknown_resolved_committed, "unknown_resolved_committed", "It turned out to have happened."},
    Row{Rare::unknown_resolved_buried, "unknown_resolved_buried",
        "It turned out not to have happened, and never will."},
    Row{Rare::unknown_unsettled, "unknown_unsettled", "The judge gave up to find out within one batch."},
    Row{Rare::batch_failed, "batch_failed", "A whole batch was answered with an error."},
    Row{Rare::command_refused_by_store, "command_refused_by_store",
        "A command alone met too many conflicts."},
    Row{Rare::answer_overdue, "answer_overdue",
        "A caller was told outcome_unknown, since the verdict took too long."},
    Row{Rare::gate_not_initialised, "gate_not_initialised", "A bucket was missing at the gate."},
    Row{Rare::gate_corruption_found, "gate_corruption_found",
        "A confirming read found that the gate knew what never was."},
    Row{Rare::expiry_behind, "expiry_behind", "A hold was overdue by more than two seconds."},
    Row{Rare::expiry_failed, "expiry_failed", "The job that releases holds could not ask."},
    Row{Rare::store_broken, "store_broken", "A lane met a store that cannot be trusted."},
    Row{Rare::call_stale, "call_stale", "A gate call came after a newer one of its instance."},
    Row{Rare::call_late, "call_late", "A gate call took effect after its caller had given up."},
    Row{Rare::statement_older_than_bucket, "statement_older_than_bucket",
        "A statement's position was older than the bucket's."},
    Row{Rare::late_shut_met_newer_generation, "late_shut_met_newer_generation",
        "A statement said closed where a newer generation had begun."},
    Row{Rare::statement_made_bucket, "statement_made_bucket", "A missing bucket was made by a statement."},
    Row{Rare::tokens_beyond_available, "tokens_beyond_available",
        "More tokens were held than the bucket had."},
    Row{Rare::wants_granted_in_part, "wants_granted_in_part",
        "Of several wants of one call some were granted."},
    Row{Rare::bucket_closed_to_want, "bucket_closed_to_want", "A want met a closed bucket."},
    Row{Rare::too_few_at_bucket, "too_few_at_bucket", "A want met an open bucket with too few."},
    Row{Rare::token_of_the_dead, "token_of_the_dead", "A bucket counted tokens of a dead instance."},
    Row{Rare::failover_lost_open, "failover_lost_open", "A failover forgot that a generation had begun."},
    Row{Rare::confirming_read_found_key, "confirming_read_found_key",
        "A confirming read found that the key stands for something."},
    Row{Rare::confirming_read_found_units, "confirming_read_found_units",
        "A confirming read found a generation that had begun since."},
    Row{Rare::confirming_read_found_due_hold, "confirming_read_found_due_hold",
        "A confirming read found a hold past its time."},
    Row{Rare::confirming_read_failed, "confirming_read_failed", "A confirming read had no answer."},
    Row{Rare::refused_by_gate, "refused_by_gate", "The closed gate's no was confirmed and told, unrecorded."},
    Row{Rare::deadlock, "deadlock", "Two transactions waited for each other."},
    Row{Rare::lock_wait_timeout, "lock_wait_timeout", "A statement waited too long for a lock."},
    Row{Rare::waited_for_insert, "waited_for_insert",
        "A transaction waited for another's uncommitted insert."},
    Row{Rare::duplicate_at_write, "duplicate_at_write", "Another wrote the same key first."},
    Row{Rare::commit_after_death, "commit_after_death", "A commit took effect after its instance had died."},
    Row{Rare::commit_in_flight_happened, "commit_in_flight_happened",
        "A commit took effect long after its connection was lost."},
    Row{Rare::commit_in_flight_vanished, "commit_in_flight_vanished",
        "A commit that was under way never took effect."},
    Row{Rare::settle_waited, "settle_waited", "The tombstone waited for the transaction in doubt."},
    Row{Rare::silent_client_held_locks, "silent_client_held_locks",
        "Somebody waited for locks of a lost connection."},
    Row{Rare::crash_in_transaction, "crash_in_transaction", "An instance died within a transaction."},
    Row{Rare::pause_in_transaction, "pause_in_transaction", "An instance stood still within a transaction."},
    Row{Rare::confirm_lost_to_expiry, "confirm_lost_to_expiry", "A payment came after the hold's time."},
    Row{Rare::cancel_lost_to_confirm, "cancel_lost_to_confirm", "A cancellation came after the payment."},
    Row{Rare::confirm_lost_to_cancel, "confirm_lost_to_cancel", "A payment came after the cancellation."},
    Row{Rare::due_hold_released_by_order, "due_hold_released_by_order",
        "An order released a hold past its time on its way."},
    Row{Rare::order_across_buckets, "order_across_buckets",
        "An order took from several buckets of one item."},
    Row{Rare::order_of_several_items, "order_of_several_items", "An order took from several items."},
    Row{Rare::insufficient_told, "insufficient_told", "Fewer were left than were asked for."},
    Row{Rare::limit_reached_told, "limit_reached_told", "A user met the limit of an activity."},
    Row{Rare::generation_raised, "generation_raised", "An empty item had units again."},
    Row{Rare::version_conflict_told, "version_conflict_told", "A count met stock that had changed."},
    Row{Rare::key_reused_told, "key_reused_told", "A key came with another content."},
    Row{Rare::key_in_flight_told, "key_in_flight_told", "A key was still in process."},
    Row{Rare::key_in_use_told, "key_in_use_told", "A UUIDv7 key was somebody else's order."},
    Row{Rare::queue_full, "queue_full", "A request was refused as overloaded."},
    Row{Rare::replayed_by_another, "replayed_by_another",
        "A retry was answered by another process than the first time."},
    Row{Rare::unknown_then_yes, "unknown_then_yes",
        "A caller was told outcome_unknown, and a retry found that it was done."},
    Row{Rare::unknown_then_fresh, "unknown_then_fresh",
        "A caller was told outcome_unknown, and a retry did it."},
    Row{Rare::return_to_closed_activity, "return_to_closed_activity",
        "Units came back to a closed activity and moved on."},
    Row{Rare::partial_confirm, "partial_confirm", "A payment of some lines gave the others back."},
    Row{Rare::refunded_in_part, "refunded_in_part", "A part of an order was refunded."},
    Row{Rare::refunded_without_restock, "refunded_without_restock", "Refunded units were written off."},
    Row{Rare::opening_found_too_little, "opening_found_too_little",
        "An activity could not open for want of stock."},
    Row{Rare::activity_over_told, "activity_over_told", "An order came after its activity had closed."},
    Row{Rare::activity_not_open_told, "activity_not_open_told",
        "An order came before its activity had opened."},
    Row{Rare::batch_of_several, "batch_of_several", "A batch held several commands."},
    Row{Rare::two_answers_at_once, "two_answers_at_once",
        "The same request was in process at two instances."},
};

static_assert(rows.size() == rares_count);

}  // namespace

std::string_view word(Rare rare) { return rows[static_cast<std::size_t>(rare)].word; }
std::string_view meaning(Rare rare) { return rows[static_cast<std::size_t>(rare)].meaning; }

}  // namespace gavel::sim
