#include "app/client/operator_client.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "app/client/remote_audit.h"

namespace gavel::app {
namespace {

constexpr Duration answer_within{30'000};

// One receipt takes no more than a line's units.
constexpr std::int64_t receipt_units_max = 1'000'000;

SaleSeen::Stock stock_in_row(const boost::json::object& row) {
  return SaleSeen::Stock{row.at("available").as_int64(), row.at("reserved").as_int64(),
                         row.at("sold").as_int64()};
}

// The row of the activity's pool, if it is listed. Throws on a body that is no list of stock.
std::optional<SaleSeen::Stock> stock_in(const std::string& body, const std::string& activity) {
  const boost::json::value list = boost::json::parse(body);
  for (const boost::json::value& row : list.as_object().at("stock").as_array()) {
    if (row.as_object().at("pool").as_string() == activity) return stock_in_row(row.as_object());
  }
  return std::nullopt;
}

// What the gate shows as left of the activity's stock item; nothing where it does not show it whole.
std::optional<std::int64_t> left_at_gate_in(const std::string& body, const std::string& activity) {
  const boost::json::value list = boost::json::parse(body);
  for (const boost::json::value& row : list.as_object().at("gate").as_array()) {
    if (row.as_object().at("pool").as_string() != activity) continue;
    const boost::json::value* left = row.as_object().if_contains("left_at_gate");
    if (left != nullptr) return left->as_int64();
  }
  return std::nullopt;
}

SaleSeen::Order order_in(const std::string& body) {
  const boost::json::value value = boost::json::parse(body);
  const boost::json::object& order = value.as_object();
  return SaleSeen::Order{std::string(order.at("id").as_string()), std::string(order.at("user").as_string()),
                         std::string(order.at("state").as_string())};
}

}  // namespace

Result<SaleDesk> SaleDesk::open(const std::string& shop, const std::string& operators, std::string key) {
  auto to_shop = HttpConnection::open(shop);
  if (!to_shop) return std::unexpected(to_shop.error());
  auto to_operators = HttpConnection::open(operators);
  if (!to_operators) return std::unexpected(to_operators.error());
  return SaleDesk(*std::move(to_shop), *std::move(to_operators), operators, std::move(key));
}

Result<HttpAnswer> SaleDesk::ask(HttpConnection& connection, const HttpRequest& request) {
  auto answer = connection.ask(request, answer_within);
  if (!answer) return answer;
  if (answer->status != 200 && answer->status != 201)
    return fail(ErrorCode::invalid, request.method + " " + request.target + " was answered " +
                                        std::to_string(answer->status) + ": " + answer->body);
  return answer;
}

Result<HttpAnswer> SaleDesk::operate(const std::string& method, const std::string& target,
                                     const std::string& body) {
  HttpRequest request{.method = method, .target = target, .body = body, .key = "", .bearer = key_};
  if (method != "GET") request.key = "desk-" + std::to_string(random_.next());
  return ask(operators_, request);
}

Result<void> SaleDesk::stock_up(const std::string& sku, std::int64_t units) {
  if (auto made = operate("PUT", "/v1/skus/" + sku, "{}"); !made) return std::unexpected(made.error());
  while (units > 0) {
    const std::int64_t part = std::min(units, receipt_units_max);
    auto received =
        operate("POST", "/v1/stock/" + sku + "/receive", R"({"quantity":)" + std::to_string(part) + "}");
    if (!received) return std::unexpected(received.error());
    units -= part;
  }
  return {};
}

Result<void> SaleDesk::open_sale(const std::string& activity, const std::string& sku, std::int64_t units,
                                 const std::string& mode) {
  const std::string body = R"({"id":")" + activity +
                           R"(","name":"Demonstration","limit_per_user":1,"lines":[{"sku":")" + sku +
                           R"(","allotment":)" + std::to_string(units) + R"(}],"mode":")" + mode + R"("})";
  if (auto made = operate("POST", "/v1/activities", body); !made) return std::unexpected(made.error());
  std::vector<std::string> steps{"open"};
  if (mode == "gated") steps = {"warm", "check", "open"};
  for (const std::string& step : steps) {
    std::string target = "/v1/activities/" + activity;
    target.append("/").append(step);
    auto taken = operate("POST", target, "");
    if (!taken) return std::unexpected(taken.error());
  }
  return {};
}

Result<SaleSeen::Stock> SaleDesk::stock_of(const std::string& sku) {
  const auto answer = operate("GET", "/v1/stock?sku=" + sku, "");
  if (!answer) return std::unexpected(answer.error());
  try {
    if (const auto stock = stock_in(answer->body, "-")) return *stock;
    return fail(ErrorCode::invalid, "the server lists no free stock of " + sku);
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid, std::string("an answer lacks what it should hold: ") + error.what());
  }
}

Result<SaleSeen> SaleDesk::look(const std::string& activity, const std::string& sku, const SaleRun& run) {
  SaleSeen seen;
  auto stock = operate("GET", "/v1/stock?sku=" + sku, "");
  if (!stock) return std::unexpected(stock.error());
  auto gate = operate("GET", "/v1/admin/gate?sku=" + sku, "");
  if (!gate) return std::unexpected(gate.error());
  try {
    seen.stock = stock_in(stock->body, activity);
    seen.left_at_gate = left_at_gate_in(gate->body, activity);
    for (const SaleRun::Result& result : run.results) {
      if (result.first.status != 201) continue;
      HttpRequest request;
      request.method = "GET";
      request.target = "/v1/orders/" + result.first.order;
      auto order = ask(shop_, request);
      if (!order) return std::unexpected(order.error());
      seen.orders.push_back(order_in(order->body));
    }
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid, std::string("an answer lacks what it should hold: ") + error.what());
  }
  // On a connection of its own: this desk's may have been idle for too long while many orders were read.
  auto audit = audit_over_http(operators_url_, key_);
  if (!audit) return std::unexpected(audit.error());
  seen.audit = *std::move(audit);
  return seen;
}

}  // namespace gavel::app
