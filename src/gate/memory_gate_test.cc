#include "gate/memory_gate.h"

#include <thread>

#include <gtest/gtest.h>

#include "gate/gate_contract.h"

namespace gavel::gate {

INSTANTIATE_TEST_SUITE_P(Memory, GateContract,
                         testing::Values(GateForm{"memory", [] { return std::make_unique<MemoryGate>(); }}),
                         name_of_gate_form);

namespace {

BucketKey bucket_key(std::int64_t item) { return {rules::Incarnation{Uuid{{1}}}, rules::ItemId{item}, 0}; }

std::string said(Gate& gate, const BucketKey& key, const std::string& text) {
  const auto reply = say_to(gate, key, parse_say(text));
  return reply ? to_text(*reply) : reply.error().message;
}

TEST(MemoryGate, ABucketBeyondTheLimitIsUnavailableAndTheOthersGoOn) {
  MemoryGate gate({1, 8});
  EXPECT_EQ(said(gate, bucket_key(1), "judge=1/1 gen=1/0"), "stale seq=1 avail=1 open=1 shut=0 in_flight=0");
  EXPECT_EQ(said(gate, bucket_key(2), "judge=1/1 gen=1/0"),
            "the memory gate has its maximum number of buckets");
  EXPECT_EQ(said(gate, bucket_key(2), "1#1"), "not_initialised");
  EXPECT_EQ(said(gate, bucket_key(1), "judge=2/2 gen=1/0"), "stale seq=2 avail=2 open=1 shut=0 in_flight=0");
  erase_from(gate, bucket_key(1));
  EXPECT_EQ(said(gate, bucket_key(2), "judge=1/1 gen=1/0"), "stale seq=1 avail=1 open=1 shut=0 in_flight=0");
}

TEST(MemoryGate, AnInstanceBeyondTheLimitIsUnavailableAndWritesNothing) {
  MemoryGate gate({8, 2});
  said(gate, bucket_key(1), "1#1 judge=1/9 gen=1/0");
  said(gate, bucket_key(1), "2#1 base=1");
  const std::string full =
      "the memory gate has its maximum number of instances for g:{01000000-0000-0000-0000-000000000000:1:0}";
  EXPECT_EQ(said(gate, bucket_key(1), "3#1 base=1 judge=2/9 gen=1/0"), full);
  EXPECT_EQ(to_text(*read_from(gate, bucket_key(1))),
            "seq=1 avail=9 open=1 shut=0 in_flight=1 h1=0 o1=1 h2=1 o2=1");
  EXPECT_EQ(said(gate, bucket_key(1), "2#2"), "ok seq=1 avail=9 open=1 shut=0 in_flight=0");
  EXPECT_EQ(said(gate, bucket_key(1), "judge=2/8 gen=1/0"), "stale seq=2 avail=8 open=1 shut=0 in_flight=0");
  Result<void> reaped;
  gate.reap(bucket_key(1), rules::InstanceId{3}, [&](Result<void> done) { reaped = std::move(done); });
  ASSERT_FALSE(reaped);
  EXPECT_EQ(reaped.error().code, ErrorCode::unavailable);
}

TEST(MemoryGate, ThreadsThatWantTheSameUnitsGetEachOnce) {
  MemoryGate gate;
  said(gate, bucket_key(1), "judge=1/1000 gen=1/0");
  std::vector<std::int64_t> granted(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < granted.size(); ++t) {
    threads.emplace_back([&gate, &mine = granted[t], t] {
      for (std::int64_t op = 1; op <= 500; ++op) {
        const Say say{{static_cast<std::int64_t>(t) + 1}, op, {mine}, {}, {{1}}};
        gate.say(bucket_key(1), say, [&mine](const Result<Reply>& reply) {
          if (reply->granted[0]) ++mine;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t sum = 0;
  for (const std::int64_t mine : granted) sum += mine;
  EXPECT_EQ(sum, 1000);
  EXPECT_EQ((*read_from(gate, bucket_key(1)))->in_flight, rules::Quantity{1000});
}

TEST(MemoryGate, DoneMayCallTheGateAgain) {
  MemoryGate gate;
  std::string seen;
  gate.say(bucket_key(1), parse_say("judge=1/5 gen=1/0"), [&](const Result<Reply>&) {
    gate.read(bucket_key(1), [&](const Result<std::optional<Bucket>>& bucket) { seen = to_text(*bucket); });
  });
  EXPECT_EQ(seen, "seq=1 avail=5 open=1 shut=0 in_flight=0");
}

}  // namespace
}  // namespace gavel::gate
