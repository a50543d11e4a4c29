// Plan: which rows a batch may touch, found before anything is decided.
//
// A store loads and locks exactly the rows that a plan names; it knows no rule. Pure; one thread.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <utility>

#include "rules/command.h"
#include "rules/state.h"

namespace gavel::judge {

struct Plan {
  std::set<rules::SkuCode> skus;  // SKUs with their free items, also those that acts on orders name.
  std::set<rules::ActivityCode> activities;
  std::set<std::pair<rules::ActivityCode, rules::SkuCode>>
      drawn;                                         // Lines of activities that orders draw from.
  std::set<rules::ActivityCode> whole_activities;    // Opened or closed: every line, and the free items.
  std::set<rules::ActivityCode> changed_activities;  // Every line.
  std::set<rules::SkuCode> written_skus;             // Of `skus`, those whose rows a command may change.
  std::set<rules::ActivityCode> written_activities;  // Of `activities`, likewise.
  std::set<rules::ItemId> items;                     // Items that are named by their number.
  std::set<rules::OrderId> orders;                   // Orders that are acted upon.
  std::set<rules::RequestId> requests;               // Keys, each looked up as a row (caller, key) …
  std::set<rules::OrderId> keys_as_orders;           // … and, where it is a UUIDv7, as the id of an order.
  bool deals_numbers = false;  // Something is created that needs a number from the counters.
};

Plan plan_of(std::span<const rules::Command> commands);

// The order that the command acts upon; none where it makes one, or where no order is named.
std::optional<rules::OrderId> order_acted_on(const rules::Command& command);

}  // namespace gavel::judge
