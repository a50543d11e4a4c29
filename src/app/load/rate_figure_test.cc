#include "app/load/rate_figure.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

FineTime microseconds(std::int64_t count) { return std::chrono::microseconds(count); }

StepFigure figure(std::int64_t rate, std::int64_t answers, std::int64_t unsent) {
  StepFigure figure;
  figure.scenario = LoadScenario::burst;
  figure.step = {RateSchedule{rate, std::chrono::seconds(1)}, 64};
  figure.seed = 7;
  for (std::int64_t i = 1; i <= answers; ++i) figure.statistics.latencies.add(microseconds(100 * i));
  figure.statistics.codes = {{"reserved", 30}, {"sold_out", answers - 30}};
  figure.statistics.unsent = unsent;
  figure.statistics.took = std::chrono::seconds(1);
  figure.orders = 30;
  figure.verify = "clean";
  return figure;
}

TEST(RateFigure, IsALineOfJson) {
  EXPECT_EQ(rate_json(figure(100, 100, 0)),
            R"({"bench":"burst","rate":100,"seconds":1,"connections":64,"seed":7,"answers":100,)"
            R"("answers_per_second":100,"orders_per_second":30,"p50_ms":5.023,"p90_ms":9.023,"p99_ms":9.919,)"
            R"("p999_ms":10,"longest_ms":10,"codes":{"reserved":30,"sold_out":70},"busy":0,"unknown":0,)"
            R"("lost":0,"unanswered":0,"unsent":0,"kept_up":true,"verify":"clean"})");
}

TEST(RateFigure, IsARowForPeople) {
  EXPECT_EQ(
      rate_head() + "\n" + rate_row(figure(100, 100, 0)) + "\n" + rate_row(figure(20'000, 15'000, 5'000)),
      "   RATE/S ANSWERS/S ORDERS/S   P50 MS      P90      P99    P99.9  LONGEST     BUSY   UNSENT  VERIFY\n"
      "      100      100       30     5.02     9.02     9.92     10.0     10.0        0        0  clean\n"
      "   20,000   15,000       30      754     1352     1491     1499     1500        0    5,000  clean, "
      "did "
      "not keep up");
}

TEST(RateFigure, TheHighestRateIsBelowTheFirstThatDidNotKeepUp) {
  const std::vector<StepFigure> none{figure(1'000, 500, 500)};
  EXPECT_EQ(highest_rate_kept_up(none), 0);
  const std::vector<StepFigure> some{figure(400, 400, 0), figure(100, 100, 0), figure(800, 700, 0),
                                     figure(1'600, 1'600, 0)};
  EXPECT_EQ(highest_rate_kept_up(some), 400);
}

TEST(RateFigure, IsDrawnWithoutAnyAddressOutside) {
  const std::vector<StepFigure> figures{figure(100, 100, 0), figure(1'000, 900, 100)};
  const std::string svg = rate_chart(figures);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("http", 20), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  std::size_t curves = 0, hollow = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++curves;
  for (std::size_t at = 0; (at = svg.find("fill=\"white\"/>\n<", at)) != std::string::npos; ++at) ++hollow;
  EXPECT_EQ(curves, 4U);
  EXPECT_GE(hollow, 4U) << "the step that did not keep up";
  EXPECT_TRUE(rate_chart({}).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace gavel::app
