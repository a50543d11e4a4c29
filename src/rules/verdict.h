// Verdict: the judge's answer to one command.
//
// A fresh verdict and its replay carry the same values (A9): everything needed to answer a retry is recorded.
// Value type.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "rules/ids.h"
#include "rules/order_state.h"
#include "rules/outcome.h"
#include "rules/quantity.h"

namespace gavel::rules {

// What an outcome says besides its word. Only the fields that interfaces.md names for the outcome are set.
struct Detail {
  std::optional<SkuCode> sku;  // sold_out, insufficient, limit_reached, unknown_sku, frozen: which line.
  std::optional<Quantity> available;       // insufficient: of the stock, or what is on hand or with the order
                                           // for what is to leave it.
  std::optional<Quantity> allowed;         // limit_reached
  std::optional<Quantity> claimed;         // limit_reached
  std::optional<OrderId> order;            // limit_reached: the order that holds the user's latest claim.
  std::optional<std::string> state;        // illegal_transition, refunded, shipped, changed of an activity.
  std::optional<Time> opens_at;            // not_open
  std::optional<Time> expires_at;          // reserved, extended, hold_capped; changed, of an order.
  std::vector<std::string> fields;         // key_reused: the fields that differ.
  std::optional<std::string> explanation;  // malformed: what is wrong, for people.
  std::optional<std::int64_t> version;     // version_conflict, adjusted, counted: the present one.
  std::optional<Quantity> shortage;        // adjusted, counted: what the stock is short of then, if anything.
  // mismatch, which is never recorded: the numbers of the first bucket that differs. `available` is the
  // judge's; what the gate shows is missing where it has no such bucket.
  std::optional<BucketNo> bucket;
  std::optional<Quantity> at_gate;

  friend bool operator==(const Detail&, const Detail&) = default;
};

// Whether a verdict is recorded under its request key.
enum class Record : std::uint8_t {
  no,        // Not recorded: the key is free for another try.
  fresh,     // Recorded by this batch.
  replayed,  // Recorded earlier; this is the first answer again.
};

// A stock item, from the time at which it last had units again after it had none.
struct ItemGeneration {
  ItemId item;
  std::int64_t generation = 0;
  friend bool operator==(const ItemGeneration&, const ItemGeneration&) = default;
};

struct Verdict {
  Outcome outcome = Outcome::outcome_unknown;
  Record record = Record::no;
  Time at;                       // The judge's time of the first answer.
  std::optional<OrderId> order;  // The order made or acted upon.
  Detail detail;
  // Of a refusal for lack of stock that is not recorded (A8): what there was too little of, and how long the
  // caller should wait at least before another try (E28). Neither is ever stored.
  std::optional<ItemGeneration> short_of = std::nullopt;
  std::optional<std::chrono::seconds> retry_after = std::nullopt;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// The verdict of an outcome that is recorded under no key, at no time yet. Every verdict is made here.
Verdict verdict_of(Outcome outcome, Detail detail = {});

// Of a request that cannot be understood; `explanation` is one line for people.
Verdict malformed(std::string explanation);

// "insufficient available=2 sku=tee": for tests, logs and comparing stores. Leaves out `at` and `record`.
std::string to_text(const Verdict& verdict);
using gavel::to_text;  // Those of times and ids stay visible beside it.

}  // namespace gavel::rules
