// How many rows a transaction writes, counted from above, so that no batch grows beyond a bound (A20).
//
// Each entry of the ledger may change a row of a bucket beside its own; each command a row of its request, of
// its order and of its hold; each line a claim of its user. Rows that several commands change are counted for
// each of them. Pure; one thread.
#pragma once

#include <cstddef>

#include "rules/command.h"
#include "rules/quantity.h"
#include "rules/state.h"

namespace gavel::judge {

inline constexpr std::size_t rows_of_command = 3;
inline constexpr std::size_t rows_of_entry = 2;

// What the largest order writes: each line from all buckets of its item.
inline constexpr std::size_t rows_of_order_max =
    rows_of_command +
    rules::order_lines_max * (1 + rows_of_entry * static_cast<std::size_t>(rules::buckets_max));

// What `commands` commands have written to `state`.
std::size_t rows_written(const rules::State& state, std::size_t commands);

// What `command` writes at most to `state`, in which it was loaded, due holds that it releases included.
std::size_t rows_at_most(rules::State& state, const rules::Command& command);

// Lines that `command` names; 1 for acts without lines. An act on an activity counts as many as that may
// have.
std::size_t lines_named(const rules::Command& command);

}  // namespace gavel::judge
