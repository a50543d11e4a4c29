#include "app/load/scenario_traffic.h"

#include <algorithm>
#include <utility>

#include "base/uuid.h"

namespace gavel::app {
namespace {

constexpr std::int64_t units_spare = 1'000;
constexpr std::int64_t units_a_second = 500'000;
constexpr std::uint64_t users = 1'000'000'000'000;

// Of ten orders that have a life before them, six are paid and three are cancelled; the rest expires.
constexpr std::uint64_t of_ten = 10;
constexpr std::uint64_t paid_of_ten = 6;
constexpr std::uint64_t settled_of_ten = 9;
constexpr const char* short_hold = R"(,"hold_seconds":2)";

// The shop of this server takes what is sent; another one does not know the SKU, or wants a credential.
bool is_unheard(unsigned status) { return status >= 400 && status < 500 && status != 409 && status != 429; }

}  // namespace

std::optional<Scenario> parse_scenario(std::string_view text) {
  for (const Scenario scenario : {Scenario::sale, Scenario::burst, Scenario::mixed}) {
    if (word(scenario) == text) return scenario;
  }
  return std::nullopt;
}

std::string_view word(Scenario scenario) {
  switch (scenario) {
    case Scenario::sale:
      return "sale";
    case Scenario::burst:
      return "burst";
    case Scenario::mixed:
      return "mixed";
  }
  return "";
}

std::int64_t units_for(Scenario scenario, std::int64_t requests) {
  if (scenario == Scenario::burst) return std::max<std::int64_t>(1, requests / burst_requests_per_unit);
  return requests + units_spare;
}

std::int64_t units_for_crowd(Scenario scenario, const Crowd& crowd) {
  const auto callers = static_cast<std::int64_t>(crowd.callers);
  if (scenario == Scenario::burst) return units_for(scenario, callers);
  const FineTime whole = crowd.during + crowd_end_within;
  return units_for(scenario, callers + units_a_second * (whole / std::chrono::seconds(1)));
}

HttpRequest BenchTraffic::next() {
  // Half of the requests make orders, as long as there are some to be settled.
  if (scenario_ == Scenario::mixed && !held_.empty() && random_.chance(1, 2)) return follow_up();
  return reserve();
}

HttpRequest BenchTraffic::reserve() {
  HttpRequest request{.method = "POST", .target = "/v1/orders"};
  request.key = key();
  request.body = R"({"user":"u)" + std::to_string(random_.below(users)) + R"(","lines":[{"sku":")" + sku_ +
                 R"(","quantity":1}])" + (scenario_ == Scenario::mixed ? short_hold : "") + "}";
  return request;
}

HttpRequest BenchTraffic::follow_up() {
  const std::string order = held_.front();
  held_.pop_front();
  const std::uint64_t dice = random_.below(of_ten);
  if (dice >= settled_of_ten) return reserve();  // The order is left to expire.
  HttpRequest request{.method = "POST",
                      .target = "/v1/orders/" + order + (dice < paid_of_ten ? "/confirm" : "/cancel")};
  request.key = key();
  return request;
}

std::string BenchTraffic::key() { return to_text(make_uuid7(clock_.now(), random_)); }

void BenchTraffic::hear(const HttpRequest&, const HttpAnswer& answer, const std::string& code) {
  if (is_unheard(answer.status) && unheard_.empty()) unheard_ = code;
  if (code != "reserved") return;
  ++orders_;
  if (scenario_ != Scenario::mixed) return;
  constexpr std::string_view name = R"("order":")";
  const std::size_t at = answer.body.find(name);
  if (at == std::string::npos) return;
  const std::size_t begin = at + name.size();
  held_.push_back(answer.body.substr(begin, answer.body.find('"', begin) - begin));
}

}  // namespace gavel::app
