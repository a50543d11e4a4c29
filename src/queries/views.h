// Views: what is answered to those who read, as values that name their parts by words.
//
// This is what http renders; it knows no row of the judge and no bucket of the gate. mapping.h makes views of
// those. Value types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "rules/command.h"
#include "rules/flow.h"
#include "rules/order_position.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::queries {

// An order with where its units come from.
struct OrderView {
  rules::Order order;
  std::optional<rules::ActivityCode> activity;
  struct Part {
    rules::SkuCode sku;
    std::string warehouse;
    rules::BucketNo bucket;
    rules::Quantity quantity;
    rules::Quantity returned;  // Of `quantity`.
    rules::Quantity shipped;   // Of what did not return.
  };
  std::vector<Part> parts;  // Those of one SKU need not stand together.
};

// One stock item, its buckets summed.
struct StockView {
  rules::SkuCode sku;
  std::string warehouse;
  std::string lot;
  std::string pool;   // "-" for free stock, else the activity's code.
  rules::Bucket sum;  // Its seq is the sum too: it rises with every change, whichever bucket changes.
  std::int64_t generation;
};

// The judge's time and the wall clock of the database's machine (E25).
struct ClocksView {
  Time judge;
  Time wall;
};

// One stock item at the judge and at the gate, bucket by bucket (A15).
struct GateView {
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

// The chain behind an order or a request (B17).
struct TraceView {
  std::vector<rules::IdempotencyRecord> requests;  // By time.
  std::optional<OrderView> order;
  struct Step {
    rules::Flow flow;
    rules::SkuCode sku;
    std::string warehouse;
    std::int64_t lane;
    std::int64_t n;
  };
  std::vector<Step> steps;  // As they were written.
};

// What an audit found (C3).
struct AuditView {
  std::int64_t items = 0;
  std::int64_t flows = 0;
  std::int64_t orders = 0;
  std::int64_t batches = 0;
  std::int64_t findings_total = 0;
  struct Finding {
    std::string invariant;
    std::string what;
  };
  std::vector<Finding> findings;  // The first ones.
};

// One page of a user's orders. The last committed batches may be missing from it, and it says how many.
struct OrdersPage {
  std::vector<OrderView> orders;
  std::optional<rules::OrderPosition> next;  // UserOrdersQuery::before of the next page; none: that was all.
  std::int64_t lag_batches = 0;
  Duration lag{0};  // Since the first of these batches was written.
};

// The chains behind one page of a user's orders.
struct TracesPage {
  std::vector<TraceView> traces;
  std::optional<rules::OrderPosition> next;
  std::int64_t lag_batches = 0;
  Duration lag{0};
};

// What is short (E7), in order of the items.
struct ShortagesPage {
  std::vector<StockView> items;
  std::optional<rules::ItemId> next;  // ShortagesQuery::after of the next page; none: that was all.
};

struct ActivitiesPage {
  std::vector<rules::Activity> activities;  // By code.
  std::optional<rules::ActivityCode> next;  // ActivitiesQuery::after of the next page; none: that was all.
};

// Stock of several SKUs, or the first of them that does not exist.
struct StockOfSkus {
  std::vector<StockView> items;
  std::optional<rules::SkuCode> unknown;
};

}  // namespace gavel::queries
