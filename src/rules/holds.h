// Holds: what the acts on orders share, whether they take units, give them back or meet a hold whose time is
// past.
//
// Internal to rules/. Nothing here records a verdict or looks at a request key. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/decision.h"

namespace gavel::rules {

// So many units of one stock item are asked for: a line of an order, or of an activity that opens.
struct RequestedLine {
  SkuCode code;
  ItemId item;
  Quantity quantity;
  std::optional<QuotaKey> quota;  // What an order of an activity counts against.
};

// Detail that names a line.
Detail of_sku(const SkuCode& sku);

// A held order whose time is past: its units are free for whoever asks (C9).
bool is_due(const DecisionContext& c, const Order& order);

// False if the numbers that the order's held units stand in were changed behind Gavel's back: moving them
// would make it worse.
bool may_move(const DecisionContext& c, const Order& order);

// The same for what a release changes besides: the user's claims, and the free stock behind a closed
// activity.
bool may_release(const DecisionContext& c, const Order& order);

// A claim that no rule can have made: like an unsound item it was changed behind Gavel's back.
bool is_unsound(const Quota& quota, const Activity& activity);

// Gives held units of `order` back to where they came from, and the claims with them. The order's row is the
// caller's to change.
void give_back(DecisionContext& c, const Order& order, std::span<const Allocation> parts, Action action,
               const Reason& reason);

// A closed activity keeps nothing: what came back to its items moves on to the free stock. On any other
// order it does nothing.
void pass_on(DecisionContext& c, const Order& order, std::span<const Allocation> parts, const Reason& reason);

// Counts an act on the order that changes its row.
void touch(Order& order);

// Takes an arrow of order_state.h (CHECKed), and touches the order.
void enter(DecisionContext& c, Order& order, OrderState to);

// The parts that `lines` name out of `kept`, in its order.
struct Selection {
  std::vector<Allocation> parts;
  std::vector<Allocation> rest;     // What of `kept` no line names.
  std::optional<Verdict> shortage;  // insufficient: the first line that asks for more than there is.
};
// Without lines everything is picked.
Selection pick(const DecisionContext& c, const std::vector<Allocation>& kept, const Lines& lines);

// The refusal of lines that name what the order never took.
std::optional<Verdict> refuse_strange_sku(const DecisionContext& c, const Order& order, const Lines& lines);

// Ends a due hold and gives all of it back.
void expire_order(DecisionContext& c, Order& order);

// The ladder of acts on a hold, which lead it `to` another state: its time must not be past, and one whose
// time is past is released. `gives_back` says whether some of it may return to stock on the way.
enum class GivesBack : std::uint8_t { nothing, some };
std::optional<Verdict> refuse_not_held(DecisionContext& c, Order& order, GivesBack gives_back);

// Releases due holds on `item`, oldest first, until it has `wanted` available or no due hold is left that was
// loaded (C9). True if it has them then.
bool make_room(DecisionContext& c, ItemId item, Quantity wanted);

// True if the user may claim `wanted` more, after his own due holds were released if need be.
bool make_room_for_claim(DecisionContext& c, const RequestedLine& wanted, Quantity allowed);

Quantity claimed_of(const DecisionContext& c, const QuotaKey& key);

// Counts a refusal for lack of stock of `item`, or finds that as many are recorded as may be (A8).
void count_refusal(DecisionContext& c, ItemId item);

// The refusal for lack of stock, if there is one. Where an item has too little, its due holds are released
// first, oldest first (C9). Nothing left of any line goes before too few of another; overloaded is given
// where that depends on due holds that were not loaded.
std::optional<Verdict> refuse_shortage(DecisionContext& c, const std::vector<RequestedLine>& lines);

}  // namespace gavel::rules
