// Bench traffic: the scenarios of `gavel bench`, each a kind of day in a shop.
//
//   sale    every request wants one unit of one hot SKU that has enough
//   burst   the same, with one unit for thirty requests: most hear that it is sold out (A23)
//   mixed   a life of orders: reserved, then paid, cancelled, or left to expire
//
// One thread each.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "app/load/closed_loop.h"
#include "app/load/traffic.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::app {

enum class Scenario : std::uint8_t { sale, burst, mixed };

std::optional<Scenario> parse_scenario(std::string_view text);
std::string_view word(Scenario scenario);

inline constexpr std::int64_t burst_requests_per_unit = 30;

// Units of stock that `requests` of the scenario need.
std::int64_t units_for(Scenario scenario, std::int64_t requests);

// The same for a crowd, whose requests nobody can count before: more than a loop on one thread can sell; of
// burst one unit for thirty callers, so that their first requests meet the end of the sale.
std::int64_t units_for_crowd(Scenario scenario, const Crowd& crowd);

class BenchTraffic final : public Traffic {
 public:
  // The same seed gives the same users and the same choices. All outlive the traffic.
  BenchTraffic(Scenario scenario, std::string sku, const Clock& clock, Random& random)
      : scenario_(scenario), sku_(std::move(sku)), clock_(clock), random_(random) {}

  HttpRequest next() override;
  void hear(const HttpRequest& request, const HttpAnswer& answer, const std::string& code) override;

  std::int64_t orders() const { return orders_; }  // That were made.
  // The first answer of one that is not the server's shop: unknown_sku, unauthenticated. Else empty.
  const std::string& unheard() const { return unheard_; }

 private:
  HttpRequest reserve();
  HttpRequest follow_up();
  std::string key();

  const Scenario scenario_;
  const std::string sku_;
  const Clock& clock_;
  Random& random_;
  std::int64_t orders_ = 0;
  std::string unheard_;
  std::deque<std::string> held_;  // Orders that have a life before them; of mixed alone.
};

}  // namespace gavel::app
