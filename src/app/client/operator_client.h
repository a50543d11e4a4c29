// OperatorClient: what an operator's tool does on a running server, over its HTTP API, for the demonstration
// and the measurements.
//
// A client of each listener, which connects when it is needed. Blocks, each request for at most 30 s, an
// audit for at most ten minutes; one thread. Every error is one line that names the request and the response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/client/http_client.h"
#include "app/server_addresses.h"
#include "base/random.h"
#include "base/result.h"
#include "judge/audit/audit.h"

namespace gavel::app {

// Of one stock item.
struct StockCounts {
  std::int64_t available = 0;
  std::int64_t reserved = 0;
  std::int64_t sold = 0;
};

struct OrderSummary {
  std::string id;
  std::string user;
  std::string state;
};

// How the API calls the pool of units that no activity has set aside.
inline constexpr const char* free_pool_name = "-";

class OperatorClient {
 public:
  // `invalid` if an address makes no sense. Nothing is sent.
  static Result<OperatorClient> create(const ServerAddresses& server);

  // Makes the SKU, if there is none, and receives `units` into free stock.
  Result<void> stock_up(const std::string& sku, std::int64_t units);

  // Opens an activity that allots `units`, one per user, in this mode; a gated one is warmed and checked
  // first (B12).
  Result<void> open_sale(const std::string& activity, const std::string& sku, std::int64_t units,
                         const std::string& mode);

  // The SKU's units in a pool: free_pool_name, or an activity. Nothing if that is not listed.
  Result<std::optional<StockCounts>> stock_of(const std::string& sku, const std::string& pool);

  // What the gate has left of them; nothing where it does not have all of them.
  Result<std::optional<std::int64_t>> left_at_gate(const std::string& sku, const std::string& pool);

  // Over the shop's listener.
  Result<OrderSummary> order(const std::string& id);

  Result<judge::AuditReport> audit();

  // Any request; a write gets a key of its own. The body of a response 200 or 201, else `invalid`.
  Result<std::string> operate(const std::string& method, const std::string& target, const std::string& body);

 private:
  OperatorClient(HttpClient shop, HttpClient operators, std::string key)
      : shop_(std::move(shop)), operators_(std::move(operators)), key_(std::move(key)) {}

  HttpClient shop_;
  HttpClient operators_;
  std::string key_;
  Random random_ = Random::from_system();  // For keys that no other client uses.
};

}  // namespace gavel::app
