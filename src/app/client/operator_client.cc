#include "app/client/operator_client.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "app/client/remote_audit.h"
#include "base/check.h"

namespace gavel::app {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr Duration operator_response_within{30'000};

// One receipt takes no more than a line's units.
constexpr std::int64_t receipt_units_max = 1'000'000;

Result<std::string> ask(HttpClient& client, const HttpRequest& request) {
  auto response = client.ask(request, operator_response_within);
  if (!response) return std::unexpected(response.error());
  if (response->status != 200 && response->status != 201) {
    return fail(ErrorCode::invalid, request.method + " " + request.target + " was answered " +
                                        std::to_string(response->status) + ": " + response->body);
  }
  return std::move(response->body);
}

// What `read` makes of a body; it throws where the body is not as the API has it.
template <class Read>
auto parsed(const Result<std::string>& body, Read read) -> Result<decltype(read(object()))> {
  if (!body) return std::unexpected(body.error());
  try {
    return read(boost::json::parse(*body).as_object());
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid, std::string("a response lacks what it should hold: ") + error.what());
  }
}

// The row of the pool in a list of stock items.
const object* row_of(const array& rows, std::string_view pool) {
  for (const value& row : rows) {
    if (row.as_object().at("pool").as_string() == pool) return &row.as_object();
  }
  return nullptr;
}

}  // namespace

Result<OperatorClient> OperatorClient::create(const ServerAddresses& server) {
  auto shop = HttpClient::create(server.shop, server.ca_file);
  if (!shop) return std::unexpected(shop.error());
  auto operators = HttpClient::create(server.operators, server.ca_file);
  if (!operators) return std::unexpected(operators.error());
  return OperatorClient(*std::move(shop), *std::move(operators), server.key);
}

Result<std::string> OperatorClient::operate(const std::string& method, const std::string& target,
                                            const std::string& body) {
  CHECK(!key_.empty() && (method != "GET" || body.empty()));
  HttpRequest request{.method = method, .target = target, .body = body, .bearer = key_};
  if (method != "GET") request.key = "tool-" + std::to_string(random_.next());
  return ask(operators_, request);
}

Result<void> OperatorClient::stock_up(const std::string& sku, std::int64_t units) {
  CHECK(units >= 0);
  if (auto made = operate("PUT", "/v1/skus/" + sku, "{}"); !made) return std::unexpected(made.error());
  while (units > 0) {
    const std::int64_t part = std::min(units, receipt_units_max);
    const std::string body = boost::json::serialize(object{{"quantity", part}});
    auto received = operate("POST", "/v1/stock/" + sku + "/receive", body);
    if (!received) return std::unexpected(received.error());
    units -= part;
  }
  return {};
}

Result<void> OperatorClient::open_sale(const std::string& activity, const std::string& sku,
                                       std::int64_t units, const std::string& mode) {
  CHECK(units > 0 && (mode == "direct" || mode == "gated"));
  const object line{{"sku", sku}, {"allotment", units}};
  const object body{{"id", activity},
                    {"name", "Demonstration"},
                    {"limit_per_user", 1},
                    {"lines", array{line}},
                    {"mode", mode}};
  auto made = operate("POST", "/v1/activities", boost::json::serialize(body));
  if (!made) return std::unexpected(made.error());
  std::vector<std::string> steps{"open"};
  if (mode == "gated") steps = {"warm", "check", "open"};
  for (const std::string& step : steps) {
    std::string target = "/v1/activities/" + activity;
    target.append("/").append(step);
    if (auto taken = operate("POST", target, ""); !taken) return std::unexpected(taken.error());
  }
  return {};
}

Result<std::optional<StockCounts>> OperatorClient::stock_of(const std::string& sku, const std::string& pool) {
  return parsed(operate("GET", "/v1/stock?sku=" + sku, ""),
                [&pool](const object& body) -> std::optional<StockCounts> {
                  const object* row = row_of(body.at("stock").as_array(), pool);
                  if (row == nullptr) return std::nullopt;
                  return StockCounts{row->at("available").as_int64(), row->at("reserved").as_int64(),
                                     row->at("sold").as_int64()};
                });
}

Result<std::optional<std::int64_t>> OperatorClient::left_at_gate(const std::string& sku,
                                                                 const std::string& pool) {
  return parsed(operate("GET", "/v1/admin/gate?sku=" + sku, ""),
                [&pool](const object& body) -> std::optional<std::int64_t> {
                  const object* row = row_of(body.at("gate").as_array(), pool);
                  const value* left = row == nullptr ? nullptr : row->if_contains("left_at_gate");
                  if (left == nullptr) return std::nullopt;
                  return left->as_int64();
                });
}

Result<OrderSummary> OperatorClient::order(const std::string& id) {
  const HttpRequest request{.method = "GET", .target = "/v1/orders/" + id, .bearer = key_};
  return parsed(ask(shop_, request), [](const object& body) {
    return OrderSummary{std::string(body.at("id").as_string()), std::string(body.at("user").as_string()),
                        std::string(body.at("state").as_string())};
  });
}

Result<judge::AuditReport> OperatorClient::audit() { return audit_over_http(operators_, key_); }

}  // namespace gavel::app
