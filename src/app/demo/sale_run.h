// SaleRun: sends a sale's plan over real connections and keeps every response.
//
// It behaves as a good client does: what is busy, unknown or lost is sent again with the same key until there
// is a response (load/load_engine.h). It judges nothing: that is sale_verdict.h. Blocks; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/client/http_message.h"
#include "app/demo/sale_plan.h"
#include "app/load/load_engine.h"
#include "base/result.h"

namespace gavel::app {

struct SaleReply {
  unsigned status = 0;
  std::string outcome;    // The word in `code`.
  std::string order;      // The id, of an order that was made; else empty.
  std::string user;       // As the response to an order says it.
  bool recorded = false;  // A retry with this key gets the same response.
  bool replayed = false;  // Idempotency-Replayed
  std::string body;
};

// Pure.
SaleReply read_reply(const HttpResponse& response);

struct SaleRun {
  struct Result {
    SaleReply first;
    std::optional<SaleReply> again;  // To the same request sent once more, where the plan says so.
  };
  std::vector<Result> results;  // By the plan's order.
  std::int64_t repeats = 0;     // Requests that were sent once more.
  LoadStatistics statistics;    // Of all of them.
};

struct SaleTarget {
  std::string shop;  // The listener's address.
  std::string sku;
  std::string activity;
  std::size_t connections;
};

// `progress` is called with the number of exchanges that are done, the last time with all of them; false
// breaks off. Errors are those of the load.
Result<SaleRun> run_sale(const SalePlan& plan, const SaleTarget& target,
                         const std::function<bool(std::int64_t done)>& progress);

// Exchanges of the plan when nothing has to be sent twice: requests and repeats. Pure.
std::int64_t exchanges_of(const SalePlan& plan);

}  // namespace gavel::app
