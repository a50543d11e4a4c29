// The engine against servers that are busy, slow, lossy, or turn connections away.
#include "app/load/load_engine.h"

#include <array>
#include <atomic>
#include <deque>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/client/scripted_server_test.h"

namespace gavel::app {
namespace {

using Session = ScriptedServer::Session;

constexpr FineTime ms(std::int64_t count) { return std::chrono::milliseconds(count); }

const std::string reserved = http_response(201, R"({"code":"reserved"})");

// So many requests, each with a key of its own.
class Keys final : public Traffic {
 public:
  explicit Keys(int count) : count_(count) {}

  std::optional<HttpRequest> next() override {
    if (sent_ == count_) return std::nullopt;
    return HttpRequest{.method = "POST", .target = "/v1/orders", .key = "k" + std::to_string(++sent_)};
  }
  void on_response(const HttpRequest& request, const HttpResponse&, const std::string&) override {
    answered.insert(request.key);
  }

  std::multiset<std::string> answered;

 private:
  const int count_;
  int sent_ = 0;
};

bool go_on(const LoadProgress&) { return true; }

LoadStatistics run(const ScriptedServer& server, std::size_t connections, const LoadSchedule& schedule,
                   Traffic& traffic) {
  const auto engine = LoadEngine::create({.url = server.url(), .connections = connections});
  EXPECT_TRUE(engine) << engine.error().message;
  auto statistics = (*engine)->run(schedule, traffic, go_on);
  EXPECT_TRUE(statistics) << statistics.error().message;
  return statistics ? *std::move(statistics) : LoadStatistics();
}

TEST(LoadEngine, SendsEachRequestOnceUntilTheTrafficHasNoMore) {
  ScriptedServer server([](Session& session) {
    while (!session.read().empty()) session.send(reserved);
  });
  Keys traffic(100);
  const LoadStatistics statistics = run(server, 4, OutstandingSchedule{}, traffic);
  EXPECT_EQ(traffic.answered.size(), 100U);
  EXPECT_EQ(std::set<std::string>(traffic.answered.begin(), traffic.answered.end()).size(), 100U);
  EXPECT_EQ(statistics.codes, (std::map<std::string, std::int64_t>{{"reserved", 100}}));
  EXPECT_EQ(statistics.in_time, statistics.codes);
  EXPECT_EQ(statistics.latencies.count(), 100);
  EXPECT_EQ(statistics.exchanges.count(), 100);
  EXPECT_EQ(statistics.unanswered + statistics.busy + statistics.lost + statistics.unsent, 0);
  EXPECT_EQ(server.connections(), 4);
}

// Else a server closes those that are never used, just when one of them is wanted.
TEST(LoadEngine, UsesItsConnectionsInTurn) {
  std::array<std::atomic<int>, 5> asked = {};
  ScriptedServer server([&](Session& session) {
    for (; !session.read().empty(); session.send(reserved))
      ++asked.at(static_cast<std::size_t>(session.number()));
  });
  Keys traffic(20);
  run(server, 4, RateSchedule{.per_second = 100, .during = ms(200)}, traffic);
  // Five each, or somewhat fewer where a slow machine had several requests outstanding.
  for (std::size_t connection = 1; connection <= 4; ++connection) EXPECT_GE(asked.at(connection), 3);
}

TEST(LoadEngine, KeepsItsConnectionsFromRunToRun) {
  ScriptedServer server([](Session& session) {
    while (!session.read().empty()) session.send(reserved);
  });
  const auto engine = LoadEngine::create({.url = server.url(), .connections = 3});
  ASSERT_TRUE(engine);
  for (int i = 0; i < 3; ++i) {
    Keys traffic(10);
    const auto statistics = (*engine)->run(OutstandingSchedule{}, traffic, go_on);
    ASSERT_TRUE(statistics);
    EXPECT_EQ(statistics->latencies.count(), 10);
  }
  EXPECT_EQ(server.connections(), 3);
}

TEST(LoadEngine, SendsWhatIsBusyOrUnknownAgainWithItsKey_A9) {
  std::atomic<int> asked{0};
  std::set<std::string> requests;  // Of one connection, so of one thread.
  ScriptedServer server([&](Session& session) {
    for (std::string request = session.read(); !request.empty(); request = session.read()) {
      requests.insert(request);
      const int number = ++asked;
      if (number == 1) session.send(http_response(503, R"({"code":"overloaded"})", "Retry-After: 0\r\n"));
      if (number == 2) session.send(http_response(504, R"({"code":"outcome_unknown"})"));
      if (number > 2) session.send(reserved);
    }
  });
  Keys traffic(1);
  const LoadStatistics statistics = run(server, 1, OutstandingSchedule{}, traffic);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(requests.size(), 1U);
  EXPECT_EQ(statistics.busy, 1);
  EXPECT_EQ(statistics.unknown, 1);
  EXPECT_EQ(statistics.latencies.count(), 1);
  EXPECT_EQ(statistics.exchanges.count(), 3);
  EXPECT_GE(statistics.latencies.longest_ms(), 100) << "from the first sending, pauses included";
}

TEST(LoadEngine, SendsWhatIsLostAgainOnAnotherConnection_A13) {
  ScriptedServer server([](Session& session) {
    if (session.read().empty() || session.number() == 1) return;
    do {
      session.send(reserved);
    } while (!session.read().empty());
  });
  Keys traffic(5);
  const LoadStatistics statistics = run(server, 1, OutstandingSchedule{}, traffic);
  EXPECT_EQ(traffic.answered.size(), 5U);
  EXPECT_EQ(statistics.lost, 1);
  EXPECT_EQ(server.connections(), 2);
}

TEST(LoadEngine, LatenciesCountFromTheSchedule) {
  ScriptedServer server([](Session& session) {
    while (!session.read().empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      session.send(reserved);
    }
  });
  Keys traffic(1'000);
  // 20 requests within 200 ms, over a connection that takes 30 ms for each: the last one waits for 400 ms.
  const LoadStatistics statistics = run(server, 1, RateSchedule{100, ms(200)}, traffic);
  EXPECT_EQ(statistics.latencies.count(), 20);
  EXPECT_EQ(statistics.unsent, 0);
  EXPECT_GE(statistics.latencies.longest_ms(), 400);
  EXPECT_GE(statistics.exchanges.ms(0), 30);
  EXPECT_LT(statistics.exchanges.ms(0.5), statistics.latencies.ms(0.5));
}

TEST(LoadEngine, ATrafficCanEndASchedule) {
  ScriptedServer server([](Session& session) {
    while (!session.read().empty()) session.send(reserved);
  });
  Keys traffic(7);
  const LoadStatistics statistics = run(server, 2, RateSchedule{1'000, std::chrono::minutes(10)}, traffic);
  EXPECT_EQ(statistics.latencies.count(), 7);
  EXPECT_EQ(statistics.unsent, 0);
}

TEST(LoadEngine, ConnectionsThatAreTurnedAwayAreCountedAndTriedAgainLater_B14) {
  ScriptedServer server([](Session& session) {
    if (session.number() > 2) {
      session.send(http_response(503, R"({"code":"overloaded"})", "Retry-After: 1\r\nConnection: close\r\n"));
      return;
    }
    while (!session.read().empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      session.send(reserved);
    }
  });
  Keys traffic(1'000'000);
  const LoadStatistics statistics = run(server, 5, OutstandingSchedule{ms(300)}, traffic);
  // Before or after it has sent a request; some are tried again after the schedule's end.
  EXPECT_GE(statistics.busy + statistics.lost, 3);
  EXPECT_LE(statistics.unsent, 3);
  EXPECT_GT(statistics.latencies.count(), 10) << "those that are admitted go on";
  EXPECT_EQ(statistics.unanswered, 0);
}

TEST(LoadEngine, ErrorsEndARun) {
  Keys traffic(10);
  std::string url;
  {
    ScriptedServer server([](Session& session) { session.send(reserved); });
    url = server.url();
    const auto engine = LoadEngine::create({.url = url, .connections = 2});
    // One connection carries the first request, and the other none.
    const auto unasked = (*engine)->run(RateSchedule{1, ms(2'000)}, traffic, go_on);
    ASSERT_FALSE(unasked);
    EXPECT_EQ(unasked.error().code, ErrorCode::invalid);
    EXPECT_EQ(unasked.error().message, R"(unexpected response: {"code":"reserved"})");
  }
  const auto engine = LoadEngine::create({.url = url, .connections = 2});
  const auto nobody = (*engine)->run(OutstandingSchedule{}, traffic, go_on);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ErrorCode::unavailable);
  EXPECT_EQ(nobody.error().message, "nobody answers at " + url + ": Connection refused");
  ScriptedServer silent([](Session& session) {
    while (!session.read().empty()) {
    }
  });
  const auto other = LoadEngine::create({.url = silent.url(), .connections = 2});
  int looks = 0;
  const auto interrupted =
      (*other)->run(OutstandingSchedule{}, traffic, [&looks](const LoadProgress&) { return ++looks < 3; });
  ASSERT_FALSE(interrupted);
  EXPECT_EQ(interrupted.error().code, ErrorCode::unknown);
  EXPECT_FALSE(LoadEngine::create({.url = "127.0.0.1:80", .connections = 2}));
}

TEST(LoadEngine, TakesFurtherLoopbackAddressesWherePortsRunOut) {
  EXPECT_EQ(source_of("127.0.0.1", 0), "127.0.0.1");
  EXPECT_EQ(source_of("127.0.0.1", 24'999), "127.0.0.1");
  EXPECT_EQ(source_of("127.0.0.1", 25'000), "127.0.0.2");
  EXPECT_EQ(source_of("127.0.0.1", 99'999), "127.0.0.4");
  EXPECT_EQ(source_of("127.0.0.1", connections_max - 1), "127.0.0.40");
  EXPECT_EQ(source_of("::1", 60'000), "") << "the loopback of IPv6 is one address";
  EXPECT_EQ(source_of("192.168.1.7", 60'000), "");
}

}  // namespace
}  // namespace gavel::app
