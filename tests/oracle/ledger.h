// Ledger: what the service's database holds, in plain words: every row of the ledger, and what it amounts to.
//
// A simulator appends the flows of each transaction as it commits and sets the other rows when it wants to
// check; a drill reads all of them once, at rest. Times are ms since 1970 by the judge's clock. Value types.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/history.h"

namespace gavel::oracle {

// One stock item: one (SKU, warehouse, lot, pool).
struct Item {
  std::string sku;
  std::string activity;  // Empty: the free stock.
  std::int64_t generation = 1;
};

struct Bucket {
  std::int64_t available = 0;
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
  std::int64_t seq = 0;  // That of its latest flow.
  std::int64_t shortage = 0;
  std::int64_t shipped = 0;
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

struct Place {
  std::int64_t item = 0;
  std::int64_t bucket = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// One row of the ledger (C4).
struct Flow {
  Place place;
  std::int64_t seq = 0;
  std::string action;  // receive, reserve, sell, confirm, cancel, expire, move_out, move_in, refund,
                       // write_off, adjust_in, adjust_out, fall_short, make_good, ship, take_back,
                       // write_off_shipped
  std::int64_t quantity = 0;
  std::int64_t before = 0;  // available
  std::int64_t after = 0;
  std::string order;   // Empty: of no order.
  std::string caller;  // Who caused it.
  std::string key;     // The request that caused it; empty: the service itself.
  std::int64_t lane = 0;
  std::int64_t n = 0;  // Of the batch.
  std::int64_t i = 0;  // Within the batch, from 0.
  std::int64_t at = 0;
  std::optional<Moment> committed;  // Where the exact moment is known: it sharpens the checks of refusals.
};

// What one unit of an action does to a bucket (interfaces.md); seq stays 0. `known` is false of a strange
// word.
struct Effect {
  std::int64_t available = 0;
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
  std::int64_t inward = 0;  // Into the stock item from outside of it; -1 out of it.
  bool known = false;
  std::int64_t shortage = 0;
  std::int64_t shipped = 0;
};
Effect effect_of(const std::string& action);

struct Part {
  Place place;
  std::int64_t quantity = 0;
};

struct Order {
  std::string state;  // held, paid, cancelled, expired, partly_refunded, refunded, refused,
                      // partly_shipped, shipped
  std::string user;
  std::string activity;
  std::vector<Part> taken;
  std::vector<Part> returned;  // Of what was taken, once it was paid: left over, or refunded.
  std::optional<std::int64_t> expires_at;
  std::optional<std::int64_t> settled_at;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> first_expires_at = {};  // Of one that was extended: its first end.
  std::vector<Part> shipped = {};                     // Of what did not return: what the buyer has.
  std::string account = "shop";                       // Who made it.
};

struct Activity {
  std::string state;       // draft, open, closed
  std::int64_t limit = 0;  // Units per user and SKU; 0: none.
  std::optional<std::int64_t> opens_at;
  std::optional<std::int64_t> closes_at;
};

struct Quota {
  std::string activity;
  std::string sku;
  std::string user;
  std::int64_t claimed = 0;
};

struct IdempotencyRecord {
  std::string outcome;
  std::string order;
};

struct Batch {
  std::int64_t lane = 0;
  std::int64_t n = 0;
  bool aborted = false;
  std::int64_t flows = 0;  // How many it says it wrote.
};

struct Ledger {
  std::map<std::int64_t, Item> items;
  std::map<Place, Bucket> buckets;
  std::vector<Flow> flows;  // In the order of their commits; position k is the state after k flows.
  std::map<std::string, Order> orders;
  std::map<std::string, Activity> activities;
  std::vector<Quota> quotas;
  std::map<RequestId, IdempotencyRecord> requests;  // Every answer that is remembered.
  std::vector<Batch> batches;
};

// Puts flows that were read after the fact, in any order, into an order in which they may have been
// committed: each lane's batches by n, each bucket's by seq, and beyond that by time. False if there is none,
// since rows are missing or strange; the flows then stand by lane.
bool put_in_order(std::vector<Flow>& flows);

}  // namespace gavel::oracle
