// The invariants of a batch. Each has a name and reports what is broken (in the style of stellar-core).
//
// The judge CHECKs all of them on every batch before it is stored; tests and `gavel verify` use the same
// names. They share no code with the rules that they watch. Pure; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rules/state.h"

namespace gavel::rules {

struct Invariant {
  std::string_view name;
  std::optional<std::string> (*broken)(const State& state);  // What is wrong, or nothing.
};

// nothing_negative, shortage_is_owed, flows_explain_buckets, moves_sum_to_zero, quota_within_limit,
// orders_match_flows, orders_go_forward.
std::span<const Invariant> batch_invariants();

// "name: what is wrong" for the first broken invariant, or nothing.
std::optional<std::string> first_broken(const State& state);

}  // namespace gavel::rules
