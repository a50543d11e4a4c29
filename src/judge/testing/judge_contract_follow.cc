// What is promised of those who follow the ledger by a offset per lane, on every form of a store.
#include <map>
#include <set>
#include <string>

#include "judge/testing/judge_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;

namespace {

// "#a held, #b paid; 2 left since 3 ms": what the batches moved, and what comes after them.
std::string said(const LedgerPage& page, Time start) {
  if (page.other_history) return "another history";
  std::set<std::string> words;
  for (const PlacedOrder& placed : page.orders) {
    words.insert(placed.order.user.text() + " " + std::string(rules::word(placed.order.state)));
  }
  EXPECT_EQ(words.size(), page.orders.size()) << "each order once";
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  text += "; " + std::to_string(page.batches_left) + " left";
  if (page.oldest_left) text += " since " + std::to_string((*page.oldest_left - start).count()) + " ms";
  return text;
}

}  // namespace

TEST_P(JudgeContract, TheLedgerIsFollowedBatchByBatch_B17) {
  const Time start = clock().now();
  Offsets offsets;
  const auto follow = [&](std::size_t flows_max) {
    const LedgerPage page = reader().read_after(offsets, flows_max).value();
    offsets = page.reached;
    return said(page, start);
  };
  EXPECT_EQ(follow(100), "; 0 left");
  shop("tee", 9);
  EXPECT_EQ(follow(100), "; 0 left") << "stock is nobody's order";
  clock().advance(1s);
  say_all({reserve("a", "ann", {{"tee", 2}}), reserve("b", "bob", {{"tee", 1}})});
  clock().advance(1s);
  say_all({confirm("pay", order_of("a"))});
  say_all({reserve("c", "cid", {{"tee", 100}})});  // Refused: a batch that moves nothing.
  clock().advance(1s);
  say_all({reserve("d", "dan", {{"tee", 1}})});
  const Offsets before = offsets;
  EXPECT_EQ(follow(1), "ann paid, bob held; 3 left since 2000 ms") << "as they are, not as they were";
  EXPECT_EQ(follow(1), "ann paid; 2 left since 2000 ms");
  EXPECT_EQ(follow(1), "; 1 left since 3000 ms");
  EXPECT_EQ(follow(1), "dan held; 0 left");
  EXPECT_EQ(follow(1), "; 0 left");
  offsets = before;
  EXPECT_EQ(follow(3), "ann paid, bob held; 2 left since 2000 ms") << "whole batches, until there are three";
  offsets.clear();
  EXPECT_EQ(follow(1000), "ann paid, bob held, dan held; 0 left") << "from nothing";
}

// Where an order begins is where the judge made it: commands of one batch in their order, batches in theirs,
// all within one millisecond, whatever the ids are; and no later act on the order changes it.
TEST_P(JudgeContract, TheLedgerSaysWhereAnOrderBegins_G012) {
  shop("tee", 9);
  const auto key = [](int n) { return "01a3185c-5000-7000-8000-00000000000" + std::to_string(n); };
  say_all({reserve(key(9), "ann", {{"tee", 1}}), reserve(key(2), "bob", {{"tee", 2}}),
           reserve(key(7), "cid", {{"tee", 1}})});
  say_all({reserve(key(1), "dan", {{"tee", 1}})});
  const auto users = [&] {
    std::map<rules::OrderPosition, std::string> by_position;
    const LedgerPage page = reader().read_after({}, 1000).value();
    for (const PlacedOrder& placed : page.orders) {
      EXPECT_EQ(placed.position.at, placed.order.created_at);
      EXPECT_TRUE(by_position.emplace(placed.position, placed.order.user.text()).second);
    }
    std::string text;
    for (const auto& [position, user] : by_position) text += (text.empty() ? "" : " ") + user;
    return text;
  };
  EXPECT_EQ(users(), "ann bob cid dan");
  clock().advance(1s);
  say_all({confirm("pay", order_of(key(2))), cancel("leave", order_of(key(9)))});
  EXPECT_EQ(users(), "ann bob cid dan");
}

// A file that was put back or replaced has other batches under the same numbers, or none.
TEST_P(JudgeContract, AnotherHistoryIsNotFollowed) {
  shop("tee", 9);
  const Time start = clock().now();
  const LedgerPage now = reader().read_after({}, 1000).value();
  ASSERT_EQ(now.reached.size(), 1U);
  const auto [lane, offset] = *now.reached.begin();
  const auto from = [&](rules::LaneId of, Offset at) {
    return said(reader().read_after({{of, at}}, 1000).value(), start);
  };
  EXPECT_EQ(from(lane, offset), "; 0 left");
  EXPECT_EQ(from(lane, {offset.n, offset.at + 1ms}), "another history");
  EXPECT_EQ(from(lane, {offset.n + 1, offset.at}), "another history");
  EXPECT_EQ(from(rules::LaneId{lane.value + 1}, {1, offset.at}), "another history");
}

}  // namespace gavel::judge
