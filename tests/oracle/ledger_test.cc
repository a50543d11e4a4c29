#include "oracle/ledger.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/history.h"

namespace gavel::oracle {
namespace {

Flow row(std::int64_t lane, std::int64_t n, std::int64_t i, Place place, std::int64_t seq, std::int64_t at) {
  Flow flow;
  flow.lane = lane;
  flow.n = n;
  flow.i = i;
  flow.place = place;
  flow.seq = seq;
  flow.at = at;
  return flow;
}

std::string text_of(const std::vector<Flow>& flows) {
  std::string text;
  for (const Flow& flow : flows) {
    text += std::to_string(flow.lane) + "." + std::to_string(flow.n) + "." + std::to_string(flow.i) + " ";
  }
  return text;
}

// Lane 2 sells what lane 1 has received, and lane 1 goes on; by time alone they cannot be told apart.
TEST(Ledger, RowsOfSeveralLanesAreOrderedByTheirChains) {
  const Place tee{1, 0};
  const Place mug{2, 0};
  std::vector<Flow> flows{row(1, 1, 0, tee, 1, 5), row(1, 2, 0, tee, 3, 5), row(1, 2, 1, mug, 2, 5),
                          row(2, 1, 0, tee, 2, 5), row(2, 2, 0, mug, 1, 5)};
  std::ranges::reverse(flows);
  EXPECT_TRUE(put_in_order(flows));
  EXPECT_EQ(text_of(flows), "1.1.0 2.1.0 2.2.0 1.2.0 1.2.1 ");
}

TEST(Ledger, WhatNoChainTiesIsOrderedByTime) {
  std::vector<Flow> flows{row(1, 1, 0, {1, 0}, 1, 7), row(2, 1, 0, {2, 0}, 1, 5), row(2, 2, 0, {2, 0}, 2, 9)};
  EXPECT_TRUE(put_in_order(flows));
  EXPECT_EQ(text_of(flows), "2.1.0 1.1.0 2.2.0 ");
}

TEST(Ledger, RowsThatContradictEachOtherStandByLane) {
  std::vector<Flow> flows{row(1, 1, 0, {1, 0}, 2, 5), row(1, 2, 0, {1, 0}, 1, 5)};
  EXPECT_FALSE(put_in_order(flows));
  EXPECT_EQ(text_of(flows), "1.1.0 1.2.0 ");
}

TEST(History, WhatTwoThreadsNotedOfOneKeyIsPutTogether) {
  History one;
  History two;
  const Request request{.caller = "shop", .key = "k", .act = "receive", .lines = {{"tee", 1}}};
  Request other = request;
  other.lines[0].quantity = 2;
  one.end(one.begin(request, 5), 6, Reply{.outcome = "received", .recorded = true, .replayed = true});
  two.begin(request, 1);
  two.end(two.begin(other, 7), 8, Reply{.outcome = "key_reused"});
  one.merge(two);
  const Asked& asked = one.asked().at({"shop", "k"});
  ASSERT_EQ(asked.attempts.size(), 3U);
  EXPECT_EQ(asked.first_call(), 1);
  EXPECT_EQ(asked.answer(), &asked.attempts[1]);
  EXPECT_EQ(asked.request(asked.attempts[2]).lines[0].quantity, 2);
  EXPECT_FALSE(asked.attempts[0].reply.has_value());
}

TEST(History, LinesAreMergedBySku) {
  EXPECT_EQ(merged({{"tee", 1}, {"mug", 2}, {"tee", 3}}), (std::vector<Line>{{"mug", 2}, {"tee", 4}}));
}

}  // namespace
}  // namespace gavel::oracle
