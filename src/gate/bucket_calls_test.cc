// Calls on all buckets of an item, the fan-in of their results, and which gate a URL names.
#include "gate/bucket_calls.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gate/memory_gate.h"
#include "gate/open_gate.h"
#include "gate/testing/gate_wrapper.h"
#include "gate/when_all.h"

namespace gavel::gate {
namespace {

constexpr rules::Incarnation incarnation{Uuid{{1}}};
constexpr rules::ItemId item{7};

TEST(WhenAll, TellsAllResultsInTheOrderOfTheirCalls) {
  std::vector<int> told;
  WhenAll<int> all(3, [&](std::vector<int> results) { told = std::move(results); });
  all.add(2, 30);
  all.add(0, 10);
  EXPECT_TRUE(told.empty());
  all.add(1, 20);
  EXPECT_EQ(told, (std::vector<int>{10, 20, 30}));
}

TEST(WhenAll, IsToldOnceWhicheverThreadIsLast) {
  for (int round = 0; round < 50; ++round) {
    int told = 0;
    WhenAll<std::size_t> all(8, [&](const std::vector<std::size_t>& results) {
      ++told;
      for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], i);
    });
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 8; ++i) threads.emplace_back([&all, i] { all.add(i, i); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(told, 1);
  }
}

// Does not answer for one bucket.
class DeafGate final : public GateWrapper {
 public:
  using GateWrapper::GateWrapper;
  void read(const BucketKey& key, ReadCallback done) override {
    if (key.bucket == 1) return done(fail(ErrorCode::unavailable, "no reply in time"));
    GateWrapper::read(key, std::move(done));
  }
};

TEST(BucketCalls, GoToEveryBucketOfTheItem) {
  MemoryGate gate;
  const auto statement = [](std::int64_t available) {
    return Statement{Position{1, rules::Quantity{available}}, 2, 1};
  };
  const std::vector<PendingStatement> statements{{0, statement(5)}, {1, statement(6)}};
  bool stated = false;
  state_buckets(gate, incarnation, item, statements,
                [&](const std::vector<Result<Reply>>& replies) { stated = all_arrived(replies); });
  EXPECT_TRUE(stated);
  std::string shown;
  const auto show = [&](const std::vector<Result<std::optional<Bucket>>>& buckets) {
    shown = all_arrived(buckets) ? "" : "incomplete: ";
    for (const auto& bucket : buckets) {
      shown += !bucket    ? "unavailable "
               : !*bucket ? "missing "
                          : std::to_string((*bucket)->available.units) + " ";
    }
  };
  read_buckets(gate, incarnation, item, 3, show);
  EXPECT_EQ(shown, "5 6 missing ");
  DeafGate deaf(gate);
  read_buckets(deaf, incarnation, item, 3, show);
  EXPECT_EQ(shown, "incomplete: 5 unavailable missing ");
  bool erased = false;
  erase_buckets(gate, incarnation, item, 3,
                [&](const std::vector<Result<void>>& all) { erased = all_arrived(all); });
  EXPECT_TRUE(erased);
  read_buckets(gate, incarnation, item, 2, show);
  EXPECT_EQ(shown, "missing missing ");
}

TEST(OpenGate, ByItsUrl) {
  const auto url = parse_gate_url("memory:");
  ASSERT_TRUE(url.has_value());
  EXPECT_TRUE(open_gate(*url).has_value());
  const std::pair<std::string, std::string> rows[] = {
      {"", "gate.url = \"\": must be memory:"},
      {"memory", "gate.url = memory: must be memory:"},
      {"redis://127.0.0.1", "gate.url = redis://127.0.0.1: must be memory:"},
  };
  for (const auto& [text, message] : rows) {
    const auto wrong = parse_gate_url(text);
    ASSERT_FALSE(wrong.has_value()) << text;
    EXPECT_EQ(wrong.error().code, ErrorCode::invalid);
    EXPECT_EQ(wrong.error().message, message);
  }
}

}  // namespace
}  // namespace gavel::gate
