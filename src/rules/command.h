// Commands: what a caller may ask of the judge, one struct per act.
//
// A command is plain data whose form was checked when it entered (malformation() in decide.h); it carries no
// time, because the judge's time counts. Value types; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "rules/ids.h"
#include "rules/lines.h"
#include "rules/mode.h"
#include "rules/quantity.h"
#include "rules/request_key.h"

namespace gavel::rules {

enum class Payment : std::uint8_t {
  later,  // Held until it is confirmed, cancelled or expires.
  none,   // Sold at once.
};

inline constexpr std::chrono::seconds hold_min{1};
inline constexpr std::chrono::seconds hold_max{24 * 60 * 60};

struct Reserve {
  UserId user;
  Lines lines;
  std::optional<ActivityCode> activity;
  std::optional<std::chrono::seconds> hold;  // Else the activity's, else the service's default.
  Payment payment = Payment::later;
};

// Sells what a hold has: all of it, or only some lines, and the rest returns to stock (E1).
struct Confirm {
  OrderId order;
  Lines lines = {};  // Empty: all that it holds.
};

struct Cancel {
  OrderId order;
};

// Extends a hold. It never becomes shorter, and never lasts beyond a cap that is measured from when the order
// was made (E4).
struct Extend {
  OrderId order;
  std::optional<std::chrono::seconds> seconds = {};  // From the judge's time on; else the service's default.
};

// Changes the quantities of an unpaid order as one difference: more units are taken, surplus units return to
// stock, all of it or nothing (E5).
struct ChangeOrder {
  OrderId order;
  Lines lines = {};  // Everything that the order is to hold.
};

enum class Restock : std::uint8_t {
  yes,  // The units are for sale again.
  no,   // They are written off.
};

// Where units of a paid order are taken from.
enum class RefundFrom : std::uint8_t {
  both,   // What lies here first.
  shelf,  // What was not shipped.
  buyer,  // What was shipped.
};

// Returns units of a paid order; can be repeated as long as the order has units left.
struct Refund {
  OrderId order;
  Lines lines = {};  // Empty: all that is left.
  Restock restock = Restock::yes;
  RefundFrom from = RefundFrom::both;
};

// Units of a paid order leave for their buyer (E22); can be repeated as long as some lie here.
struct Ship {
  OrderId order;
  Lines lines = {};  // Empty: all that lies here.
};

// Releases a hold that is due; on any other order it changes nothing. Internal: it has no request key.
struct Expire {
  OrderId order;
};

// Deletes the record of a request that is older than requests are kept (A28); a younger one stays. Internal
// like Expire.
struct Forget {
  Caller of;  // Whose request it is.
  RequestKey key;
};

// Spreads the available units of an item over its buckets again, because the gate denied units at some
// buckets that others had (A7). Internal like Expire.
struct Rebalance {
  ItemId item;
};

// Creates a SKU with its free stock item, or changes it, also while it sells. What is left out stays as it
// is; a new SKU has one bucket and the service's mode by default.
struct PutSku {
  SkuCode sku;
  std::optional<std::int32_t> buckets = std::nullopt;  // Of its free item (A3).
  std::optional<Mode> mode = std::nullopt;             // D1
};

// Inbound stock for the free item.
struct Receive {
  SkuCode sku;
  Quantity quantity;
};

// Units of the free item that an operator found, lost or broke: a difference, never a new number (B16).
struct Adjust {
  SkuCode sku;
  Quantity difference;  // Not zero; a negative one takes units away, at most what is on hand.
  std::string reason;
};

// What an operator counted of the free item: all units on hand, which is available + reserved. It is refused
// if the stock has changed since the version at which it was counted (E6).
struct Count {
  SkuCode sku;
  Quantity counted;
  std::int64_t version = 0;  // The sum of seq over the item's buckets.
};

struct ActivityLine {
  SkuCode sku;
  Quantity allotment;
  std::optional<std::int32_t> buckets;  // Else the SKU's.
};

// Creates a sale as a draft: no units move before it is opened.
struct CreateActivity {
  ActivityCode activity;
  std::string name;
  std::vector<ActivityLine> lines;
  std::optional<Quantity> limit_per_user;  // Units per user and SKU (B3).
  std::optional<Time> opens_at;  // Half-open window [opens_at, closes_at); none: no bound on that side.
  std::optional<Time> closes_at;
  std::optional<std::chrono::seconds> hold;
  Mode mode = Mode::service;  // D1
};

// Changes an activity that is not closed, also while it sells. What is left out stays as it is. A warmed or
// verified activity becomes a draft again, because the gate has to be loaded again.
struct ChangeActivity {
  ActivityCode activity;
  std::optional<std::int32_t> buckets = std::nullopt;  // Of each of its items (A3).
  std::optional<Mode> mode = std::nullopt;             // D1
};

// The gate was loaded with the activity's items (B12).
struct WarmActivity {
  ActivityCode activity;
};

// The gate was compared with the judge, and shows the same (B12).
struct CheckActivity {
  ActivityCode activity;
};

// Moves the allotments from the free items to the activity's items.
struct OpenActivity {
  ActivityCode activity;
};

// Moves the unsold units back; units that return later go back too.
struct CloseActivity {
  ActivityCode activity;
};

using Act = std::variant<Reserve, Confirm, Cancel, Extend, ChangeOrder, Refund, Expire, Forget, Rebalance,
                         PutSku, Receive, Adjust, Count, CreateActivity, ChangeActivity, WarmActivity,
                         CheckActivity, OpenActivity, CloseActivity, Ship>;

// The orders that a command may act upon. Any other is an unknown order to it (A9).
enum class Scope : std::uint8_t {
  own,  // Those that its caller made.
  all,  // Every account's.
};

struct Command {
  Caller caller;
  std::optional<RequestKey> key;  // Absent only for Expire, Forget, Rebalance and Gavel's own CloseActivity.
  OrderId new_order_id;           // The id of the order, if one is made and the key is not a UUIDv7.
  Act act;
  std::optional<BucketNo> token =
      std::nullopt;  // Where the gate granted a token; it is tried first, and is not a promise.
  Scope scope = Scope::own;
};

// The canonical text of what is asked, "act=reserve;user=u1;lines=tee*2": equal for equal requests, whatever
// order their lines came in. It is the fingerprint that a request key is bound to, kept whole so that a
// difference can be named (E2).
std::string fingerprint_of(const Act& act);

// A code as it stands in such a text: `;`, `=`, `*`, `,`, `/`, `%` and every byte that is not ASCII become
// %XX, so that no code reads as other fields or lines. A code of [A-Za-z0-9_.:-] stands as it is.
std::string escaped_code(std::string_view code);

// The names of the fields in which two contents differ, in order of appearance.
std::vector<std::string> differing_fields(const std::string& recorded, const std::string& asked);

// The id of the order that a Reserve command makes, if it makes one.
OrderId order_made_by(const Command& command);

// The same for the one word in front of fingerprint_of: "reserve", "confirm", …
std::string_view word(const Act& act);

}  // namespace gavel::rules
