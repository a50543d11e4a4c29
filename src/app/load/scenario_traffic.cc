#include "app/load/scenario_traffic.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/uuid.h"

namespace gavel::app {
namespace {

constexpr std::int64_t units_spare = 1'000;
constexpr std::int64_t units_a_second = 500'000;
constexpr std::uint64_t users = 1'000'000'000'000;

// Of ten orders six are paid and three are cancelled; the rest expires.
constexpr std::uint64_t of_ten = 10;
constexpr std::uint64_t paid_of_ten = 6;
constexpr std::uint64_t settled_of_ten = 9;
constexpr const char* short_hold = R"(,"hold_seconds":2)";

// The shop of this server takes what is sent; another one does not know the SKU, or wants a credential.
bool is_of_another_server(unsigned status) {
  return status >= 400 && status < 500 && status != 409 && status != 429;
}

}  // namespace

std::optional<LoadScenario> parse_scenario(std::string_view text) {
  for (const LoadScenario scenario : {LoadScenario::sale, LoadScenario::burst, LoadScenario::mixed}) {
    if (word(scenario) == text) return scenario;
  }
  return std::nullopt;
}

std::string_view word(LoadScenario scenario) {
  switch (scenario) {
    case LoadScenario::sale:
      return "sale";
    case LoadScenario::burst:
      return "burst";
    case LoadScenario::mixed:
      return "mixed";
  }
  return "";
}

std::int64_t units_for(LoadScenario scenario, const LoadStep& step) {
  CHECK(step.connections > 0);
  const std::int64_t known = step.is_by_rate() ? step.rate().requests() : step.outstanding();
  if (scenario == LoadScenario::burst) return std::max<std::int64_t>(1, known / burst_requests_per_unit);
  if (step.is_by_rate()) return known + units_spare;
  const FineTime whole = step.during() + last_responses_within;
  return known + units_a_second * (whole / std::chrono::seconds(1)) + units_spare;
}

std::optional<HttpRequest> ScenarioTraffic::next() {
  // Half of the requests make orders, as long as there are some to be settled.
  if (scenario_ == LoadScenario::mixed && !held_.empty() && random_.chance(1, 2)) return follow_up();
  return reserve();
}

HttpRequest ScenarioTraffic::reserve() {
  HttpRequest request{.method = "POST", .target = "/v1/orders"};
  request.key = key();
  request.body = R"({"user":"u)" + std::to_string(random_.below(users)) + R"(","lines":[{"sku":")" + sku_ +
                 R"(","quantity":1}])" + (scenario_ == LoadScenario::mixed ? short_hold : "") + "}";
  return request;
}

HttpRequest ScenarioTraffic::follow_up() {
  CHECK(!held_.empty());
  const std::string order = held_.front();
  held_.pop_front();
  const std::uint64_t dice = random_.below(of_ten);
  if (dice >= settled_of_ten) return reserve();  // The order is left to expire.
  HttpRequest request{.method = "POST",
                      .target = "/v1/orders/" + order + (dice < paid_of_ten ? "/confirm" : "/cancel")};
  request.key = key();
  return request;
}

std::string ScenarioTraffic::key() { return to_text(make_uuid7(clock_.now(), random_)); }

void ScenarioTraffic::on_response(const HttpRequest&, const HttpResponse& response, const std::string& code) {
  if (is_of_another_server(response.status) && wrong_address_.empty()) wrong_address_ = code;
  if (code != "reserved") return;
  ++orders_;
  if (scenario_ != LoadScenario::mixed) return;
  constexpr std::string_view name = R"("order":")";
  const std::size_t at = response.body.find(name);
  if (at == std::string::npos) return;
  const std::size_t begin = at + name.size();
  held_.push_back(response.body.substr(begin, response.body.find('"', begin) - begin));
}

}  // namespace gavel::app
