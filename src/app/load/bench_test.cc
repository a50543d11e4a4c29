// The parts of gavel bench that need no server: the histogram, the traffic of each scenario, and figures as
// they are printed and drawn.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "app/load/latency_histogram.h"
#include "app/load/rate_figure.h"
#include "app/load/scenario_traffic.h"
#include "base/random.h"

namespace gavel::app {
namespace {

FineTime us(std::int64_t count) { return std::chrono::microseconds(count); }

TEST(LatencyHistogram, IsExactBelow256MicrosecondsAndWithinAHundredthAbove) {
  LatencyHistogram none;
  EXPECT_EQ(none.ms(0.99), 0);
  Random random(1);
  for (const std::int64_t most : {200, 5'000, 3'000'000, 60'000'000}) {
    LatencyHistogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 0; i < 2'000; ++i) {
      all.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))));
      histogram.add(us(all.back()));
    }
    std::ranges::sort(all);
    for (const double share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * 2'000)) - 1;
      const double exact = static_cast<double>(all[rank]) / 1000;
      EXPECT_GE(histogram.ms(share), exact) << most << " " << share;
      EXPECT_LE(histogram.ms(share), most <= 256 ? exact : exact * 1.008 + 0.001) << most << " " << share;
    }
    EXPECT_EQ(histogram.longest_ms(), static_cast<double>(all.back()) / 1000);
    EXPECT_EQ(histogram.count(), 2'000);
  }
}

TEST(LatencyHistogram, TakesAnyLatency) {
  LatencyHistogram histogram;
  histogram.add(us(-5));
  EXPECT_EQ(histogram.ms(1), 0);
  histogram.add(std::chrono::hours(100));
  EXPECT_NEAR(histogram.ms(1), 68'719'476.735, 0.001);
  EXPECT_EQ(histogram.count(), 2);
}

const VirtualClock still{*parse_time("2026-11-29T20:00:00Z")};

HttpAnswer reserved(const std::string& order) {
  return {.status = 201,
          .headers = {},
          .body = R"({"code":"reserved","order":")" + order + R"(","state":"held"})"};
}

TEST(BenchTraffic, RepeatsItselfFromItsSeed) {
  for (const Scenario scenario : {Scenario::sale, Scenario::burst, Scenario::mixed}) {
    std::string lives[2];
    for (std::string& life : lives) {
      Random random(7);
      BenchTraffic traffic(scenario, "tee", still, random);
      for (int i = 0; i < 100; ++i) {
        const HttpRequest request = traffic.next();
        life += request.target + " " + request.key + " " + request.body + "\n";
        if (request.target == "/v1/orders")
          traffic.hear(request, reserved("o" + std::to_string(i)), "reserved");
      }
    }
    EXPECT_EQ(lives[0], lives[1]);
  }
}

TEST(BenchTraffic, MixedSettlesWhatItMade) {
  Random random(7);
  BenchTraffic traffic(Scenario::mixed, "tee", still, random);
  int made = 0, confirmed = 0, cancelled = 0;
  for (int i = 0; i < 10'000; ++i) {
    const HttpRequest request = traffic.next();
    if (request.target == "/v1/orders") {
      EXPECT_NE(request.body.find(R"("hold_seconds":2)"), std::string::npos);
      traffic.hear(request, reserved("o" + std::to_string(++made)), "reserved");
    }
    confirmed += request.target.ends_with("/confirm");
    cancelled += request.target.ends_with("/cancel");
  }
  EXPECT_EQ(traffic.orders(), made);
  EXPECT_NEAR(confirmed / static_cast<double>(made), 0.5, 0.15);
  EXPECT_NEAR(static_cast<double>(cancelled) / confirmed, 0.5, 0.1);
  traffic.hear(traffic.next(), {.status = 409, .headers = {}, .body = R"({"code":"sold_out"})"}, "sold_out");
  EXPECT_EQ(traffic.orders(), made) << "what was refused is no order";
}

TEST(BenchTraffic, UnitsFitTheScenario) {
  EXPECT_EQ(units_for(Scenario::sale, 100'000), 101'000);
  EXPECT_EQ(units_for(Scenario::burst, 300'000), 10'000) << "as A23 has it";
  EXPECT_EQ(units_for(Scenario::burst, 7), 1);
  EXPECT_EQ(parse_scenario("mixed"), Scenario::mixed);
  EXPECT_EQ(parse_scenario("flash"), std::nullopt);
}

BenchFigure figure(std::int64_t rate, std::int64_t answers, std::int64_t unsent) {
  BenchFigure figure;
  figure.scenario = Scenario::burst;
  figure.rung = {rate, std::chrono::seconds(1), 64};
  figure.seed = 7;
  for (std::int64_t i = 1; i <= answers; ++i) figure.measured.latencies.add(us(100 * i));
  figure.measured.codes = {{"reserved", 30}, {"sold_out", answers - 30}};
  figure.measured.unsent = unsent;
  figure.measured.took = std::chrono::seconds(1);
  figure.orders = 30;
  figure.verify = "clean";
  return figure;
}

TEST(BenchFigure, IsALineOfJson) {
  EXPECT_EQ(
      json_of(figure(100, 100, 0)),
      R"({"bench":"burst","rate":100,"seconds":1.00,"connections":64,"seed":7,"answers":100,)"
      R"("answers_per_second":100,"orders_per_second":30,"p50_ms":5.023,"p90_ms":9.023,"p99_ms":9.919,)"
      R"("p999_ms":10.000,"longest_ms":10.000,"codes":{"reserved":30,"sold_out":70},"busy":0,"unknown":0,)"
      R"("lost":0,"unanswered":0,"unsent":0,"kept_up":true,"verify":"clean"})");
}

TEST(BenchFigure, IsARowForPeople) {
  EXPECT_EQ(
      bench_head() + "\n" + row_of(figure(100, 100, 0)) + "\n" + row_of(figure(20'000, 15'000, 5'000)),
      "   RATE/S ANSWERS/S ORDERS/S   P50 MS      P90      P99    P99.9  LONGEST     BUSY   UNSENT  VERIFY\n"
      "      100      100       30     5.02     9.02     9.92     10.0     10.0        0        0  clean\n"
      "   20,000   15,000       30      754     1352     1491     1499     1500        0    5,000  clean, "
      "did "
      "not keep up");
}

TEST(BenchFigure, TheKneeIsBelowTheFirstThatDidNotKeepUp) {
  const std::vector<BenchFigure> none{figure(1'000, 500, 500)};
  EXPECT_EQ(knee_of(none), 0);
  const std::vector<BenchFigure> some{figure(400, 400, 0), figure(100, 100, 0), figure(800, 700, 0),
                                      figure(1'600, 1'600, 0)};
  EXPECT_EQ(knee_of(some), 400);
}

TEST(BenchFigure, IsDrawnWithoutAnyAddressOutside) {
  const std::vector<BenchFigure> figures{figure(100, 100, 0), figure(1'000, 900, 100)};
  const std::string svg = svg_of(figures);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("http", 20), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  std::size_t curves = 0, hollow = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++curves;
  for (std::size_t at = 0; (at = svg.find("fill=\"white\"/>\n<", at)) != std::string::npos; ++at) ++hollow;
  EXPECT_EQ(curves, 4U);
  EXPECT_GE(hollow, 4U) << "the rung that did not keep up";
  EXPECT_TRUE(svg_of({}).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace gavel::app
