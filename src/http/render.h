// Rendering: what succeeded and what was asked for, as responses.
//
// The answer to a write is made from its command and its verdict alone, so that a retry has the same status
// and body again, byte for byte (A9). Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "http/message.h"
#include "rules/command.h"
#include "rules/flow.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::http {

// The answer to a write that acted (traits(verdict.outcome).act, CHECKed).
Response success(const rules::Command& command, const rules::Verdict& verdict);

// An order with where its units come from.
struct OrderPart {
  rules::SkuCode sku;
  std::string warehouse;
  rules::BucketNo bucket;
  rules::Quantity quantity;
  rules::Quantity returned;  // Of `quantity`; told per SKU, and only where something has.
};
struct OrderShown {
  rules::Order order;
  std::optional<rules::ActivityCode> activity;
  std::vector<OrderPart> parts;  // Those of one SKU stand together or not: they are gathered.
};
Response show(const OrderShown& shown);

// One page of a user's orders; `next` is the cursor of what follows, where something does.
struct OrdersShown {
  std::vector<OrderShown> orders;
  std::optional<std::string> next;
  std::int64_t lag_batches = 0;  // Of what was judged and is not looked through yet.
  Duration lag{0};
};
Response show(const OrdersShown& shown);

// One stock item, its buckets summed.
struct StockShown {
  rules::SkuCode sku;
  std::string warehouse;
  std::string lot;
  std::string pool;
  rules::Bucket sum;  // Its seq is the sum too: it rises with every change, whichever bucket changes.
  std::int64_t generation;
};
// `next`: where more of a list follows.
Response show(const std::vector<StockShown>& stock, const std::optional<std::string>& next = {});

// One stock item at the judge and at the gate, bucket by bucket (A15).
struct GateShown {
  rules::SkuCode sku;
  std::string pool;
  rules::Mode mode;  // The one that holds.
  struct AtGate {
    rules::Quantity available;
    rules::Quantity held;  // By tokens of requests that are not judged yet.
    std::int64_t seq;
    bool closed;
  };
  struct Bucket {
    rules::Bucket judge;
    std::optional<AtGate> gate;  // None: the gate has no such bucket.
  };
  std::vector<Bucket> buckets;
};
Response show(const std::vector<GateShown>& items);

Response show(const rules::Activity& activity);

// One page of a list; `next` is the cursor of what follows, where something does.
Response show(const std::vector<rules::Activity>& page, const std::optional<std::string>& next);

// The chain behind an order or a request (B17).
struct TraceShown {
  std::vector<rules::IdempotencyRecord> requests;  // By time.
  std::optional<OrderShown> order;
  struct Step {
    rules::Flow flow;
    rules::SkuCode sku;
    std::string warehouse;
    std::int64_t lane;
    std::int64_t n;
  };
  std::vector<Step> steps;  // As they were written.
};
Response show(const TraceShown& trace);

// The chains behind one page of a user's orders.
struct TracesShown {
  std::vector<TraceShown> traces;
  std::optional<std::string> next;
  std::int64_t lag_batches = 0;
  Duration lag{0};
};
Response show(const TracesShown& shown);

// What is recorded under a key, or that it is being judged.
Response show(const rules::IdempotencyRecord& recorded);
Response show_processing(const rules::RequestKey& key);

// The result of recomputing everything from the ledger.
struct Verification {
  std::int64_t items;
  std::int64_t flows;
  std::int64_t orders;
  std::int64_t batches;
  std::int64_t findings_total;
  struct Found {
    std::string invariant;
    std::string what;
  };
  std::vector<Found> findings;  // The first ones.
};
// Always 200: to have looked is the success, and `clean` says what was seen.
Response show(const Verification& verification);

// {"status":"alive"} and the like.
Response show_status(std::string_view status);

}  // namespace gavel::http
