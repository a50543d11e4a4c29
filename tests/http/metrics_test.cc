// GET /metrics while a load runs, and after it: what is counted is what was answered.

#include <atomic>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rules/outcome.h"
#include "world.h"

namespace gavel::http {
namespace {

using Samples = std::map<std::string, double>;

// Every line is as Prometheus' text format has it, and every name as ours.
Samples read(const World& world) {
  const Reply reply = ask(world, Asked{operators, "GET", "/metrics", "", "", ""});
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  static const std::regex comment(
      R"(# (HELP|TYPE) (gavel_(base|stage|judge|pipeline|jobs|http)_[a-z_]+) .+)");
  static const std::regex sample(
      R"re(((gavel_[a-z_]+?)(?:_bucket|_sum|_count)?(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) ([0-9.e+-]+|\+Inf))re");
  Samples samples;
  std::set<std::string> told;
  std::istringstream lines(reply.body);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, comment)) {
      told.insert(match[2]);
      continue;
    }
    EXPECT_TRUE(std::regex_match(line, match, sample)) << line;
    EXPECT_TRUE(told.contains(match[2]) || told.contains(match[1])) << line;
    EXPECT_TRUE(samples.emplace(match[1], std::stod(match[3])).second) << line;
  }
  return samples;
}

double verdicts(const Samples& samples, const std::string& outcome) {
  return samples.at(R"(gavel_pipeline_verdicts_total{outcome=")" + outcome + "\"}");
}

std::string order_by(const std::string& user) {
  return R"({"user":")" + user + R"(","lines":[{"sku":"tee","quantity":1}]})";
}

TEST(MetricsUnderLoad, CountWhatIsAnswered_C16) {
  World world;
  ask(world, Asked{operators, "PUT", "/v1/skus/tee", "s1", "", ""});
  ask(world, Asked{operators, "POST", "/v1/stock/tee/receive", "s2", R"({"quantity":150})", ""});
  std::atomic<int> running{4};
  std::atomic<int> reserved{0};
  std::atomic<int> sold_out{0};
  std::vector<std::thread> buyers;
  for (int buyer = 0; buyer < 4; ++buyer) {
    buyers.emplace_back([&, buyer] {
      for (int i = 0; i < 50; ++i) {
        const std::string key = "k" + std::to_string(buyer) + "-" + std::to_string(i);
        const Reply reply = ask(world, Asked{shop, "POST", "/v1/orders", key, order_by("u"), ""});
        ++(reply.status == 201 ? reserved : sold_out);
      }
      --running;
    });
  }
  Samples before;
  while (running > 0) {
    const Samples samples = read(world);
    for (const auto& [name, value] : before) {
      if (name.contains("_total") || name.contains("_bucket") || name.contains("_count")) {
        EXPECT_LE(value, samples.at(name)) << name;
      }
    }
    EXPECT_GE(samples.at(R"(gavel_http_connections{listener="operators"})"), 1);
    before = samples;
  }
  for (std::thread& buyer : buyers) buyer.join();

  const Samples after = read(world);
  EXPECT_EQ(reserved, 150);
  EXPECT_EQ(verdicts(after, "reserved"), 150);
  EXPECT_EQ(verdicts(after, "sold_out"), 50);
  EXPECT_EQ(verdicts(after, "created"), 1);
  EXPECT_EQ(after.at("gavel_pipeline_batch_commands_sum"), 202);
  EXPECT_EQ(after.at("gavel_pipeline_batch_seconds_count"), after.at("gavel_pipeline_batch_commands_count"));
  EXPECT_EQ(after.at(R"(gavel_http_requests_total{route="POST /v1/orders",status="2xx"})"), 150);
  EXPECT_EQ(after.at(R"(gavel_http_requests_total{route="POST /v1/orders",status="4xx"})"), 50);
  EXPECT_EQ(after.at("gavel_pipeline_queue_commands"), 0);
  EXPECT_EQ(after.at("gavel_pipeline_in_flight_commands"), 0);
  EXPECT_LE(after.at("gavel_judge_commit_seconds_count"), after.at("gavel_pipeline_batch_seconds_count"));
  EXPECT_EQ(after.at("gavel_judge_batches_halved_total"), 0);
}

TEST(MetricsOfRefusals, StandUnderTheWordOfTheOutcome_A20) {
  WorldLimits limits;
  limits.in_flight_max = 1;
  World world(limits);
  world.hold_lane();
  const auto ask_in_batch = [&](const std::string& key) {
    return R"({"act":"reserve","request_id":")" + key + R"(",)" + order_by("u").substr(1);
  };
  std::thread waits([&] {
    ask(world,
        Asked{shop, "POST", "/v1/batch", "", "[" + ask_in_batch("a") + "," + ask_in_batch("b") + "]", ""});
  });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  ask(world, Asked{shop, "POST", "/v1/orders", "c", order_by("u"), ""});
  ask(world, Asked{shop, "POST", "/v1/orders", "d", "{}", ""});
  ask(world, Asked{shop, "GET", "/nosuch", "", "", ""});
  const Samples during = read(world);
  EXPECT_EQ(during.at("gavel_pipeline_queue_commands"), 1);
  EXPECT_EQ(during.at("gavel_pipeline_in_flight_commands"), 1);
  EXPECT_EQ(during.at(R"(gavel_pipeline_refused_total{outcome="overloaded"})"), 2);
  EXPECT_EQ(during.at(R"(gavel_http_requests_total{route="POST /v1/orders",status="5xx"})"), 1);
  EXPECT_EQ(during.at(R"(gavel_http_requests_total{route="POST /v1/orders",status="4xx"})"), 1);
  EXPECT_EQ(during.at(R"(gavel_http_requests_total{route="none",status="4xx"})"), 1);
  world.let_lane_go();
  waits.join();
}

// Each outcome has its series from the start, so that a dashboard can tell "none" from "not known".
TEST(MetricsOfRefusals, HaveASeriesForEveryOutcome) {
  World world;
  const Samples samples = read(world);
  for (const rules::OutcomeTraits& outcome : rules::all_outcomes()) {
    EXPECT_EQ(verdicts(samples, std::string(outcome.word)), 0) << outcome.word;
  }
}

TEST(MetricsRegistry, AreForOperatorsAlone) {
  World world;
  EXPECT_EQ(ask(world, Asked{shop, "GET", "/metrics", "", "", ""}).status, 404U);
  Client stranger(world.port(operators));
  stranger.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(stranger.read()->status, 401U);
}

}  // namespace
}  // namespace gavel::http
