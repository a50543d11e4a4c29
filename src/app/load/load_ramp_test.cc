// The parts of gavel bench --outstanding that need no server: how answers are read, what a rung's count and
// the server's metrics say, and the figures and the knee as they are printed and drawn (B14).
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "app/load/closed_loop.h"
#include "app/load/metrics_poller.h"
#include "app/load/ramp_figure.h"
#include "app/load/step_stock.h"
#include "app/load/traffic.h"

namespace gavel::app {
namespace {

FineTime ms(std::int64_t count) { return std::chrono::milliseconds(count); }

TEST(Traffic, ReadsWhatAnAnswerAsksOfItsClient) {
  struct Row {
    unsigned status;
    const char* code;
    const char* retry_after;  // nullptr: none.
    Bearing bearing;
    FineTime pause;
  };
  const std::vector<Row> rows{
      {201, "reserved", nullptr, Bearing::final, ms(100)},
      {409, "sold_out", nullptr, Bearing::final, ms(100)},
      {409, "key_in_flight", nullptr, Bearing::busy, ms(100)},
      {503, "overloaded", "3", Bearing::busy, ms(3000)},
      {503, "overloaded", nullptr, Bearing::busy, ms(1000)},
      {503, "overloaded", "soon", Bearing::busy, ms(1000)},
      {429, "throttled", "0", Bearing::busy, ms(0)},
      {504, "outcome_unknown", "2", Bearing::unknown, ms(100)},
  };
  for (const Row& row : rows) {
    HttpAnswer answer{
        .status = row.status, .headers = {}, .body = R"({"code":")" + std::string(row.code) + R"("})"};
    if (row.retry_after != nullptr) answer.headers["retry-after"] = row.retry_after;
    EXPECT_EQ(code_of(answer), row.code);
    EXPECT_EQ(bearing_of(answer, row.code), row.bearing) << row.code;
    EXPECT_EQ(pause_of(answer), row.pause) << row.code;
  }
  EXPECT_EQ(code_of({.status = 502, .headers = {}, .body = "<html>"}), "502");
}

TEST(ClosedLoop, TakesFurtherLoopbackAddressesWherePortsRunOut) {
  const std::string url = "http://127.0.0.1:8080";
  EXPECT_EQ(source_of(url, 0), "127.0.0.1");
  EXPECT_EQ(source_of(url, 24'999), "127.0.0.1");
  EXPECT_EQ(source_of(url, 25'000), "127.0.0.2");
  EXPECT_EQ(source_of(url, 99'999), "127.0.0.4");
  EXPECT_EQ(source_of(url, callers_max - 1), "127.0.0.40");
  EXPECT_EQ(source_of("http://[::1]:8080", 60'000), "") << "the loopback of IPv6 is one address";
  EXPECT_EQ(source_of("http://192.168.1.7:8080", 60'000), "");
}

TEST(BenchTraffic, ACrowdDoesNotRunOutOfUnits) {
  const Crowd crowd{1'000, std::chrono::seconds(5)};
  EXPECT_EQ(units_for_crowd(Scenario::sale, crowd), 7'502'000);
  EXPECT_EQ(units_for_crowd(Scenario::mixed, crowd), 7'502'000);
  EXPECT_EQ(units_for_crowd(Scenario::burst, crowd), 33);
  EXPECT_EQ(units_for_crowd(Scenario::burst, {1, std::chrono::seconds(5)}), 1);
}

TEST(ServerWatch, ReadsAGaugeByItsWholeName) {
  const std::string text =
      "# TYPE gavel_queue gauge\ngavel_queue_more 5\ngavel_queue 17\n"
      "gavel_open{listener=\"operators\"} 2\ngavel_open{listener=\"shop\"} 1.2e3\ngavel_odd many\nlast 7";
  EXPECT_EQ(gauge_in(text, "gavel_queue"), 17);
  EXPECT_EQ(gauge_in(text, R"(gavel_open{listener="shop"})"), 1200);
  EXPECT_EQ(gauge_in(text, "last"), 7);
  for (const char* name : {"gavel_open", "gavel_odd", "gavel", "absent"})
    EXPECT_EQ(gauge_in(text, name), std::nullopt) << name;
  EXPECT_EQ(gauge_in("", "gavel_queue"), std::nullopt);
}

TEST(BenchStock, EveryUnitThatIsGoneWasAcknowledgedOrMayHaveBeen) {
  EXPECT_EQ(wrong_in({.orders = 30}, 30), "");
  EXPECT_EQ(wrong_in({.orders = 30}, 29), "30 orders were acknowledged and 29 units are gone");
  EXPECT_EQ(wrong_in({.orders = 30}, 31), "30 orders were acknowledged and 31 units are gone");
  EXPECT_EQ(wrong_in({.orders = 30, .doubtful = 2}, 32), "");
  EXPECT_EQ(wrong_in({.orders = 30, .doubtful = 2}, 29),
            "30 orders were acknowledged and 29 units are gone, with 2 requests in doubt");
  EXPECT_EQ(wrong_in({.orders = 30, .doubtful = 2}, 33),
            "30 orders were acknowledged and 33 units are gone, with 2 requests in doubt");
  EXPECT_EQ(wrong_in({.orders = 30, .units = BenchCount::Units::come_back}, 12), "");
}

// A rung of two seconds with `a_second` answers in each of them, the last ten answers after its end.
LadderFigure figure(std::size_t callers, std::int64_t a_second) {
  LadderFigure figure;
  figure.crowd = {callers, std::chrono::seconds(2)};
  figure.seed = 7;
  for (std::int64_t i = 1; i <= 100; ++i) figure.measured.latencies.add(ms(i));
  for (std::int64_t i = 1; i <= 100; ++i) figure.measured.exchanges.add(std::chrono::microseconds(i));
  figure.measured.in_time = {{"reserved", 2 * a_second - 20}, {"sold_out", 20}};
  figure.measured.codes = {{"reserved", 2 * a_second - 10}, {"sold_out", 20}};
  figure.measured.busy = 3;
  figure.seen = {.readings = 8, .backlog = 1'000, .in_flight = 1'200, .connections = 900};
  figure.verify = "clean";
  return figure;
}

TEST(LadderFigure, IsALineOfJson) {
  LadderFigure one = figure(1'000, 40'000);
  EXPECT_EQ(
      json_of(one),
      R"({"bench":"sale","outstanding":1000,"seconds":2.00,"seed":7,"answers":100,)"
      R"("answers_per_second":40000,"orders_per_second":39990,"p50_ms":50.175,"p90_ms":90.111,)"
      R"("p99_ms":99.327,"p999_ms":100.000,"longest_ms":100.000,"exchange_p50_ms":0.050,)"
      R"("exchange_p99_ms":0.099,"codes":{"reserved":79990,"sold_out":20},"busy":3,"unknown":0,"lost":0,)"
      R"("unanswered":0,"unsent":0,"backlog":1000,"in_flight":1200,"connections":900,"verify":"clean"})");
  one.seen = {};
  const std::string unseen = json_of(one);
  EXPECT_NE(unseen.find(R"("backlog":null,"in_flight":null,"connections":null)"), std::string::npos)
      << unseen;
}

TEST(LadderFigure, IsARowForPeople) {
  LadderFigure blind = figure(100'000, 38'000);
  blind.seen = {};
  blind.measured.unanswered = 5;
  blind.measured.unsent = 90'000;
  EXPECT_EQ("\n" + ladder_head() + "\n" + row_of(figure(1'000, 40'000)) + "\n" + row_of(blind),
            R"(
OUTSTANDING ANSWERS/S ORDERS/S   P50 MS      P99  LONGEST  ONE P99     BUSY  UNKNOWN     LOST UNSERVED  BACKLOG CONNECTED  VERIFY
      1,000   40,000   39,990     50.2     99.3      100     0.10        3        0        0        0    1,000      900  clean
    100,000   38,000   37,990     50.2     99.3      100     0.10        3        0        0   90,005        ?        ?  clean)");
}

TEST(LadderFigure, TheKneeIsTheFirstRungThatTheNextHardlyExceeds) {
  struct Row {
    std::vector<LadderFigure> figures;
    const char* json;
    const char* sentence;
  };
  const char* const none = R"({"bench":"sale","knee":null})";
  const char* const still = "no knee: each rung answered at least a tenth more than the one below it";
  const std::vector<Row> rows{
      {{}, none, still},
      {{figure(1'000, 100)}, none, still},
      {{figure(1'000, 100), figure(5'000, 110), figure(20'000, 121)}, none, still},
      {{figure(1'000, 1'000), figure(5'000, 1'099), figure(20'000, 5'000)},
       R"({"bench":"sale","knee":1000,"peak_per_second":5000,"beyond_of_peak":0.220})",
       "the knee is at 1,000 outstanding; beyond it at least 22 % of the peak of 5,000 answers a second"},
      // Given in any order; the throughput falls behind the knee.
      {{figure(20'000, 1'800), figure(1'000, 1'000), figure(5'000, 2'000)},
       R"({"bench":"sale","knee":5000,"peak_per_second":2000,"beyond_of_peak":0.900})",
       "the knee is at 5,000 outstanding; beyond it at least 90 % of the peak of 2,000 answers a second"},
      {{figure(1'000, 0), figure(5'000, 0)}, none, still},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(json_of(Scenario::sale, knee_of(row.figures)), row.json);
    EXPECT_EQ(sentence_of(knee_of(row.figures)), row.sentence);
  }
}

TEST(LadderFigure, IsDrawnWithItsKnee) {
  std::vector<LadderFigure> figures{figure(1'000, 1'000), figure(5'000, 2'000), figure(20'000, 1'900)};
  figures.back().measured.unsent = 1;
  const std::string svg = svg_of(figures);
  std::size_t curves = 0, hollow = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++curves;
  for (std::size_t at = 0; (at = svg.find("fill=\"white\"/>\n<", at)) != std::string::npos; ++at) ++hollow;
  EXPECT_EQ(curves, 4U);
  EXPECT_EQ(hollow, 5U) << "the paper, and a mark on each curve";
  EXPECT_NE(svg.find(">knee</text>"), std::string::npos);
  EXPECT_NE(svg.find(">5,000</text>"), std::string::npos);
  figures.pop_back();
  EXPECT_EQ(svg_of(figures).find(">knee</text>"), std::string::npos) << "it still grows";
}

}  // namespace
}  // namespace gavel::app
