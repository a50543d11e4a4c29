// What storing promises of orders that last longer, of requests that are forgotten, and of refusals that are
// counted.
#include <set>
#include <string>

#include "judge/testing/store_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ItemId;
using rules::RowState;
using rules::State;

namespace {

std::string code_of(const Result<void>& result) {
  if (result) return "written";
  return result.error().code == ErrorCode::conflict ? "conflict" : result.error().message;
}

}  // namespace

TEST_P(StoreContract, AnExtendedOrderComesBackWithItsFirstEnd_E4) {
  const auto load = [&] { return loaded([&](State& s) { return store().load_orders({order_id(1)}, s); }); };
  State state = load();
  rules::Order& order = state.orders.at(order_id(1));
  const Time first = *order.expires_at;
  order.first_expires_at = first;
  order.expires_at = first + 60s;
  order.extensions = 2;
  order.revision += 1;
  order.row_state = RowState::updated;
  ASSERT_EQ(code_of(post(state)), "written");
  reopen();
  const State again = load();
  const rules::Order& stored = again.orders.at(order_id(1));
  EXPECT_EQ(stored.first_expires_at, first);
  EXPECT_EQ(stored.expires_at, first + 60s);
  EXPECT_EQ(stored.extensions, 2);
  EXPECT_EQ(dump_of("hold").find("expires_at=" + to_text(first) + " order=" + to_text(order_id(1).uuid)),
            std::string::npos);
  EXPECT_NE(
      dump_of("hold").find("expires_at=" + to_text(first + 60s) + " order=" + to_text(order_id(1).uuid)),
      std::string::npos);
}

TEST_P(StoreContract, AnItemsRowGoesOnByGenerationOrByShortagesWithinOne_A8) {
  const auto put = [&](std::int64_t generation, std::int64_t refusals) {
    State state = loaded_item(1);
    rules::Item& item = state.items.at(ItemId{1});
    item.generation = generation;
    item.refusals = refusals;
    item.row_state = RowState::updated;
    return code_of(post(state));
  };
  const auto stored = [&] {
    const State state = loaded_item(1);
    const rules::Item& item = state.items.at(ItemId{1});
    return std::to_string(item.generation) + "/" + std::to_string(item.refusals);
  };
  EXPECT_EQ(stored(), "1/0");
  EXPECT_EQ(put(1, 3), "written");
  EXPECT_EQ(put(1, 3), "conflict");
  EXPECT_EQ(put(1, 2), "conflict");
  EXPECT_EQ(stored(), "1/3");
  EXPECT_EQ(put(2, 0), "written");
  EXPECT_EQ(put(1, 9), "conflict");
  EXPECT_EQ(stored(), "2/0");
  reopen();
  EXPECT_EQ(stored(), "2/0");
}

TEST_P(StoreContract, ForgottenRequestsGoBeforeOthersAreWritten_A28) {
  State first;
  for (const char* key : {"old", "kept"}) {
    first.requests.emplace(request_id("shop", key), make_recorded("shop", key, rules::Outcome::received));
  }
  ASSERT_EQ(code_of(post(first)), "written");
  State second;
  second.forgotten.insert(request_id("shop", "old"));
  second.requests.emplace(request_id("shop", "old"), make_recorded("shop", "old", rules::Outcome::created));
  ASSERT_EQ(code_of(post(second)), "written");
  const auto outcome_of = [&](const char* key) {
    const auto found = reader().request(request_id("shop", key)).value();
    return found ? std::string(word(found->verdict.outcome)) : "none";
  };
  EXPECT_EQ(outcome_of("old"), "created");
  EXPECT_EQ(outcome_of("kept"), "received");

  State third;
  third.forgotten.insert(request_id("shop", "old"));
  EXPECT_EQ(code_of(post(third)), "written");
  EXPECT_EQ(outcome_of("old"), "none");
  const std::string before = dump();
  third.forgotten.insert(request_id("shop", "kept"));
  EXPECT_EQ(code_of(post(third)), "conflict") << "one of them is gone, so none goes";
  EXPECT_EQ(dump(), before);
}

// Two that were loaded as the same version: the second finds that somebody else was there.
TEST_P(StoreContract, ASkuAndAnActivityAreGuardedByTheirVersion_C5) {
  const auto load = [&] {
    return loaded([&](State& s) -> Result<void> {
      EXPECT_TRUE(store().load_activities(sale_for_update(), s));
      const rules::SkuCode tee("tee");
      return store().load_skus({.codes = {tee}, .ids = {}, .written = {tee}}, s);
    });
  };
  const auto put_sku = [&](State state, std::int32_t buckets) {
    rules::Sku& sku = state.skus.at(rules::SkuCode("tee"));
    sku.bucket_count = buckets;
    sku.row_state = RowState::updated;
    return code_of(post(state));
  };
  const auto put_activity = [&](State state, rules::ActivityState to) {
    rules::Activity& activity = state.activities.at(rules::ActivityCode("sale"));
    activity.state = to;
    activity.row_state = RowState::updated;
    return code_of(post(state));
  };
  const State first = load();
  EXPECT_EQ(put_sku(first, 3), "written");
  EXPECT_EQ(put_activity(first, rules::ActivityState::draft), "written");
  const std::string after = dump();
  EXPECT_EQ(put_sku(first, 4), "conflict");
  EXPECT_EQ(put_activity(first, rules::ActivityState::closed), "conflict");
  EXPECT_EQ(dump(), after);
  const State second = load();
  EXPECT_EQ(put_sku(second, 5), "written");
  EXPECT_EQ(put_activity(second, rules::ActivityState::warmed), "written");
  reopen();
  const State third = load();
  EXPECT_EQ(third.skus.at(rules::SkuCode("tee")).version, first.skus.at(rules::SkuCode("tee")).version + 2);
  EXPECT_EQ(third.activities.at(rules::ActivityCode("sale")).version,
            first.activities.at(rules::ActivityCode("sale")).version + 2);
}

// The key of an act that makes no order keeps the id that an order under it would have, until it is
// forgotten.
TEST_P(StoreContract, TheKeyOfAnotherActIsNoOrdersId_A3) {
  const std::string key = to_text(order_id(9).uuid);
  State act;
  act.requests.emplace(request_id("shop", key), make_recorded("shop", key, rules::Outcome::received));
  act.key_guards.insert(order_id(9));
  ASSERT_EQ(code_of(post(act)), "written");
  reopen();
  const std::string before = dump();
  EXPECT_EQ(dump_of("order " + key), "");
  EXPECT_FALSE(reader().order(order_id(9)).value());
  EXPECT_EQ(reader().request(request_id("shop", key)).value()->verdict.outcome, rules::Outcome::received);
  const State found = loaded([&](State& s) -> Result<void> {
    EXPECT_TRUE(store().load_orders({order_id(9)}, s));
    return store().load_requests({request_id("shop", key)}, {order_id(9), order_id(8)}, s);
  });
  EXPECT_EQ(found.orders.size(), 0U);
  EXPECT_EQ(found.requests.size(), 1U);
  EXPECT_EQ(found.ids_in_use, std::set{order_id(9)});

  State order;
  order.orders.emplace(order_id(9), make_order(9, "eve", {{ItemId{1}, 0, {1}}}, clock().now() + 5s));
  const auto posted = post(order);
  ASSERT_FALSE(posted);
  EXPECT_EQ(posted.error().code, ErrorCode::duplicate) << posted.error().message;
  EXPECT_EQ(dump(), before);

  State forgotten;
  forgotten.forgotten.insert(request_id("shop", key));
  forgotten.key_guards_freed = {order_id(9), order_id(7)};  // There is no guard of the other one.
  ASSERT_EQ(code_of(post(forgotten)), "written");
  EXPECT_EQ(code_of(post(order)), "written");
}

// What frees guards leaves orders alone.
TEST_P(StoreContract, NoOrderIsTakenForAGuard) {
  State state;
  state.key_guards_freed.insert(order_id(2));
  const std::string before = dump_of("order");
  ASSERT_EQ(code_of(post(state)), "written");
  EXPECT_EQ(dump_of("order"), before);

  State guard;
  guard.key_guards.insert(order_id(2));
  const auto posted = post(guard);
  ASSERT_FALSE(posted);
  EXPECT_EQ(posted.error().code, ErrorCode::duplicate) << posted.error().message;
}

}  // namespace gavel::judge
