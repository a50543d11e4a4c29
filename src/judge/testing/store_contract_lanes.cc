// What is promised where several lanes write: each is followed for itself, and none writes over another.
#include <set>
#include <string>
#include <vector>

#include "judge/testing/store_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ItemId;
using rules::LaneId;
using rules::RowState;
using rules::State;

namespace {

std::string code_of(const Result<void>& result) {
  if (result) return "written";
  if (result.error().code == ErrorCode::conflict) return "conflict";
  return result.error().code == ErrorCode::duplicate ? "duplicate" : result.error().message;
}

// One more order of one unit of item 2, whose last flow has the number in front of `seq`.
State order_of_item_2(std::uint8_t number, std::int64_t seq, Time now) {
  State state;
  state.orders.emplace(order_id(number), make_order(number, "eve", {{ItemId{2}, 0, {1}}}, now + 60s));
  state.flows.push_back(make_flow(2, 0, seq, order_id(number)));
  return state;
}

std::set<rules::OrderId> orders_of(const LedgerPage& page) {
  std::set<rules::OrderId> ids;
  for (const PlacedOrder& placed : page.orders) ids.insert(placed.order.id);
  return ids;
}

}  // namespace

TEST_P(StoreContract, EachLaneIsFollowedForItself_B17) {
  const Time start = clock().now();
  const LaneId one = lane_;
  const LaneId two = store().open_lane().value();
  const LaneId three = store().open_lane().value();
  const auto post_in = [&](LaneId lane, std::int64_t n, const State& state) {
    lane_ = lane;
    n_ = n;
    clock().advance(1s);
    EXPECT_EQ(code_of(post(state)), "written");
  };
  post_in(two, 1, order_of_item_2(4, 2, start));
  post_in(one, 2, order_of_item_2(5, 3, start));
  post_in(three, 1, order_of_item_2(6, 4, start));

  LedgerPage page = reader().read_after({}, 5).value();
  EXPECT_EQ(orders_of(page), (std::set{order_id(1), order_id(2)})) << "those that a flow names";
  EXPECT_EQ(page.reached, (Offsets{{one, {1, start}}}));
  EXPECT_EQ(page.batches_left, 3);
  EXPECT_EQ(page.oldest_left, start + 1s) << "of another lane than the one that was reached";
  for (const auto& [lane, order] : {std::pair(one, 5), std::pair(two, 4), std::pair(three, 6)}) {
    page = reader().read_after(page.reached, 1).value();
    EXPECT_EQ(orders_of(page), std::set{order_id(static_cast<std::uint8_t>(order))});
    EXPECT_TRUE(page.reached.contains(lane));
  }
  EXPECT_EQ(page.batches_left, 0);
  EXPECT_EQ(page.oldest_left, std::nullopt);
}

TEST_P(StoreContract, ACursorWhoseBatchIsMissingIsOfAnotherHistory) {
  ASSERT_EQ(store().resolve(BatchId{lane_, 5}).value(), Resolution::aborted);
  EXPECT_TRUE(reader().read_after({{lane_, {3, clock().now()}}}, 9).value().other_history);
}

TEST_P(StoreContract, ABucketThatAnotherMadeMeanwhileIsADuplicate_A3) {
  State first = loaded_item(1);
  State second = loaded_item(1);
  for (State* state : {&first, &second}) state->items.at(ItemId{1}).buckets.emplace_back();
  ASSERT_EQ(code_of(post(first)), "written");
  const std::string after = dump();
  EXPECT_EQ(code_of(post(second)), "duplicate");
  EXPECT_EQ(dump(), after);
}

TEST_P(StoreContract, ABucketThatIsGoneIsAConflict) {
  State state = loaded_item(1);
  rules::Item& item = state.items.at(ItemId{1});
  item.loaded.push_back({{1}, {0}, {0}, 1});
  item.buckets.push_back({{2}, {0}, {0}, 2});
  const std::string before = dump();
  EXPECT_EQ(code_of(post(state)), "conflict");
  EXPECT_EQ(dump(), before);
}

// What an item is short of comes back, and is listed until it is paid (E7).
TEST_P(StoreContract, ShortItemsAreListedUntilTheyAreNot_E7) {
  const auto set = [&](std::int64_t item, std::int64_t shortage) {
    State state = loaded_item(item);
    rules::Bucket& bucket = state.items.at(ItemId{item}).buckets[0];
    bucket.available = {0};
    bucket.shortage = {shortage};
    ++bucket.seq;
    EXPECT_EQ(code_of(post(state)), "written");
  };
  const auto listed = [&](std::int64_t after, std::size_t count) {
    std::string text;
    const std::vector<StockRow> rows = reader().short_items(ItemId{after}, count).value();
    for (const StockRow& row : rows) {
      text += row.sku.text() + "@" + row.pool + " " + std::to_string(row.item.shortage().units) + "; ";
    }
    return text;
  };
  EXPECT_EQ(listed(0, 9), "");
  set(1, 2);
  set(2, 1);
  set(3, 4);
  reopen();
  EXPECT_EQ(dump_of("item 2"), "item 2 sku=2 activity=0 generation=2 bucket=0/1/0-1#2\n");
  EXPECT_EQ(listed(0, 9), "tee@- 2; cap@- 1; tee@sale 4; ");
  EXPECT_EQ(listed(0, 2), "tee@- 2; cap@- 1; ");
  EXPECT_EQ(listed(2, 2), "tee@sale 4; ");
  set(2, 0);
  EXPECT_EQ(listed(1, 9), "tee@sale 4; ");
}

TEST_P(StoreContract, NothingIsAvailableAndShortAtOnce_E7) {
  State state = loaded_item(1);
  state.items.at(ItemId{1}).buckets[0].shortage = {1};
  ++state.items.at(ItemId{1}).buckets[0].seq;
  const auto posted = post(state);
  ASSERT_FALSE(posted);
  EXPECT_EQ(posted.error().code, ErrorCode::constraint) << posted.error().message;
}

// A batch that deals numbers and then looks up more keeps those that it dealt.
TEST_P(StoreContract, NumbersThatTheBatchDealtAreNotLoadedAgain) {
  const State state = loaded([&](State& s) -> Result<void> {
    EXPECT_TRUE(store().load_counters(s));
    s.counters.next_sku += 7;
    s.counters.row_state = RowState::updated;
    return store().load_counters(s);
  });
  EXPECT_EQ(state.counters.next_sku, 10);
}

TEST_P(StoreContract, AViewOfAnOrderSaysWhatHasReturnedToEachPlace_E1) {
  State state = loaded([&](State& s) { return store().load_orders({order_id(1)}, s); });
  rules::Order& order = state.orders.at(order_id(1));
  order.state = rules::OrderState::paid;
  order.returned = {{ItemId{1}, 1, {1}}};
  order.settled_at = clock().now();
  order.revision = 1;
  order.row_state = RowState::updated;
  ASSERT_EQ(code_of(post(state)), "written");
  const OrderRow view = reader().order(order_id(1)).value().value();
  std::string text;
  for (const OrderRow::Part& part : view.parts) {
    text += part.sku.text() + "/" + std::to_string(part.bucket) + " " + std::to_string(part.quantity.units) +
            "-" + std::to_string(part.returned.units) + "; ";
  }
  EXPECT_EQ(text, "tee/0 1-0; tee/1 1-1; cap/0 1-0; ");
}

// Keys that are UUIDs may stand for an order, a row of their own, or nothing.
TEST_P(StoreContract, AConfirmingReadTellsKeysAndDueHoldsApart_A8_A9) {
  const std::string order_key = to_text(order_id(2).uuid);
  const std::string free_key = to_text(order_id(9).uuid);
  EXPECT_TRUE(reader().request(request_id("shop", order_key)).value());
  EXPECT_FALSE(reader().request(request_id("shop", free_key)).value());
  SoldOutQuery check;
  for (const std::string& key : {order_key, free_key, std::string("k-1"), std::string("nobody")}) {
    check.keys.insert(request_id("shop", key));
  }
  check.items = {ItemId{0}, ItemId{1}, ItemId{2}};  // Nobody made an item 0.
  const SoldOutQueryResult found = reader().check_sold_out(check).value();
  EXPECT_EQ(found.known, (std::set{request_id("shop", order_key), request_id("shop", "k-1")}));
  EXPECT_TRUE(found.first_expiry.contains(ItemId{1}) && found.first_expiry.contains(ItemId{2}));
  EXPECT_EQ(found.first_expiry.size(), 2U);
  EXPECT_EQ(found.items.size(), 2U);
}

}  // namespace gavel::judge
