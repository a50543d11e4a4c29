#include "app/load/outstanding_figure.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

FineTime milliseconds(std::int64_t count) { return std::chrono::milliseconds(count); }

// A step of two seconds with `a_second` responses in each of them, the last ten after its end.
StepFigure figure(std::size_t connections, std::int64_t a_second) {
  StepFigure figure;
  figure.step = {OutstandingSchedule{std::chrono::seconds(2)}, connections};
  figure.seed = 7;
  for (std::int64_t i = 1; i <= 100; ++i) figure.statistics.latencies.add(milliseconds(i));
  for (std::int64_t i = 1; i <= 100; ++i) figure.statistics.exchanges.add(std::chrono::microseconds(i));
  figure.statistics.in_time = {{"reserved", 2 * a_second - 20}, {"sold_out", 20}};
  figure.statistics.codes = {{"reserved", 2 * a_second - 10}, {"sold_out", 20}};
  figure.statistics.busy = 3;
  figure.seen = {.readings = 8, .backlog = 1'000, .in_flight = 1'200, .connections = 900};
  figure.verify = "clean";
  return figure;
}

TEST(OutstandingFigure, IsALineOfJson) {
  StepFigure one = figure(1'000, 40'000);
  EXPECT_EQ(
      outstanding_json(one),
      R"({"bench":"sale","outstanding":1000,"seconds":2,"seed":7,"answers":100,)"
      R"("answers_per_second":40000,"orders_per_second":39990,"p50_ms":50.175,"p90_ms":90.111,)"
      R"("p99_ms":99.327,"p999_ms":100,"longest_ms":100,"exchange_p50_ms":0.05,)"
      R"("exchange_p99_ms":0.099,"codes":{"reserved":79990,"sold_out":20},"busy":3,"unknown":0,"lost":0,)"
      R"("unanswered":0,"unsent":0,"backlog":1000,"in_flight":1200,"connections":900,"verify":"clean"})");
  one.seen = {};
  const std::string unseen = outstanding_json(one);
  EXPECT_NE(unseen.find(R"("backlog":null,"in_flight":null,"connections":null)"), std::string::npos)
      << unseen;
}

TEST(OutstandingFigure, IsARowForPeople) {
  StepFigure blind = figure(100'000, 38'000);
  blind.seen = {};
  blind.statistics.unanswered = 5;
  blind.statistics.unsent = 90'000;
  EXPECT_EQ("\n" + outstanding_head() + "\n" + outstanding_row(figure(1'000, 40'000)) + "\n" +
                outstanding_row(blind),
            R"(
OUTSTANDING ANSWERS/S ORDERS/S   P50 MS      P99  LONGEST  ONE P99     BUSY  UNKNOWN     LOST UNSERVED  BACKLOG CONNECTED  VERIFY
      1,000   40,000   39,990     50.2     99.3      100     0.10        3        0        0        0    1,000      900  clean
    100,000   38,000   37,990     50.2     99.3      100     0.10        3        0        0   90,005        ?        ?  clean)");
}

TEST(OutstandingFigure, TheKneeIsTheFirstStepThatTheNextHardlyExceeds) {
  struct Row {
    std::vector<StepFigure> figures;
    const char* json;
    const char* sentence;
  };
  const char* const none = R"({"bench":"sale","knee":null})";
  const char* const still = "no knee: each step answered at least a tenth more than the one below it";
  const std::vector<Row> rows{
      {{}, none, still},
      {{figure(1'000, 100)}, none, still},
      {{figure(1'000, 100), figure(5'000, 110), figure(20'000, 121)}, none, still},
      {{figure(1'000, 1'000), figure(5'000, 1'099), figure(20'000, 5'000)},
       R"({"bench":"sale","knee":1000,"peak_per_second":5000,"beyond_of_peak":0.22})",
       "the knee is at 1,000 outstanding; beyond it at least 22 % of the peak of 5,000 responses a second"},
      // Given in any order; the throughput falls behind the knee.
      {{figure(20'000, 1'800), figure(1'000, 1'000), figure(5'000, 2'000)},
       R"({"bench":"sale","knee":5000,"peak_per_second":2000,"beyond_of_peak":0.9})",
       "the knee is at 5,000 outstanding; beyond it at least 90 % of the peak of 2,000 responses a second"},
      {{figure(1'000, 0), figure(5'000, 0)}, none, still},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(knee_json(LoadScenario::sale, knee_of(row.figures)), row.json);
    EXPECT_EQ(knee_sentence(knee_of(row.figures)), row.sentence);
  }
}

TEST(OutstandingFigure, IsDrawnWithItsKnee) {
  std::vector<StepFigure> figures{figure(1'000, 1'000), figure(5'000, 2'000), figure(20'000, 1'900)};
  figures.back().statistics.unsent = 1;
  const std::string svg = outstanding_chart(figures);
  std::size_t curves = 0, hollow = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++curves;
  for (std::size_t at = 0; (at = svg.find("fill=\"white\"/>\n<", at)) != std::string::npos; ++at) ++hollow;
  EXPECT_EQ(curves, 4U);
  EXPECT_EQ(hollow, 5U) << "the paper, and a mark on each curve";
  EXPECT_NE(svg.find(">knee</text>"), std::string::npos);
  EXPECT_NE(svg.find(">5,000</text>"), std::string::npos);
  figures.pop_back();
  EXPECT_EQ(outstanding_chart(figures).find(">knee</text>"), std::string::npos) << "it still grows";
}

}  // namespace
}  // namespace gavel::app
