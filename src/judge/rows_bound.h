// How many rows a transaction writes, counted from above, so that no batch grows beyond a bound (A20).
//
// Each entry of the ledger may change a row of a bucket beside its own; each command a row of its request, of
// its order and of its hold; each line a claim of its user. Rows that several commands change are counted for
// each of them. Pure; one thread.
#pragma once

#include <cstddef>
#include <map>

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

// What commands write at most to a state in which they were loaded, due holds that they release included.
class RowsBound {
 public:
  // `state` outlives it. The due holds are counted here, once for all commands.
  explicit RowsBound(rules::State& state);

  // Whether `command` surely fits into `rows`. Looks closely only where a rough bound does not tell.
  bool fits(const rules::Command& command, std::size_t rows) const;

  // The close bound, which takes a plan of the command.
  std::size_t of(const rules::Command& command) const;

 private:
  std::size_t roughly(const rules::Command& command) const;

  rules::State& state_;
  std::map<rules::ItemId, std::size_t> due_parts_;  // What the due holds of an item have taken, in parts.
  std::size_t all_due_parts_ = 0;
};

// Lines that `command` names; 1 for acts without lines. An act on an activity counts as many as that may
// have.
std::size_t lines_named(const rules::Command& command);

}  // namespace gavel::judge
