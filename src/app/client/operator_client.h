// SaleDesk: the operator's side of a demonstration sale, over the HTTP API like any operator's tool.
//
// One connection to each listener; blocks; one thread. Every error is one line that names the request and
// what was answered.
#pragma once

#include <string>
#include <utility>

#include "app/client/http_connection.h"
#include "app/demo/sale_plan.h"
#include "app/demo/sale_run.h"
#include "app/demo/sale_verdict.h"
#include "base/random.h"
#include "base/result.h"

namespace gavel::app {

class SaleDesk {
 public:
  static Result<SaleDesk> open(const std::string& shop, const std::string& operators, std::string key);

  // A SKU with `units` in free stock.
  Result<void> stock_up(const std::string& sku, std::int64_t units);

  // An open activity that allots all of them, one per user, in this mode; a gated one is warmed and checked
  // first (B12).
  Result<void> open_sale(const std::string& activity, const std::string& sku, std::int64_t units,
                         const std::string& mode);

  // What is in free stock of a SKU.
  Result<SaleSeen::Stock> stock_of(const std::string& sku);

  // Reads stock, the gate, every order that `run` was answered, and verify.
  Result<SaleSeen> look(const std::string& activity, const std::string& sku, const SaleRun& run);

 private:
  SaleDesk(HttpConnection shop, HttpConnection operators, std::string operators_url, std::string key)
      : shop_(std::move(shop)),
        operators_(std::move(operators)),
        operators_url_(std::move(operators_url)),
        key_(std::move(key)) {}

  Result<HttpAnswer> ask(HttpConnection& connection, const HttpRequest& request);
  Result<HttpAnswer> operate(const std::string& method, const std::string& target, const std::string& body);

  HttpConnection shop_;
  HttpConnection operators_;
  std::string operators_url_;
  std::string key_;
  Random random_ = Random::from_system();  // For keys that no other desk uses.
};

}  // namespace gavel::app
