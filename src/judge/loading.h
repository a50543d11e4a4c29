// load_batch: begins a transaction and brings every row that a batch may touch into a State.
//
// It follows what plan.h names: orders lead to their activities, stock items and quotas; items that may run
// short lead to their due holds (C9). Items are loaded, and thereby locked, in key order before quotas and
// keys; the time is read last (architecture, "The judge"). Blocks on the store; the lane's thread.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "base/time.h"
#include "judge/store.h"
#include "rules/command.h"
#include "rules/state.h"

namespace gavel::judge {

struct Loaded {
  rules::State state;
  Time now;  // The judge's time for the whole batch.
};

// If an item runs short, as many of its due holds are loaded as are needed, and at most `due_orders_max`
// (likewise for one user's share of it). An item that may need more is marked in State::due_unseen, so that
// nothing is refused because of holds that were not looked at. Errors are the store's; the caller rolls back.
Result<Loaded> load_batch(Store& store, std::span<const rules::Command> commands, std::size_t due_orders_max);

}  // namespace gavel::judge
