// GatePreparation: what warming, checking and opening an activity do at the gate, before the judge (B12, B13;
// docs/adr/0014).
//
//   warm          states the activity's items to their buckets, and waits until all have the statement
//   check, open   compare what the buckets show with what the judge has
//
// Items that are not gated have no part in it. What is wrong with the act itself, the judge says. On the
// pipeline's executor.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "gate/gate.h"
#include "ops/log.h"
#include "pipeline/gate_modes.h"
#include "pipeline/reads.h"
#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::pipeline {

class GatePreparation {
 public:
  // The part of an act at the gate, and the activity it is about.
  struct Act {
    rules::RequestId key;
    rules::ActivityCode activity;
    // The first state in which it has a part: from draft on it loads the gate, from a later one it compares.
    rules::ActivityState from;
  };
  static std::optional<Act> act_of(const rules::Command& command);

  // Whether one more item may be led through the gate, or this one is already.
  using HasRoom = std::function<bool(rules::ItemId)>;

  // References outlive this. Requests are remembered for `requests_kept` (A28).
  GatePreparation(gate::Gate& gate, gate::Incarnation incarnation, Reads& reads, Log& log,
                  const GateModes& modes, HasRoom has_room, std::chrono::hours requests_kept);

  // The refusal: not_ready where the gate does not answer, mismatch with both numbers of the first bucket
  // that differs, overloaded where the judge cannot be read. Nothing: the judge decides.
  boost::asio::awaitable<std::optional<rules::Verdict>> prepare(Act act);

 private:
  boost::asio::awaitable<std::optional<rules::Verdict>> load(const rules::Item& item);
  boost::asio::awaitable<std::optional<rules::Verdict>> compare(const StockPool& pool,
                                                                const rules::Item& item);

  gate::Gate& gate_;
  const gate::Incarnation incarnation_;
  Reads& reads_;
  Log& log_;
  const GateModes& modes_;
  const HasRoom has_room_;
  const std::chrono::hours requests_kept_;
};

}  // namespace gavel::pipeline
