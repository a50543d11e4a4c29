// Lanes: which command goes to which lane, what becomes of acts on orders that nobody remembers, and that a
// broken store ends the acknowledging in all lanes.
#include "pipeline/lanes.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "judge/memory/store.h"

namespace gavel::pipeline {
namespace {

using rules::ActivityCode;
using rules::Line;
using rules::OrderId;
using rules::Quantity;
using rules::SkuCode;

constexpr std::size_t three = 3;

OrderId order_of(std::uint8_t number) {
  OrderId order;
  order.uuid.bytes.back() = number;
  return order;
}

rules::Command command_of(rules::Act act) {
  return {rules::Caller("shop"), rules::RequestKey("k"), OrderId{}, std::move(act)};
}

rules::Reserve reserve_of(const std::vector<std::string>& skus) {
  std::vector<Line> lines;
  for (const std::string& sku : skus) lines.push_back({SkuCode(sku), Quantity{1}});
  return {rules::UserId("u1"), rules::Lines(std::move(lines)), {}, {}};
}

std::size_t place_of(const std::string& sku) {
  return std::get<std::size_t>(lane_route_of(command_of(rules::Receive{SkuCode(sku), Quantity{1}}), three));
}

// SKUs of each lane, by its place: "s0", "s1", … sorted into three.
std::vector<std::vector<std::string>> skus_by_place() {
  std::vector<std::vector<std::string>> by_place(three);
  for (int i = 0; i < 100; ++i) {
    const std::string sku = "s" + std::to_string(i);
    by_place.at(place_of(sku)).push_back(sku);
  }
  return by_place;
}

TEST(LaneRoute, WhatNamesSkusGoesByTheLowestOfThem) {
  const auto skus = skus_by_place();
  for (std::size_t place = 0; place < three; ++place) {
    ASSERT_GE(skus[place].size(), 10U) << "a hundred SKUs are spread over all lanes";
    const SkuCode sku(skus[place].front());
    const std::string higher = skus[(place + 1) % three].back();
    for (const rules::Act& act : std::vector<rules::Act>{
             rules::PutSku{sku}, rules::Receive{sku, Quantity{1}}, rules::Adjust{sku, Quantity{1}, "found"},
             rules::Count{sku, Quantity{1}}, reserve_of({sku.text()}), reserve_of({sku.text(), "z" + higher}),
             reserve_of({"z" + higher, sku.text()})}) {
      EXPECT_EQ(lane_route_of(command_of(act), three), LaneRoute(place)) << rules::word(act);
    }
  }
}

TEST(LaneRoute, AnActOnAnOrderGoesWhereTheOrderIs) {
  const OrderId order = order_of(7);
  for (const rules::Act& act : std::vector<rules::Act>{
           rules::Confirm{order}, rules::Cancel{order}, rules::Extend{order}, rules::ChangeOrder{order},
           rules::Refund{order}, rules::Ship{order}, rules::Expire{order}}) {
    EXPECT_EQ(lane_route_of(command_of(act), three), LaneRoute(order)) << rules::word(act);
  }
}

TEST(LaneRoute, TheActsOnAnActivityShareOneLane) {
  const ActivityCode sale("sale");
  const LaneRoute first =
      lane_route_of(command_of(rules::CreateActivity{sale, "Sale", {}, {}, {}, {}, {}}), three);
  ASSERT_TRUE(std::holds_alternative<std::size_t>(first));
  for (const rules::Act& act : std::vector<rules::Act>{rules::ChangeActivity{sale}, rules::WarmActivity{sale},
                                                       rules::CheckActivity{sale}, rules::OpenActivity{sale},
                                                       rules::CloseActivity{sale}}) {
    EXPECT_EQ(lane_route_of(command_of(act), three), first) << rules::word(act);
  }
}

TEST(OrderLanes, RemembersTheLatestHalfAtLeastAndNeverMoreThanItMay) {
  OrderLanes lanes(10);
  for (std::uint8_t number = 0; number < 100; ++number) {
    const std::vector<OrderId> order{order_of(number)};
    lanes.put(order, number % three);
    ASSERT_LE(lanes.size(), 10U);
    for (int back = 0; back < 5 && number >= back; ++back) {
      const auto latest = static_cast<std::uint8_t>(number - back);
      ASSERT_EQ(lanes.find(order_of(latest)), std::optional(latest % three)) << "of " << int(number);
    }
  }
  EXPECT_EQ(lanes.find(order_of(1)), std::nullopt);
}

// Three lanes over one database in memory, driven by hand.
class LanesTest : public testing::Test {
 protected:
  void open(stage::Limits limits = {.queue_max = 10, .batch_max = 10}, std::size_t remembered_max = 100) {
    std::vector<LaneParts> parts;
    for (std::size_t place = 0; place < three; ++place) {
      parts.push_back({judge::open_memory_store(database_, clock_), Random(place), [](Duration) {}});
    }
    LanesOptions options{.limits = limits, .policy = {}, .remembered_max = remembered_max};
    options.observer = [this](const rules::State&) {
      if (on_commit_) on_commit_();
    };
    lanes_.emplace(std::move(parts), std::move(options), judge::open_memory_reader(database_, clock_), clock_,
                   *log_, [](const std::string& why) { FAIL() << why; });
  }

  // Offers it; its answer is in answers() once it is judged. False: refused, and not consumed.
  bool offer(rules::Act act) {
    rules::Command command = command_of(std::move(act));
    command.key = rules::RequestKey("k" + std::to_string(++asked_));
    command.new_order_id = OrderId{make_uuid7(clock_.now(), random_)};
    last_ = command.new_order_id;
    Lanes::Done done = [this](const rules::Verdict& verdict) {
      answers_.emplace_back(rules::word(verdict.outcome));
    };
    const bool is_taken = lanes_->offer(command, clock_.steady() + Duration(100), done);
    if (!is_taken) {
      EXPECT_TRUE(done != nullptr);
      EXPECT_TRUE(command.key.has_value());
    }
    return is_taken;
  }

  // Which lanes something waits in: "0 2".
  std::string waiting() const {
    std::string text;
    for (std::size_t place = 0; place < three; ++place) {
      for (std::size_t i = 0; i < lanes_->at(place).waiting(); ++i) {
        text += (text.empty() ? "" : " ") + std::to_string(place);
      }
    }
    return text;
  }

  std::vector<std::string> answers() { return std::exchange(answers_, {}); }

  // Works off all queues.
  std::vector<std::string> judge() {
    while (lanes_->waiting() > 0) {
      lanes_->step_look_up();
      for (std::size_t place = 0; place < three; ++place) lanes_->at(place).step();
    }
    return answers();
  }

  // A SKU of the lane at `place`, with stock.
  std::string stocked(std::size_t place) {
    const std::string sku = skus_by_place()[place].front();
    EXPECT_TRUE(offer(rules::PutSku{SkuCode(sku), 1}));
    EXPECT_TRUE(offer(rules::Receive{SkuCode(sku), Quantity{100}}));
    EXPECT_EQ(judge(), (std::vector<std::string>{"created", "received"}));
    return sku;
  }

  // An order of the SKU, held.
  OrderId held(const std::string& sku) {
    EXPECT_TRUE(offer(reserve_of({sku})));
    const OrderId order = last_;
    EXPECT_EQ(judge(), std::vector<std::string>{"reserved"});
    return order;
  }

  VirtualClock clock_{Time(Duration(1'800'000'000'000))};
  std::function<void()> on_commit_;

 private:
  int asked_ = 0;
  Random random_{1};
  OrderId last_;
  std::vector<std::string> answers_;
  std::unique_ptr<Log> log_ = Log::silent();
  std::shared_ptr<judge::MemoryDatabase> database_ = judge::make_memory_database();

 protected:
  std::optional<Lanes> lanes_;
};

TEST_F(LanesTest, AnActOnAnOrderGoesToTheLaneThatMadeItWithoutALookUp) {
  open();
  for (std::size_t place = 0; place < three; ++place) {
    const OrderId order = held(stocked(place));
    ASSERT_TRUE(offer(rules::Confirm{order}));
    EXPECT_EQ(waiting(), std::to_string(place));
    EXPECT_EQ(judge(), std::vector<std::string>{"confirmed"});
  }
  EXPECT_EQ(lanes_->looked_up(), 0U);
}

TEST_F(LanesTest, AnOrderThatNobodyRemembersIsLookedUpWithAllThatWaitAndGoesByItsLowestSku) {
  open({.queue_max = 10, .batch_max = 10}, 2);
  std::vector<OrderId> orders;
  for (std::size_t place = 0; place < three; ++place) orders.push_back(held(stocked(place)));
  held(skus_by_place()[0].front());  // The memory has room for this one alone.
  for (const OrderId order : orders) ASSERT_TRUE(offer(rules::Cancel{order}));
  EXPECT_EQ(waiting(), "");
  EXPECT_EQ(lanes_->waiting(), 3U);
  EXPECT_EQ(lanes_->step_look_up(), 3U);
  EXPECT_EQ(waiting(), "0 1 2");
  EXPECT_EQ(lanes_->looked_up(), 3U);
  EXPECT_EQ(judge(), (std::vector<std::string>{"cancelled", "cancelled", "cancelled"}));
}

TEST_F(LanesTest, AnOrderThatDoesNotExistIsTheJudgesToAnswer) {
  open();
  ASSERT_TRUE(offer(rules::Cancel{order_of(1)}));
  EXPECT_EQ(judge(), std::vector<std::string>{"unknown_order"});
}

TEST_F(LanesTest, WhatIsLookedUpTooLateOrFindsItsLaneFullIsRefusedAndWasNotDone_A20) {
  open({.queue_max = 1, .batch_max = 1}, 2);
  const std::string sku = skus_by_place()[0].front();
  ASSERT_TRUE(offer(rules::PutSku{SkuCode(sku), 1}));
  EXPECT_EQ(judge(), std::vector<std::string>{"created"});
  ASSERT_TRUE(offer(rules::Receive{SkuCode(sku), Quantity{100}}));
  EXPECT_EQ(judge(), std::vector<std::string>{"received"});
  const OrderId order = held(sku);
  held(sku);

  ASSERT_TRUE(offer(rules::Cancel{order}));
  EXPECT_FALSE(offer(rules::Cancel{order})) << "the queue of the look-up is full";
  clock_.advance(Duration(101));
  EXPECT_EQ(judge(), std::vector<std::string>{"overloaded"}) << "too late";

  ASSERT_TRUE(offer(rules::Receive{SkuCode(sku), Quantity{1}}));
  EXPECT_FALSE(offer(rules::Receive{SkuCode(sku), Quantity{1}})) << "the lane is full";
  ASSERT_TRUE(offer(rules::Cancel{order}));
  EXPECT_EQ(judge(), (std::vector<std::string>{"overloaded", "received"})) << "the lane is full";

  ASSERT_TRUE(offer(rules::Cancel{order}));
  EXPECT_EQ(judge(), std::vector<std::string>{"cancelled"}) << "it was not done before";
}

TEST_F(LanesTest, AFullLaneLeavesTheOthersTheirRoom_A20) {
  open({.queue_max = 1, .batch_max = 1});
  const auto skus = skus_by_place();
  ASSERT_TRUE(offer(rules::PutSku{SkuCode(skus[0].front()), 1}));
  EXPECT_FALSE(offer(rules::PutSku{SkuCode(skus[0].back()), 1}));
  EXPECT_TRUE(offer(rules::PutSku{SkuCode(skus[1].front()), 1}));
  EXPECT_TRUE(offer(rules::PutSku{SkuCode(skus[2].front()), 1}));
}

TEST_F(LanesTest, WhenTheStoreOfOneIsBrokenNoneAcknowledgesAnythingMore) {
  open();
  const std::string first = stocked(0);
  const std::string second = stocked(1);
  // It is found broken while the first lane's batch is committed.
  on_commit_ = [this] { lanes_->stop_acknowledging(); };
  ASSERT_TRUE(offer(reserve_of({first})));
  lanes_->at(0).step();
  EXPECT_EQ(answers(), std::vector<std::string>{"outcome_unknown"});
  ASSERT_TRUE(offer(reserve_of({second})));
  EXPECT_EQ(judge(), std::vector<std::string>{"overloaded"}) << "it was not begun";
}

}  // namespace
}  // namespace gavel::pipeline
