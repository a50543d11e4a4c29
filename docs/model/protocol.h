// The protocol as steps from state to state: every step that could come next, one at a time.
#pragma once

#include <functional>
#include <string>

#include "state.h"

namespace model {

enum class Step : std::uint8_t {
  ask,
  call,
  call_reply_lost,
  call_lost,
  call_late,
  call_repeated,
  late_arrives,
  confirm,
  confirm_quota,
  judge,
  judge_in_doubt,
  settle,
  orphan_commits,
  act,
  refresh_reads,
  refresh_states,
  learn_count,
  crash,
  reap,
  replica,
  failover,
  wipe,
  corrupt,
  write_hint,
};

struct Taken {
  Step step;
  Small x, y;
  friend bool operator==(const Taken&, const Taken&) = default;
};

// Calls `emit` with each successor; `wrong` is not empty if the step itself gave a wrong answer.
using Emit = std::function<void(const State&, Taken, const std::string& wrong)>;
void for_each_next(const Scenario& scenario, const State& state, const Emit& emit);

State first_state(const Scenario& scenario);

// What is wrong with a state; empty if nothing is.
std::string wrong_with(const Scenario& scenario, const State& state);

// Makes states equal that differ only in how high op numbers are.
void make_canonical(const Scenario& scenario, State& state);

std::string to_text(Taken taken);
std::string to_text(const State& state);

}  // namespace model
