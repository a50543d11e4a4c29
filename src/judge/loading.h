// load_batch: begins a transaction and brings every row that a batch may touch into a State.
//
// It follows what plan.h names: orders lead to their activities, stock items and quotas; items that may run
// short lead to the holds whose time is past (C9). Blocks on the store; the lane's thread.
//
// The order of locks, and why no two lanes wait for each other:
//
//   1  Orders are read without a lock, so that every item that the batch may change is known beforehand.
//   2  Locks are taken in one pass: activities, SKUs, items, quotas, orders, counters, each table once and in
//      key order. Whoever waits in the pass holds only what stands before it, so no circle can close. An
//      order and a claim are locked by none but the one who has locked their items, so that in fact lanes
//      wait for activities, SKUs, items and counters alone.
//   3  The time is read (architecture, "The judge"). Only from here on is it known which holds are due, and
//      whether an item runs short, so that due orders, and whatever else they took from, cannot stand in the
//      pass. A due order of locked items alone is free, as said above. For the rest nothing waits any more
//      (store.h): a row that another lane has is a `conflict`, and the one who holds locks out of order gives
//      them all back. Then the batch is loaded once more, and the due orders that were found stand in the
//      pass, where they are waited for in order. If more have come meanwhile and are locked as well, the
//      caller is told `conflict` and tries again after a pause that is drawn at random.
//
// An order that another lane changed between 1 and 2 may have taken from further items: they are loaded after
// the time like those of due orders.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "base/time.h"
#include "judge/store.h"
#include "rules/command.h"
#include "rules/state.h"

namespace gavel::judge {

struct LoadLimits {
  std::size_t due_orders_max;  // Due holds of one item, or of one user's share of it. At least 1.
  // What the transaction shall write at most (rows_bound.h). The lines that commands name are bounded by a
  // quarter of it; the parts of the orders that are acted upon by half of it, and those of due holds
  // likewise.
  std::size_t rows_max;
};

struct Loaded {
  rules::State state;
  Time now;              // The judge's time for the whole batch.
  std::size_t commands;  // For so many of the commands, from the first on, at least one.
};

// If an item runs short, as many of its due holds are loaded as are needed, within the limits. An item that
// may need more is marked in State::due_unseen, so that nothing is refused because of holds that were not
// looked at. Errors are the store's; the caller rolls back.
Result<Loaded> load_batch(Store& store, std::span<const rules::Command> commands, LoadLimits limits);

}  // namespace gavel::judge
