#include "app/load/scenario_traffic.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel::app {
namespace {

const VirtualClock still{*parse_time("2026-11-29T20:00:00Z")};

HttpResponse reserved(const std::string& order) {
  return {.status = 201,
          .headers = {},
          .body = R"({"code":"reserved","order":")" + order + R"(","state":"held"})"};
}

TEST(ScenarioTraffic, RepeatsItselfFromItsSeed) {
  for (const LoadScenario scenario : {LoadScenario::sale, LoadScenario::burst, LoadScenario::mixed}) {
    std::string lives[2];
    for (std::string& life : lives) {
      Random random(7);
      ScenarioTraffic traffic(scenario, "tee", still, random);
      for (int i = 0; i < 100; ++i) {
        const HttpRequest request = traffic.next().value();
        life += request.target + " " + request.key + " " + request.body + "\n";
        if (request.target == "/v1/orders")
          traffic.on_response(request, reserved("o" + std::to_string(i)), "reserved");
      }
    }
    EXPECT_EQ(lives[0], lives[1]);
  }
}

TEST(ScenarioTraffic, MixedSettlesWhatItMade) {
  Random random(7);
  ScenarioTraffic traffic(LoadScenario::mixed, "tee", still, random);
  int made = 0, confirmed = 0, cancelled = 0;
  for (int i = 0; i < 10'000; ++i) {
    const HttpRequest request = traffic.next().value();
    if (request.target == "/v1/orders") {
      EXPECT_NE(request.body.find(R"("hold_seconds":2)"), std::string::npos);
      traffic.on_response(request, reserved("o" + std::to_string(++made)), "reserved");
    }
    confirmed += request.target.ends_with("/confirm");
    cancelled += request.target.ends_with("/cancel");
  }
  EXPECT_EQ(traffic.orders(), made);
  EXPECT_NEAR(confirmed / static_cast<double>(made), 0.5, 0.15);
  EXPECT_NEAR(static_cast<double>(cancelled) / confirmed, 0.5, 0.1);
  traffic.on_response(traffic.next().value(),
                      {.status = 409, .headers = {}, .body = R"({"code":"sold_out"})"}, "sold_out");
  EXPECT_EQ(traffic.orders(), made) << "what was refused is no order";
}

TEST(ScenarioTraffic, AnotherServersShopIsNoticed) {
  Random random(7);
  ScenarioTraffic traffic(LoadScenario::sale, "tee", still, random);
  for (const unsigned status : {201U, 409U, 429U, 503U}) traffic.on_response({}, {.status = status}, "any");
  EXPECT_EQ(traffic.wrong_address(), "");
  traffic.on_response({}, {.status = 404}, "unknown_sku");
  traffic.on_response({}, {.status = 401}, "unauthenticated");
  EXPECT_EQ(traffic.wrong_address(), "unknown_sku");
}

LoadStep by_rate(std::int64_t per_second) { return {RateSchedule{per_second, std::chrono::seconds(1)}, 64}; }
LoadStep outstanding(std::size_t connections) {
  return {OutstandingSchedule{std::chrono::seconds(5)}, connections};
}

TEST(ScenarioTraffic, UnitsFitTheScenario) {
  EXPECT_EQ(units_for(LoadScenario::sale, by_rate(100'000)), 101'000);
  EXPECT_EQ(units_for(LoadScenario::burst, by_rate(300'000)), 10'000) << "as A23 has it";
  EXPECT_EQ(units_for(LoadScenario::burst, by_rate(7)), 1);
  EXPECT_EQ(units_for(LoadScenario::sale, outstanding(1'000)), 7'502'000) << "more than can be sent";
  EXPECT_EQ(units_for(LoadScenario::mixed, outstanding(1'000)), 7'502'000);
  EXPECT_EQ(units_for(LoadScenario::burst, outstanding(1'000)), 33);
  EXPECT_EQ(units_for(LoadScenario::burst, outstanding(1)), 1);
  EXPECT_EQ(parse_scenario("mixed"), LoadScenario::mixed);
  EXPECT_EQ(parse_scenario("flash"), std::nullopt);
}

}  // namespace
}  // namespace gavel::app
