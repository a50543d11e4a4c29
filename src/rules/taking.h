// Taking: what the acts share that take units for an order, both creating and changing one.
//
// Internal to rules/. Nothing here records a verdict or looks at a request key. One thread.
#pragma once

#include <optional>
#include <vector>

#include "rules/decision.h"
#include "rules/holds.h"

namespace gavel::rules {

// The stock item that a line draws from: the activity's own for an order of an activity, else the SKU's free
// one. Nothing if there is no such SKU, or the activity does not have it.
std::optional<RequestedLine> find_line(const DecisionContext& c, const Activity* activity, const Line& line,
                                       const UserId& user);

// The refusals of units that may not be taken, one function each, in the order of their numbers. `activity`
// is null for free stock.
std::optional<Verdict> refuse_frozen(const DecisionContext& c, const Activity* activity,
                                     const std::vector<RequestedLine>& lines);
std::optional<Verdict> refuse_window(const DecisionContext& c, const Activity& activity);
std::optional<Verdict> refuse_claims(DecisionContext& c, const Activity& activity,
                                     const std::vector<RequestedLine>& lines);

// Whose order it is that takes units. Both outlive it.
struct Buyer {
  const Caller& account;
  const UserId& user;
};

// Takes the units of a line that no refusal applies to, with the ledger action `action`, and counts them
// against the user's limit. Returns where they come from: one item, each bucket once.
std::vector<Allocation> take(DecisionContext& c, const Activity* activity, const RequestedLine& line,
                             const Buyer& buyer, Action action, const Reason& reason);

}  // namespace gavel::rules
