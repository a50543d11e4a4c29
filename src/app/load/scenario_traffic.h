// ScenarioTraffic: the requests of a scenario of `gavel bench`, each a kind of day in a shop.
//
//   sale    every request wants one unit of one hot SKU that has enough
//   burst   the same, with one unit for thirty requests: most are told that it is sold out (A23)
//   mixed   whole lives of orders: reserved, then paid, cancelled, or left to expire
//
// One thread each.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "app/load/load_step.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::app {

std::optional<LoadScenario> parse_scenario(std::string_view text);
std::string_view word(LoadScenario scenario);

inline constexpr std::int64_t burst_requests_per_unit = 30;

// Units of stock that the step needs. By outstanding nobody can count the requests before: more than a client
// on one thread can send; of burst one unit for thirty connections, so that their first requests meet the end
// of the sale.
std::int64_t units_for(LoadScenario scenario, const LoadStep& step);

class ScenarioTraffic final : public Traffic {
 public:
  // The same seed gives the same users and the same choices. All outlive the traffic.
  ScenarioTraffic(LoadScenario scenario, std::string sku, const Clock& clock, Random& random)
      : scenario_(scenario), sku_(std::move(sku)), clock_(clock), random_(random) {}

  std::optional<HttpRequest> next() override;
  void on_response(const HttpRequest& request, const HttpResponse& response,
                   const std::string& code) override;

  std::int64_t orders() const { return orders_; }  // That were made.
  // The word of the first response that shows that the address is not that of the server's shop: unknown_sku,
  // unauthenticated. Else empty.
  const std::string& wrong_address() const { return wrong_address_; }

 private:
  HttpRequest reserve();
  HttpRequest follow_up();
  std::string key();

  const LoadScenario scenario_;
  const std::string sku_;
  const Clock& clock_;
  Random& random_;
  std::int64_t orders_ = 0;
  std::string wrong_address_;
  std::deque<std::string> held_;  // Orders to be settled; of mixed alone.
};

}  // namespace gavel::app
