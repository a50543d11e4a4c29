// What operators do about the gate, through real sockets: modes, buckets, and a sale that is warmed, checked
// and opened (A3, B12, B13, D1).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "world.h"

namespace gavel::http {
namespace {

constexpr std::int64_t free_item = 1;
constexpr std::int64_t item_of_sale = 2;

class GateTest : public testing::Test {
 protected:
  GateTest() {
    operate("PUT", "/v1/skus/tee", R"({"buckets":2})");
    operate("POST", "/v1/stock/tee/receive", R"({"quantity":10})");
  }

  // "200 opened", or the whole problem.
  std::string operate(const std::string& method, const std::string& path, const std::string& body = "") {
    const std::string key = method == "GET" ? "" : "k" + std::to_string(++asked_);
    const Reply reply = ask(world, Asked{Audience::operators, method, path, key, body, ""});
    if (reply.status >= 400 || method == "GET") return reply.body;
    const std::size_t begin = reply.body.find(R"("code":")") + 8;
    return reply.body.substr(begin, reply.body.find('"', begin) - begin);
  }

  std::string order(const std::string& user, const std::string& more = "") {
    const std::string body = R"({"user":")" + user + R"(","lines":[{"sku":"tee","quantity":1}])" + more + "}";
    const Reply reply =
        ask(world, Asked{Audience::shop, "POST", "/v1/orders", "o" + std::to_string(++asked_), body, ""});
    const std::size_t begin = reply.body.find(R"("code":")") + 8;
    return reply.body.substr(begin, reply.body.find('"', begin) - begin);
  }

  std::string gate() { return operate("GET", "/v1/admin/gate?sku=tee"); }

  // Of the first stock item alone, once the gate has heard of the last batch.
  bool gate_comes_to(const std::string& part) {
    return comes_true([&] { return gate().find(part) != std::string::npos; });
  }

  World world;

 private:
  int asked_ = 0;
};

const std::string sale = R"({"id":"sale","name":"S","lines":[{"sku":"tee","allotment":4}],"mode":"gated"})";

TEST_F(GateTest, AGatedSaleIsWarmedCheckedAndOpened_B12) {
  EXPECT_EQ(operate("POST", "/v1/activities", sale), "created");
  EXPECT_NE(operate("POST", "/v1/activities/sale/open").find(R"("state":"draft")"), std::string::npos);
  EXPECT_NE(operate("POST", "/v1/activities/sale/check").find(R"("state":"draft")"), std::string::npos);
  EXPECT_EQ(order("early", R"(,"activity":"sale")"), "not_open");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/warm"), "warmed");
  EXPECT_NE(operate("POST", "/v1/activities/sale/open").find(R"("state":"warmed")"), std::string::npos);
  EXPECT_EQ(operate("POST", "/v1/activities/sale/check"), "verified");
  EXPECT_EQ(order("early", R"(,"activity":"sale")"), "not_open");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/open"), "opened");
  for (const char* user : {"u1", "u2", "u3", "u4"}) {
    EXPECT_EQ(order(user, R"(,"activity":"sale")"), "reserved");
  }
  EXPECT_TRUE(gate_comes_to(
      R"("pool":"sale","mode":"gated","available":0,"left_at_gate":0,"buckets":[{"bucket":0,"available":0,"seq":3,)"
      R"("at_gate":0,"held_at_gate":0,"seq_at_gate":3,"closed_at_gate":true})"))
      << gate();
  EXPECT_EQ(order("late", R"(,"activity":"sale")"), "sold_out");
}

TEST_F(GateTest, AMismatchIsToldWithBothNumbersAndBlocks_B13) {
  operate("POST", "/v1/activities", sale);
  operate("POST", "/v1/activities/sale/warm");
  world.write_at_gate(item_of_sale, 1, 7);
  const std::string mismatch = operate("POST", "/v1/activities/sale/check");
  EXPECT_NE(
      mismatch.find(
          R"("code":"mismatch","final":false,"recorded":false,"retry":"new_key","sku":"tee","available":0,)"
          R"("bucket":1,"at_gate":7})"),
      std::string::npos)
      << mismatch;
  EXPECT_NE(operate("POST", "/v1/activities/sale/open").find(R"("state":"warmed")"), std::string::npos);
  EXPECT_EQ(operate("POST", "/v1/activities/sale/warm"), "warmed");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/check"), "verified");
  // What came to the gate after the check blocks the opening, too.
  world.write_at_gate(item_of_sale, 0, 3);
  EXPECT_NE(operate("POST", "/v1/activities/sale/open").find(R"("bucket":0,"at_gate":3)"), std::string::npos);
  EXPECT_NE(operate("GET", "/v1/activities/sale").find(R"("state":"verified")"), std::string::npos);
}

TEST_F(GateTest, ASaleThatIsNotGatedNeedsNoneOfIt_B12) {
  operate("POST", "/v1/activities", R"({"id":"sale","name":"S","lines":[{"sku":"tee","allotment":4}]})");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/warm"), "warmed");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/check"), "verified");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/open"), "opened");
  EXPECT_EQ(gate().find("at_gate"), std::string::npos);
}

TEST_F(GateTest, AModeIsObeyedAtOnceAndTheGateKeepsNothingWithoutIt_D1) {
  EXPECT_EQ(order("u1"), "reserved");
  EXPECT_NE(gate().find(R"("pool":"-","mode":"direct","available":9,"buckets")"), std::string::npos)
      << gate();
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", R"({"mode":"gated"})"), "changed");
  EXPECT_EQ(order("u2"), "reserved");
  EXPECT_TRUE(gate_comes_to(R"("pool":"-","mode":"gated","available":8,"left_at_gate":8)")) << gate();
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", R"({"mode":"service"})"), "changed");
  EXPECT_TRUE(gate_comes_to(R"("mode":"direct","available":8,"buckets")")) << gate();
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", R"({"mode":"gated"})"), "changed");
  EXPECT_TRUE(gate_comes_to(R"("mode":"gated","available":8,"buckets":[{"bucket":0,"available":4,"seq":2},)"))
      << "Its keys went with its mode: " << gate();
  EXPECT_EQ(order("u3"), "reserved");
  EXPECT_TRUE(gate_comes_to(R"("available":7,"left_at_gate":7)")) << gate();
}

TEST_F(GateTest, BucketsChangeWhileUnitsAreSold_A3) {
  operate("PUT", "/v1/skus/tee", R"({"mode":"gated"})");
  EXPECT_EQ(order("u1"), "reserved");
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", R"({"buckets":4})"), "changed");
  EXPECT_TRUE(gate_comes_to(R"("available":9,"left_at_gate":9)")) << gate();
  EXPECT_NE(gate().find(R"({"bucket":3,"available":2,)"), std::string::npos) << gate();
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", R"({"buckets":1})"), "changed");
  EXPECT_TRUE(gate_comes_to(R"("available":9,"left_at_gate":9,"buckets":[{"bucket":0,"available":9)"))
      << gate();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(order("v" + std::to_string(i)), "reserved");
  EXPECT_EQ(order("late"), "sold_out");
  EXPECT_NE(operate("GET", "/v1/admin/verify").find(R"("clean":true)"), std::string::npos);
}

// A client that does what the answer says: with the same key, after the time it names.
struct ObedientBuyer {
  std::string name;
  int sent = 0;
  int next_second = 0;  // When it asks again.
  std::string told = {};

  void buy(const World& world, int second) {
    const std::string body =
        R"({"user":")" + name + R"(","activity":"sale","lines":[{"sku":"tee","quantity":1}]})";
    const Reply reply = ask(world, Asked{Audience::shop, "POST", "/v1/orders", name, body, ""});
    ++sent;
    told = word_behind("code", reply.body);
    const std::string retry = word_behind("retry", reply.body);
    next_second = retry == "same_key" ? second + 1 : std::numeric_limits<int>::max();
    if (retry != "later") return;
    const std::string& wait = reply.headers.at("retry-after");
    EXPECT_NE(reply.body.find(R"("retry":"later","retry_after":)" + wait + ","), std::string::npos);
    EXPECT_GE(std::stoi(wait), 5);
    EXPECT_LE(std::stoi(wait), 75);
    next_second = second + std::stoi(wait);
  }

  static std::string word_behind(const std::string& name, const std::string& body) {
    const std::string member = "\"" + name + R"(":")";
    const std::size_t found = body.find(member);
    if (found == std::string::npos) return "";
    const std::size_t begin = found + member.size();
    return body.substr(begin, body.find('"', begin) - begin);
  }
};

// Four units, and twenty who come too late: seldom more often than a person would ask, and then they get what
// comes back.
TEST_F(GateTest, LosersWhoObeyTheAnswerStormNobody_E28_F010) {
  operate("POST", "/v1/activities", sale);
  for (const char* act : {"warm", "check", "open"})
    operate("POST", std::string("/v1/activities/sale/") + act);
  for (const char* user : {"u1", "u2", "u3", "u4"}) order(user, R"(,"activity":"sale")");
  ASSERT_TRUE(gate_comes_to(R"("closed_at_gate":true)")) << gate();
  std::vector<ObedientBuyer> losers;
  for (int i = 0; i < 20; ++i) losers.push_back({.name = "late" + std::to_string(i)});
  const auto sent = [&] {
    int all = 0;
    for (const ObedientBuyer& loser : losers) all += loser.sent;
    return all;
  };
  const auto run = [&](int from, int to) {
    const int before = sent();
    for (int second = from; second < to; ++second) {
      for (ObedientBuyer& loser : losers)
        if (loser.next_second <= second) loser.buy(world, second);
      world.clock().advance(std::chrono::seconds(1));
    }
    return sent() - before;
  };
  EXPECT_LE(run(0, 15), 20 * 3) << "at once, after 5 s at the earliest, and after 10 s";
  EXPECT_LE(run(15, 300), 20 * 7);
  EXPECT_LE(run(300, 600), 20 * 5) << "once a minute at the most";
  for (const ObedientBuyer& loser : losers) EXPECT_EQ(loser.told, "sold_out");

  // The holds end after 15 minutes: within 75 seconds four losers have the units.
  world.clock().advance(std::chrono::seconds(300));
  run(900, 976);
  EXPECT_EQ(std::ranges::count(losers, std::string("reserved"), &ObedientBuyer::told), 4);
}

TEST_F(GateTest, WhatIsAskedWronglyIsNamed) {
  EXPECT_NE(operate("GET", "/v1/admin/gate").find("sku: must be given exactly once"), std::string::npos);
  EXPECT_NE(operate("GET", "/v1/admin/gate?sku=tee&sku=cap").find("sku: must be given exactly once"),
            std::string::npos);
  EXPECT_NE(operate("GET", "/v1/admin/gate?sku=cap").find(R"("code":"unknown_sku")"), std::string::npos);
  EXPECT_NE(operate("PUT", "/v1/activities/sale", "{}").find("body: mode or buckets is required"),
            std::string::npos);
  EXPECT_NE(operate("PUT", "/v1/skus/tee", R"({"mode":"fast"})").find(R"(must be \"service\")"),
            std::string::npos);
  world.write_at_gate(free_item, 0, 3);
  EXPECT_EQ(gate().find("at_gate"), std::string::npos) << "what is not gated is not asked there";
}

}  // namespace
}  // namespace gavel::http
