// RandomScript: commands drawn from a seed, for a shop so small that everything happens to it. For tests.
//
// Three SKUs with next to no stock, five users, two callers, activities that open and close, holds that end
// while the script goes on, keys that are repeated, reused for something else, too old or another caller's.
// The same seed gives the same script on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "rules/command.h"

namespace gavel::judge {

struct Step {
  Duration wait;  // Before the command.
  rules::Command command;
};

// `start` is the time at which the script begins: UUIDv7 keys are made for the time of their command.
std::vector<Step> random_script(std::uint64_t seed, std::size_t commands, Time start);

// One command as a line for people.
std::string text_of(const rules::Command& command);

// Lengths of batches that cut a script: no batch spans a wait. `batch_max` 1 gives the commands one by one.
std::vector<std::size_t> random_cuts(const std::vector<Step>& script, std::size_t batch_max, Random& random);

}  // namespace gavel::judge
