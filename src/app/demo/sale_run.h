// The run of a sale: sends a plan over real connections and keeps what was answered.
//
// It behaves as a good client does: connections are kept alive, 503 and 429 are obeyed (Retry-After), and
// what is busy, unknown or lost is asked again with the same key until there is an answer. It judges nothing:
// that is sale_verdict.h. Blocks; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/client/http_answer.h"
#include "app/demo/sale_plan.h"
#include "base/clock.h"
#include "base/result.h"

namespace gavel::app {

struct SaleReply {
  unsigned status = 0;
  std::string outcome;    // The word in `code`.
  std::string order;      // The id, of an order that was made; else empty.
  std::string user;       // As the answer to an order says it.
  bool recorded = false;  // A retry with this key will be answered alike.
  bool replayed = false;  // Idempotency-Replayed
  std::string body;
};

SaleReply read_reply(const HttpAnswer& answer);

// True if the reply is the end of its request, false if the same key is to be sent again.
bool is_final(const SaleReply& reply);

struct SaleRun {
  struct Result {
    SaleReply first;
    std::optional<SaleReply> again;  // To the same request sent once more, where the plan says so.
  };
  std::vector<Result> results;      // By the plan's order.
  std::vector<Duration> latencies;  // Of every exchange that got a final answer; unsorted.
  std::int64_t repeats = 0;
  std::int64_t busy = 0;     // Answers that said: later.
  std::int64_t unknown = 0;  // Answers that said: perhaps.
  std::int64_t lost = 0;     // Connections that broke with a request on them.
  Duration took{0};
};

struct SaleTarget {
  std::string shop;  // The listener's address.
  std::string sku;
  std::string activity;
  std::size_t connections;
};

// `progress` is told how many exchanges are done; it answers false to break off. An error means that the sale
// could not be carried through.
Result<SaleRun> run_sale(const SalePlan& plan, const SaleTarget& target, const Clock& clock,
                         const std::function<bool(std::int64_t done)>& progress);

// Exchanges of the plan when nothing has to be asked twice: requests and repeats.
std::int64_t exchanges_of(const SalePlan& plan);

}  // namespace gavel::app
