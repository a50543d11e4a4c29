// Holds: what all acts on orders share that take units, give them back or find a hold that is due.
//
// Internal to rules/. Nothing here records a verdict or looks at a request key. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/decision.h"

namespace gavel::rules {

// Units of one stock item that are requested: a line of an order, or of an activity that opens.
struct RequestedLine {
  SkuCode code;
  ItemId item;
  Quantity quantity;
  std::optional<QuotaKey> quota;  // The quota that an order of an activity counts against.
};

// Detail that names a line.
Detail of_sku(const SkuCode& sku);

// True for a held order that is due: its units are available to everybody who asks (C9).
bool is_due(const DecisionContext& c, const Order& order);

// False if the numbers of the buckets that hold the order's units were changed by somebody other than Gavel:
// moving the units would make it worse.
bool may_move(const DecisionContext& c, const Order& order);

// The same for the other numbers that a release changes: the user's claims, and the free stock behind a
// closed activity.
bool may_release(const DecisionContext& c, const Order& order);

// True for a claim that no rule can have made: like an unsound item, somebody other than Gavel changed it.
bool is_unsound(const Quota& quota, const Activity& activity);

// Returns held units of `order` to the buckets that they came from, and the claims with them. The caller
// changes the order's row.
void give_back(DecisionContext& c, const Order& order, std::span<const Allocation> parts, Action action,
               const Reason& reason);

// A closed activity keeps nothing: units that came back to its items move on to the free stock. For any other
// order this does nothing.
void pass_on(DecisionContext& c, const Order& order, std::span<const Allocation> parts, const Reason& reason);

// Marks the order's row as changed, and raises its revision.
void touch(Order& order);

// Takes an arrow of order_state.h (CHECKed), and touches the order.
void enter(DecisionContext& c, Order& order, OrderState to);

// The parts that `lines` name out of `kept`, in its order.
struct Selection {
  std::vector<Allocation> parts;
  std::vector<Allocation> rest;     // The parts of `kept` that no line names.
  std::optional<Verdict> shortage;  // insufficient, for the first line that asks for more than there is.
};
// Without lines everything is selected.
Selection pick(const DecisionContext& c, const std::vector<Allocation>& kept, const Lines& lines);

// The refusal of lines that name a SKU which the order never took.
std::optional<Verdict> refuse_strange_sku(const DecisionContext& c, const Order& order, const Lines& lines);

// Ends a due hold and returns all of its units.
void expire_order(DecisionContext& c, Order& order);

// The ladder of all acts on a hold that lead it `to` another state. The hold must not be due; if it is, it is
// released. `gives_back` says whether some units may return to stock in the act.
enum class GivesBack : std::uint8_t { nothing, some };
std::optional<Verdict> refuse_not_held(DecisionContext& c, Order& order, GivesBack gives_back);

// Releases due holds on `item`, oldest first, until the item has `wanted` units available or no loaded due
// hold is left (C9). True if it then has them.
bool make_room(DecisionContext& c, ItemId item, Quantity wanted);

// True if the user may claim `wanted` more units, after the user's own due holds were released if necessary.
bool make_room_for_claim(DecisionContext& c, const RequestedLine& wanted, Quantity allowed);

Quantity claimed_of(const DecisionContext& c, const QuotaKey& key);

// Counts a refusal for lack of stock of `item`, or notes that the maximum number is already recorded (A8).
void count_refusal(DecisionContext& c, ItemId item);

// The refusal for lack of stock, if there is one. If an item has too little, its due holds are released
// first, oldest first (C9). A line with no units left goes before a line with too few. The outcome is
// overloaded if the answer depends on due holds that were not loaded.
std::optional<Verdict> refuse_shortage(DecisionContext& c, const std::vector<RequestedLine>& lines);

}  // namespace gavel::rules
